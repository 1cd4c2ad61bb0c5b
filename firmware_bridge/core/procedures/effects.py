"""What a row of a procedure's table writes down when it fires: entries in the books, counts, orders."""

from __future__ import annotations

from collections.abc import Iterable

from drivers.protocol.messages import Inventory, JamPlace, Operation
from firmware_bridge.core import changes as c
from firmware_bridge.core.accounts import BY_HAND, GATHERED, LEFT, LOADING, OUT, UNLOADING, deck_cards
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.core.events import Acted, Told
from firmware_bridge.core.machine import Effect, Facts
from firmware_bridge.core.outputs import unapproved
from firmware_bridge.core.procedures.reading import deck_under_way, drawn_face, turned
from firmware_bridge.core.reports import LID_FORCED, hides, left_the_shoe
from firmware_bridge.core.sequence import order_in_round
from firmware_bridge.core.steps import ROUND_VOID, named_card
from firmware_bridge.core.words import (
    IN_PLAY,
    ROUND_RUNS,
    THE_ONLY,
    CardSet,
    Incident,
    IncidentKind,
    Place,
    Procedure,
    Trigger,
)
from firmware_bridge.rulebooks.schema import NOBODY

Changes = Iterable[c.AnyChange]


def both(*effects: Effect) -> Effect:
    """Several effects, one after the other."""

    def effect(facts: Facts) -> Changes:
        for one in effects:
            yield from one(facts)

    return effect


def person_of(facts: Facts) -> int:
    """Who took the step; 0: nobody."""
    return facts.event.person if isinstance(facts.event, Acted) else 0


# ---- opening and loading


def begin_session(facts: Facts) -> Changes:
    """A new session: its set lies outside the machine. With it stands what it is played by, as that is now."""
    state = facts.state
    postponed = tuple(state.postponed)  # the session's first record ends their waiting
    yield c.SessionBegan(
        supervisor=person_of(facts),
        cards=deck_cards(state.decks),
        software=state.software,
        software_digest=state.software_digest,
        rulebook=state.rulebook,
        rulebook_digest=state.rulebook_digest,
        devices={name: one.told for name, one in state.devices.items()},
    )
    told = {one.about for one in state.incidents.values() if one.kind is IncidentKind.IDENTITY_CHANGED}
    for name, how in unapproved(state).items():
        if name not in told:  # a session that did not open may leave its alarms standing
            yield c.Raised(IncidentKind.IDENTITY_CHANGED, name, how)
    for doubt in postponed:
        yield c.Raised(doubt.kind, doubt.about, doubt.detail)


def sign_dealer_in(facts: Facts) -> Changes:
    """The dealer of the table from now on."""
    yield c.DealerSigned(person_of(facts))


def begin_pack(facts: Facts) -> Changes:
    """The supervisor stands by the table: a pack begins."""
    yield c.PackBegan(person_of(facts))
    yield from prove_presence(facts)


def end_pack(facts: Facts) -> Changes:
    """The pack is in."""
    yield c.PackEnded(facts.state.pack_cards)
    yield from prove_presence(facts)


def prove_presence(facts: Facts) -> Changes:
    """The person whose presence is asked for is there."""
    if isinstance(facts.event, Acted):
        yield c.PresenceProven(facts.event.person, facts.event.role)


def book_loaded(facts: Facts) -> Changes:
    """A card of a pack went in; over the set it comes from nowhere."""
    yield c.Booked(facts.state.account.first_of(Place.OUTSIDE), Place.MACHINE, 1, LOADING)


# ---- counting


def order_count(facts: Facts) -> Changes:
    """Order the machine to count itself, compartment by compartment."""
    return _order(facts, Operation.INVENTORY)


def order_shuffle(facts: Facts) -> Changes:
    """Order the machine to shuffle all its cards anew (SB-9)."""
    return _order(facts, Operation.SHUFFLE)


def _order(facts: Facts, operation: Operation) -> Changes:
    """In play no incident orders anything of a batch shuffler: its next cycle counts and shuffles the whole set (SB-7)."""
    if facts.subject and facts.state.takes_whole_sets and facts.state.session in IN_PLAY:
        return ()
    return order(facts, operation, f"incident/{facts.subject}" if facts.subject else "session")


def order(facts: Facts, operation: Operation, asked_by: str) -> Changes:
    """Order something of the machine; its result goes to whoever asked."""
    for name, device in facts.state.devices.items():
        if device.kind in MACHINES:
            yield c.OrderDue(name, operation, asked_by)


def full_count(facts: Facts) -> Changes:
    """What the count found, beside what the books say; one that agrees shows what the machine fed and did not tell."""
    if isinstance(facts.event, Told) and isinstance(facts.event.body, Inventory):
        body, account = facts.event.body, facts.state.account
        count = c.FullCount(body.buffer + sum(body.compartments), facts.state.countable)
        yield count
        untold = -account.at(Place.SHOE)
        if count.found == count.expected and untold > 0:
            yield c.Booked(Place.MACHINE, Place.SHOE, untold, "fed, and not told by the machine")


def count_differs(facts: Facts) -> Changes:
    """The count and the books disagree: neither is believed (SB-7)."""
    for change in full_count(facts):
        yield change
        if isinstance(change, c.FullCount) and not is_open(facts, IncidentKind.COUNT_MISMATCH):
            detail = f"{change.found} cards were counted in the machine, the books say {change.expected}"
            yield c.Raised(IncidentKind.COUNT_MISMATCH, "", detail)


def is_open(facts: Facts, kind: IncidentKind) -> bool:
    """Whether an incident of this kind is not confirmed yet."""
    return any(incident.kind is kind for incident in facts.state.incidents.values())


def open_session(facts: Facts) -> Changes:
    """The load is exactly the set: the session opens."""
    yield c.Opened(facts.state.account.cards)


# ---- rounds


def begin_round(facts: Facts) -> Changes:
    """The first card begins the round."""
    del facts
    yield c.RoundBegan()


def book_drawn(facts: Facts) -> Changes:
    """A card lies on the table."""
    yield c.Booked(Place.SHOE, Place.TABLE, 1, "deal", drawn_face(facts))


def book_burned(facts: Facts) -> Changes:
    """A card was burned."""
    yield c.Booked(Place.SHOE, Place.DISCARD, 1, "burn", drawn_face(facts))


def raise_round_limit(facts: Facts) -> Changes:
    """The dealer says that the round goes on: the question comes again after as many cards."""
    step = facts.book.house.round_card_limit
    yield c.RoundLimitRaised(facts.state.account.at(Place.TABLE) + step)


def end_round(facts: Facts) -> Changes:
    """The round is over: what is out is owed back."""
    yield from _sequence_of_round(facts)
    yield c.RoundEnded(facts.state.account.out)
    if facts.state.rounds_since_count >= facts.book.house.rounds_between_counts:
        yield c.CountDue()


def _sequence_of_round(facts: Facts) -> Changes:
    """Cards too few for an alarm came in order: told when the round is over, for one of them may have lain face down."""
    shown = order_in_round(facts.state.dealt, facts.book.house.sequence_warns_at)
    if shown and not any(is_open(facts, kind) for kind in (IncidentKind.SEQUENCE, IncidentKind.SEQUENCE_WARNING)):
        yield c.Raised(IncidentKind.SEQUENCE_WARNING, "", shown)


def book_returned(facts: Facts) -> Changes:
    """A card came back; the first one ends the time for claims."""
    account = facts.state.account
    if facts.state.first_back_at is None:
        yield c.FirstCardBack()
    source = Place.TABLE if account.at(Place.TABLE) > 0 else Place.DISCARD
    yield c.Booked(source, Place.MACHINE, 1, "return")


def leave_in_discard(facts: Facts) -> Changes:
    """What the machine cannot take stays in the discard, owed with the next round's cards (PT-A11)."""
    left = facts.state.account.at(Place.TABLE)
    if left:
        yield c.Booked(Place.TABLE, Place.DISCARD, left, LEFT)


# ---- claims


def close_claim(facts: Facts) -> Changes:
    """The claim's outcome."""
    if isinstance(facts.event, Acted):
        yield c.ClaimClosed(facts.event.value, facts.event.person)


# ---- closing


def give_up_lost(facts: Facts) -> Changes:
    """The table closes over cards that are known to be lost: missing from now on, whatever is counted by eye."""
    if facts.state.card_is_missing:
        yield from all_of(facts, OUT, Place.MISSING, "did not come back")


def book_unloaded(facts: Facts) -> Changes:
    """A card came out for good."""
    return left_the_shoe(facts.state.account, Place.UNLOADED, 1, UNLOADING, drawn_face(facts), hides(facts.state))


def gather_out(facts: Facts) -> Changes:
    """What lay on the table and in the discard is sorted with the rest, and a set that was not played with."""
    yield from all_of(facts, OUT, Place.UNLOADED, GATHERED)
    for name in facts.state.others(facts.state.playing):
        yield from all_of(facts, (Place.OUTSIDE, *OUT), Place.UNLOADED, GATHERED, name)


def all_of(facts: Facts, places: Iterable[Place], target: Place, cause: str, name: str = THE_ONLY) -> Changes:
    """Whatever the books of a set, the one that the procedure is about if none is named, hold at these places."""
    name = name or facts.set
    for place in places:
        count = facts.state.sets[name].account.at(place)
        if count:
            yield c.Booked(place, target, count, cause, set=name)


def book_verified(facts: Facts) -> Changes:
    """A card of a sorted deck passed the reader, wherever the books still held it; beyond them it is over.

    That a missing card is back the reader shows only if it sees all decks: with one counted by eye, it may be any card.
    """
    by_eye = any(deck.by_person for deck in facts.state.decks_read)
    missing = () if by_eye else (Place.MISSING,)
    source = facts.state.account.first_of(Place.UNLOADED, Place.MACHINE, Place.SHOE, *OUT, *missing)
    yield c.Booked(source, Place.VERIFIED, 1, "verification", drawn_face(facts))


def confirm_deck_by_person(facts: Facts) -> Changes:
    """Without a reader: as many cards as a person counted, and said so.

    No eye sees that a card is the missing one: what was counted beyond what came out of the machine is over.
    """
    if isinstance(facts.event, Acted):
        counted = facts.event.value
        came_out = min(counted, facts.state.account.at(Place.UNLOADED))
        for source, cards in ((Place.UNLOADED, came_out), (Place.OVER, counted - came_out)):
            if cards > 0:
                yield c.Booked(source, Place.VERIFIED, cards, "by person")
        yield c.DeckJudged(deck_under_way(facts), counted, (), (), 0, by_person=True)
        yield from turned(facts, deck_under_way(facts))


def restart_verification(facts: Facts) -> Changes:
    """All decks are sorted and read again; what was found over by this reading is found anew, or was a slip."""
    yield c.VerificationRestarted()
    for name, cards in facts.state.sets.items():
        over = cards.account.over_at_reading
        for target, count in ((Place.OVER, over), (Place.UNLOADED, cards.account.at(Place.VERIFIED) - over)):
            if count:
                yield c.Booked(Place.VERIFIED, target, count, "sorted again", set=name)
    yield from turned(facts, 0)


def gather_by_hand(facts: Facts) -> Changes:
    """What was in a machine that cannot empty itself was taken out by hand: the verification tells what it was.

    A machine that works was counted empty: what the books still hold in it is missing.
    """
    if facts.state.out_of_service:
        for name in facts.state.sets:
            yield from all_of(facts, (Place.MACHINE, Place.SHOE), Place.UNLOADED, BY_HAND, name)
    yield from gather_out(facts)
    yield from turned(facts, 0)


# ---- incidents


def close_incident(facts: Facts) -> Changes:
    """Who confirmed it, and the action towards the players."""
    if isinstance(facts.event, Acted):
        yield c.IncidentClosed(facts.subject, facts.event.person, facts.event.value)


def name_card(facts: Facts) -> Changes:
    """The damaged card leaves the game, its deck is imperfect from now on, and the notice is owed."""
    places = (*OUT, Place.OUTSIDE, Place.UNLOADED)
    place = next(place for place in places if facts.state.account.at(place) > 0)
    yield from _set_aside(facts, facts.subject, place)


def rename_card(facts: Facts) -> Changes:
    """Another card was meant: the one named first is where it was, and its deck is as good as it was."""
    incident = facts.state.incidents[facts.subject]
    if incident.place is not Place.UNLOADED:
        yield c.Booked(Place.SET_ASIDE, incident.place, 1, "named wrongly", incident.face)
    others = {**facts.state.incidents, **facts.state.incidents_closed}
    others.pop(facts.subject)
    if incident.marked_deck and all(one.deck != incident.deck for one in others.values()):
        yield c.DeckCleared(incident.deck, renewed=False)
    yield from _set_aside(facts, facts.subject, incident.place)


def raise_damaged_card(facts: Facts) -> Changes:
    """A card found damaged at the jam, or that cannot be read: an incident of its own, its card named already."""
    number = facts.state.incidents_raised + 1
    found_at = facts.state.incidents[facts.subject]
    is_jam = found_at.kind is IncidentKind.JAM
    lies_outside = not is_jam or found_at.detail == JamPlace.INTAKE.name.lower()
    places = (*OUT, Place.OUTSIDE) if lies_outside else ()
    place = facts.state.account.first_of(*places, otherwise=Place.MACHINE)
    yield c.Raised(IncidentKind.DAMAGED_CARD, "", "found damaged at the jam" if is_jam else "no reader sees its face")
    yield from _set_aside(facts, number, place)
    yield c.Moved(f"incident/{number}", Trigger.ANSWER_YES, Incident.RAISED, Incident.AWAITING_REPLACEMENT, "PT-A1")


def _set_aside(facts: Facts, incident: int, place: Place) -> Changes:
    """At the sorting a damaged card is still read with its deck; before, it leaves the game."""
    card = named_card(facts.event.value, facts.state.all_decks) if isinstance(facts.event, Acted) else None
    if card is None:
        return
    deck, face = card
    yield c.CardNamed(incident, deck, face, place)
    if place is not Place.UNLOADED:
        yield c.Booked(place, Place.SET_ASIDE, 1, "damaged", face)
    yield c.SetMarked(deck, 0)
    yield c.Moved(Procedure.CARD_SET, Trigger.NAME_CARD, facts.state.card_set, CardSet.IMPERFECT, "PT-E4")
    owed_already = any(notice.incident == incident for notice in facts.state.notices)
    if facts.book.notices.damaged_card != NOBODY and not owed_already:
        yield c.NoticeOwed(incident)


def note_replacement(facts: Facts) -> Changes:
    """Which card was offered as the replacement."""
    yield c.ReplacementRead(facts.subject, drawn_face(facts))


def seal_card(facts: Facts) -> Changes:
    """The replacement takes the damaged card's place; and the envelope is sealed."""
    incident = facts.state.incidents[facts.subject]
    target = incident.place if incident.place is not Place.MACHINE else _where_out(facts)
    yield c.Booked(Place.RESERVE, target, 1, "replacement", incident.face)
    if isinstance(facts.event, Acted):
        yield c.Sealed(facts.subject, facts.event.value, facts.event.person)


def seal_without_replacement(facts: Facts) -> Changes:
    """No replacement was found: the damaged card is sealed all the same, and its set is a card short."""
    if isinstance(facts.event, Acted):
        yield c.Sealed(facts.subject, facts.event.value, facts.event.person)


def _where_out(facts: Facts) -> Place:
    """Where a replacement for a card of the machine lies: it goes in with the next cards that do."""
    if facts.state.account.at(Place.UNLOADED):
        return Place.UNLOADED
    return Place.OUTSIDE if facts.state.account.at(Place.OUTSIDE) or not facts.state.opened else Place.DISCARD


def raise_lid_opened(facts: Facts) -> Changes:
    """The lid was opened though it was not released."""
    if isinstance(facts.event, Told):
        yield c.Raised(IncidentKind.LID_OPENED, facts.event.device, LID_FORCED)


def retire_machine(facts: Facts) -> Changes:
    """The machine opens no session until it is returned to service (SB-4)."""
    machine = facts.state.machine
    if machine is not None and isinstance(facts.event, Acted):
        yield c.MachineRetired(machine.told.name, facts.event.person)
        if facts.state.session in ROUND_RUNS and not facts.state.round_void:
            detail = f"{machine.told.name} was given up within round {len(facts.state.rounds)}"
            yield c.Raised(IncidentKind.ROUND_CUT, "", detail)


def decide_round(facts: Facts) -> Changes:
    """The round is settled with the cards that lie there, or it is void and its bets are as the book has it."""
    if isinstance(facts.event, Acted) and facts.event.value == ROUND_VOID:
        yield c.RoundVoided(facts.subject, facts.book.clause_of("after_error.bets_of_void_round"))


def note_checked(facts: Facts) -> Changes:
    """The technician looked at the device that stands there now."""
    device = facts.state.devices[facts.state.incidents[facts.subject].about]
    yield c.DeviceChecked(facts.subject, device.told, person_of(facts))


def approve_device(facts: Facts) -> Changes:
    """The device is the table's from now on."""
    incident = facts.state.incidents[facts.subject]
    told = facts.state.devices[incident.about].told  # in this connection the technician saw it, and no other
    yield c.DeviceApproved(incident.about, told, incident.checked_by, person_of(facts))


# ---- the set


def mark_deck(facts: Facts) -> Changes:
    """The deck is marked imperfect."""
    if isinstance(facts.event, Acted):
        yield c.SetMarked(facts.event.value, 0)


def authorise_deck(facts: Facts) -> Changes:
    """The inspectorate's authorisation, by its reference."""
    if isinstance(facts.event, Acted):
        yield c.SetMarked(0, facts.event.value)


def replace_deck(facts: Facts) -> Changes:
    """One deck was replaced."""
    if isinstance(facts.event, Acted):
        yield c.DeckCleared(facts.event.value)


def clear_marks(facts: Facts) -> Changes:
    """The whole set was replaced."""
    del facts
    yield c.DeckCleared(0)
