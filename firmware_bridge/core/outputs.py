"""What the devices should do, as levels that follow from the state; and why cards may not be dealt, if they may not."""

from __future__ import annotations

from msgspec import Struct

from drivers.cards import DECK_SIZE
from drivers.protocol.messages import Capability, Kind, Lamp, Purpose
from firmware_bridge.core.accounts import LYING
from firmware_bridge.core.alarms import READ_IN_PLAY, SECOND, may_be_counted, next_call
from firmware_bridge.core.dealing import first_cards_wait
from firmware_bridge.core.device_state import MACHINES, Device
from firmware_bridge.core.sets import awaits_a_cycle, cards_are_left_behind
from firmware_bridge.core.shoe import warning_card_is_used
from firmware_bridge.core.state import State
from firmware_bridge.core.words import ABOUT_THE_MACHINE, CardSet, Claim, Course, Incident, IncidentKind, Place, Session
from firmware_bridge.rulebooks.schema import RuleBook

DEALING = frozenset({Session.READY, Session.IN_ROUND})
WITHOUT_THE_MACHINE = frozenset({Session.AWAITING_DECK, Session.READING_DECK})
"""States in which only the shoe has work: the machine was proven empty, or emptied."""

NOT_BLOCKING = frozenset(
    {
        IncidentKind.SUPERVISOR_CALLED,
        IncidentKind.DISK_LOW,
        IncidentKind.SEQUENCE_WARNING,
        IncidentKind.SPECIAL_CARD,
    }
)
"""Incidents beside which dealing goes on."""

AWAITS_A_CYCLE = frozenset({Incident.CLEARED, Incident.COUNTING, Incident.COUNT_DIFFERS, Incident.SHUFFLING})
"""States of these in which a batch shuffler may shuffle a set: hands are off it, and its next count is awaited."""

WANTS_EVERY_CARD = frozenset({IncidentKind.SPILL, IncidentKind.SEQUENCE})
"""Incidents for which all cards go into the machine before it counts; nobody is sent under its lid."""

ABOUT_AN_OPEN_CARD = READ_IN_PLAY | {IncidentKind.FOREIGN_CARD}
"""Incidents about a card that lies open among others: once in the machine nobody would find it."""

OPENS_THE_LID = frozenset({Incident.LID_RELEASED, Incident.LID_OPEN, Incident.WITH_TECHNICIAN})
"""States of an incident in which a supervisor has released the lid."""


AT_THE_READER = frozenset({Incident.READING_REPLACEMENT, Incident.READING_AGAIN})
"""States of an incident in which cards of the shoe's own tray pass the reader."""

PATH_IS_BLOCKED = ("PT-A2", "a card is stuck in the machine: clear it first")
CLOSES_OVER_IT = ("SB-7", "the table is not played: every card is read at the verification")
LID_IS_OPEN = ("PT-A2", "the lid stands open: close it first")

SHOE_ROOM = 1
"""Cards that lie in a docked shoe at most: the one at its mouth."""

HAS_KEYS = Capability.HAS_DEALER_KEYS | Capability.SENDS_STROKES


class Reason(Struct, frozen=True):
    """One reason why cards may not be dealt: the clause or SB rule, and what it is about (for the view to word)."""

    clause: str
    about: str
    detail: str = ""


class Wanted(Struct, frozen=True):
    """What one device should do now. ``release`` None: held. A level that it does not have stays at rest."""

    release: Purpose | None = None
    lamp: Lamp = Lamp.OFF
    lid_unlocked: bool = False
    intake_open: bool = False
    prompt: int = 0


def why_not_deal(state: State) -> tuple[Reason, ...]:
    """All reasons why dealing is held; none means released (SB-1). Unknown is never ready."""
    reasons = why_held(state)
    if state.takes_whole_sets and state.session in DEALING and not state.sets_at(Course.IN_SHOE):
        reasons.append(Reason("SB-5", "set", state.course(state.playing)))
    elif state.session in DEALING:
        if state.fed_by_hand and state.session is Session.READY and state.account.at(Place.SHOE) <= 0:
            reasons.append(Reason("SB-1", "empty"))
        if state.takes_whole_sets and state.session is Session.READY and state.shoe.marked_at:
            reasons.append(Reason("PT-S6", "last_round"))
        reasons += [
            Reason("SB-6", "discard", name) for name in state.others(state.playing) if state.sets[name].account.out > 0
        ]
    return tuple(reasons)


def why_held(state: State) -> list[Reason]:
    """All reasons why nothing may go on, wherever the cards are."""
    reasons = []
    if state.session not in DEALING:
        reasons.append(Reason("SB-1", "session", state.session))
    reasons += [Reason("SB-1", "device", name) for name, device in state.devices.items() if not device.is_heard]
    if state.claim is Claim.OPEN:
        reasons.append(Reason("SB-8", "claim"))
    if state.dealer == 0 and state.under_way:
        reasons.append(Reason("SB-3", "dealer"))
    for number, incident in state.incidents.items():
        if incident.kind not in NOT_BLOCKING:
            reasons.append(Reason("SB-2", "incident", str(number)))
    if not state.counts_trusted:
        reasons.append(Reason("SB-7", "counts"))
    if any(cards.account.at(place) != 0 for cards in state.sets.values() for place in (Place.OVER, Place.MISSING)):
        reasons.append(Reason("SB-1", "books"))
    if first_cards_wait(state):
        reasons.append(Reason("PT-D1", "deal"))
    if state.shuffle_due:
        reasons.append(Reason(state.round_void, "void", str(len(state.rounds))))
    return reasons


def desired(state: State, book: RuleBook) -> dict[str, Wanted]:
    """Return what each device of the table should do."""
    release, lamp = purpose(state), _lamp(state)
    wanted = {}
    for name, device in state.devices.items():
        wanted[name] = Wanted(
            release=_release_of(state, device, release),
            lamp=lamp,
            lid_unlocked=device.kind in MACHINES and _lid_unlocked(state),
            intake_open=device.kind in MACHINES and intake_open(state, book),
            prompt=state.prompt if device.capabilities & HAS_KEYS else 0,
        )
    return wanted


def due(state: State, book: RuleBook) -> dict[str, int]:
    """Return all deadlines that follow from the state, in nanoseconds of table time."""
    deadlines = {}
    if state.session in (Session.LOADING_PACK, Session.UNLOADING):
        deadlines["presence"] = state.present_at + book.house.presence_interval_s * SECOND
    if state.order is not None:
        deadlines["order"] = state.order.since + book.house.inventory_time_s * SECOND
    for person, since in state.locked_out.items():
        deadlines[f"lock_out/{person}"] = since + book.house.lock_out_s * SECOND
    for number, incident in state.incidents.items():
        if (call := next_call(incident, book.house)) is not None:
            deadlines[f"call/{number}"] = call[1]
    if "return" in state.timers:
        deadlines["return"] = state.timers["return"] + book.house.return_window_s * SECOND
    if "split" in state.timers:
        deadlines["split"] = state.timers["split"] + book.house.split_lag_s * SECOND
    for name, device in state.devices.items():
        if state.session in DEALING and device.can(Capability.SEND_ONLY) and device.is_heard:
            deadlines[f"silence/{name}"] = device.heard_at + book.house.unheard_limit_s * SECOND
    return deadlines


def cards_are_awaited(state: State, book: RuleBook) -> bool:
    """Whether a round's cards should come back now: some are out, nothing hinders them, and none is missed yet."""
    machine = state.machine
    return (
        state.session is Session.RETURNING
        and (book.rounds.discards_return_after_each or state.round_void != "")
        and state.account.out > 0
        and state.claim is Claim.NONE
        and machine_takes(state)
        and machine is not None
        and not machine.tray_occupied
        and not state.card_is_missing
        and not cards_stay_out(state)
    )


def _is_out_of_service(state: State, device: Device) -> bool:
    """The machine is dead and everybody knows: what remains to be done is done without it."""
    not_needed = state.out_of_service or state.session in WITHOUT_THE_MACHINE
    return device.kind in MACHINES and not_needed


def purpose(state: State) -> Purpose | None:
    """What cards may leave for now: to be dealt, unloaded, verified; None: nothing may."""
    if not why_not_deal(state):
        return Purpose.DEAL
    if not all(device.is_there or _is_out_of_service(state, device) for device in state.devices.values()):
        return None
    if state.session is Session.UNLOADING and may_be_emptied(state):
        return Purpose.UNLOAD
    reads = any(incident.state in AT_THE_READER for incident in state.incidents.values())
    if state.session is Session.READING_DECK or reads:  # a card at the reader before those that only come out
        return Purpose.VERIFY
    return Purpose.UNLOAD if _leaves_the_shoe(state) else None


def cards_stay_out(state: State) -> bool:
    """An incident is about a card that lies open: nothing that is out goes in before it was read again, or sealed."""
    return state.account.out > 0 and _is_about_an_open_card(state)


def _is_about_an_open_card(state: State) -> bool:
    unsettled = (one for one in state.incidents.values() if one.state in (Incident.RAISED, Incident.READING_AGAIN))
    return any(one.kind in ABOUT_AN_OPEN_CARD for one in unsettled)


def cards_lie_open(state: State) -> bool:
    """Whether any card lies where a hand can take it out."""
    return any(state.account.at(place) > 0 for place in LYING)


def tray_takes_what_is_out(state: State) -> bool:
    """Whether all that is out can be laid into the shoe's own tray, which takes a deck, to pass its reader again."""
    return state.account.out <= DECK_SIZE


def machine_takes(state: State) -> bool:
    """Whether the machine takes cards now: there and in service, by its own word, and nothing in it is unsettled."""
    machine = state.machine
    if machine is None or state.out_of_service:
        return False
    return machine.is_there and machine.takes_cards and machine_is_sound(state)


def machine_refuses(state: State) -> bool:
    """Whether the machine takes no card, by its own word or for good: one that is only silent says nothing (PT-A11)."""
    is_there = state.machine is not None and state.machine.is_there
    return state.out_of_service or (is_there and not machine_takes(state))


def cards_may_stay(state: State, book: RuleBook) -> bool:
    """Whether a round's cards may be left in the discard: the machine takes none (PT-A11), or they need not go back."""
    rounds = book.rounds
    may = not rounds.discards_return_after_each or (rounds.may_leave_in_discard and machine_refuses(state))
    return may and not state.round_void


def may_close_over_round(state: State) -> bool:
    """Whether a table may close over its round's cards: none is out, they are missed, or the machine takes none."""
    missed = state.card_is_missing or cards_stay_out(state)
    return state.account.out == 0 or missed or machine_refuses(state)


def burn_due(state: State, book: RuleBook) -> bool:
    """Whether the next card is burned: so many before the first round, and perhaps one before each later one."""
    later, burn = state.round_of_shoe > 0, book.burn
    first = burn.cards_with_shoe(state.decks) if state.fed_by_hand else burn.cards_with_shuffler(state.decks)
    return state.burned < (int(burn.before_each_later_round) if later else first)


def shoe_is_used_up(state: State) -> bool:
    """Whether no other round may begin with a shoe filled by hand: the last one has come, or none can be dealt."""
    return state.shoe.marked_at != 0 or state.account.at(Place.SHOE) <= 0 or state.shuffle_due


def mark_goes_unseen(state: State, book: RuleBook) -> bool:
    """Whether a shoe that people fill could not tell its warning card: it is there, and reads no face (PT-S4)."""
    shoe = state.device_of(Kind.SHOE)
    is_there = state.fed_by_hand and shoe is not None and shoe.is_there
    return is_there and not state.shoe_reads and warning_card_is_used(book, state.decks)


def needs_a_new_shoe(state: State) -> bool:
    """Whether all cards of a shoe filled by hand are to be counted, or shuffled, before play goes on."""
    waits = any(awaits_a_cycle(state, one) for one in state.incidents.values())
    return waits or not state.counts_trusted or shoe_is_used_up(state)


def may_wish_a_shuffle(state: State, book: RuleBook) -> bool:
    """Whether the dealer may have all cards shuffled: the book leaves it to him, and none is due anyway (MO-2e)."""
    is_between = state.session is Session.READY and bool(state.rounds) and not state.has_box  # that is shuffled anyway
    return book.shuffle.at_dealers_wish and is_between and not state.shuffle_due


def set_may_open(state: State, book: RuleBook) -> bool:
    """Whether a table may open on this set: none of it is marked, or it is authorised, or the book asks for no word."""
    if state.card_set is CardSet.IMPERFECT:
        return not book.decks.imperfect_needs_authorisation
    return state.card_set is not CardSet.BARRED


def why_machine_waits(state: State) -> tuple[str, str] | None:
    """Why the machine can neither count nor shuffle now, by clause and in words; None: it can, or people do it."""
    if state.fed_by_hand:
        return None if may_be_counted(state) else CLOSES_OVER_IT
    if state.machine is None or not state.machine.is_there:
        return "SB-1", "the shuffler is not connected: connect it, or call the technician"
    if state.order is not None or state.sets_at(Course.IN_CYCLE):
        return "SB-7", "the machine is counting or shuffling: wait until it has finished"
    if any(device.jammed for device in state.devices.values()):
        return PATH_IS_BLOCKED
    return LID_IS_OPEN if any(device.lid_open for device in state.devices.values()) else None


def cards_untold(state: State) -> int:
    """Cards that the machine fed, and that can lie in the shoe no more: one that told all that it kept told of none."""
    shoe = state.device_of(Kind.SHOE)
    if shoe is None or not shoe.is_there or not state.takes_single_cards:
        return 0  # such a shoe holds a whole pack
    account = state.account  # never more than are inside: the machine's own part may be below zero
    return max(0, min(account.at(Place.SHOE) - SHOE_ROOM, account.inside))


def counted_empty(state: State) -> bool:
    """The last full count found nothing, and by the books no card went in since (SB-4)."""
    cards, filled_at = state.played, max(one.filled_at for one in state.sets.values())
    return cards.last_count is not None and cards.last_count[0] == 0 and filled_at < cards.counted_at


def holds_cards_back(state: State) -> bool:
    """The last full count found cards that the machine, drawn empty by the books, does not feed: hands must."""
    found, expected = state.played.last_count or (0, 0)
    machine = state.machine
    feeds_none = state.inside <= 0 and machine is not None and machine.feed_empty
    return found > 0 and expected == 0 and feeds_none


def every_card_is_wanted(state: State) -> bool:
    """An incident wants every card and some are out: they go into the machine first, then it counts all (BR-004)."""
    raised = (one for one in state.incidents.values() if one.kind in WANTS_EVERY_CARD)
    return state.account.out > 0 and any(one.state is Incident.RAISED for one in raised)


def why_not_approved(state: State, name: str) -> str:
    """How a device differs from what it was approved as, in words; empty where it does not (SB-10)."""
    device = state.devices[name]
    approved = state.approved.get(device.kind)
    return "no device of this kind was ever approved" if approved is None else device.told.unlike(approved)


def unapproved(state: State) -> dict[str, str]:
    """The devices that stand where another one was approved, each with how it differs, in words."""
    names = [name for name, device in state.devices.items() if device.is_there and device.kind in state.approved]
    return {name: how for name in names if (how := why_not_approved(state, name))}


def machine_is_sound(state: State) -> bool:
    """Nothing is stuck in the machine, nobody is in it, and nothing that touched its cards is unsettled."""
    return all(one.state is Incident.CLEARED for one in state.incidents.values() if one.kind in ABOUT_THE_MACHINE)


def may_be_emptied(state: State) -> bool:
    """As sound; or its count differs, which the verification settles; or out of service, but for the shoe's mouth."""
    settled = (Incident.CLEARED, Incident.COUNT_DIFFERS, Incident.OUT_OF_SERVICE)
    return all(one.state in settled for one in state.incidents.values() if one.kind in ABOUT_THE_MACHINE)


def _lid_unlocked(state: State) -> bool:
    released = state.session in (Session.LID_RELEASED, Session.LID_OPEN)
    if not state.under_way and any(device.jammed for device in state.devices.values()):
        return True  # no session, no cards to guard: whoever mends it may
    return released or any(incident.state in OPENS_THE_LID for incident in state.incidents.values())


def order_is_touched(state: State) -> bool:
    """Something is, or was, at the machine's cards, and nobody has dealt with it yet: their order is not believed."""
    return any(one.kind in ABOUT_THE_MACHINE and one.state not in AWAITS_A_CYCLE for one in state.incidents.values())


def _leaves_the_shoe(state: State) -> bool:
    """What the shoe still holds of a set is drawn out between rounds, to be shuffled with the rest."""
    if state.session is Session.EMPTYING_SHOE:
        return state.claim is Claim.NONE and not _is_about_an_open_card(state)
    comes_out = state.course(state.playing) is Course.COMING_OUT
    return state.session is Session.READY and comes_out and state.account.at(Place.SHOE) > 0


def _release_of_batch(state: State, release: Purpose | None) -> Purpose | None:
    """A batch shuffler lets out what comes out at its door, and to an empty shoe only a set that is shuffled (SB-5)."""
    if state.session not in DEALING:
        return release if release is Purpose.UNLOAD else None
    leaving = (state.sets[name].account.at(Place.MACHINE) > 0 for name in state.sets_at(Course.COMING_OUT))
    if any(leaving) or cards_are_left_behind(state):
        return None if order_is_touched(state) else Purpose.UNLOAD
    is_free = not state.sets_at(Course.IN_SHOE, Course.COMING_OUT)
    return Purpose.DEAL if is_free and state.sets_at(Course.SHUFFLED) and not why_held(state) else None


def _release_of(state: State, device: Device, release: Purpose | None) -> Purpose | None:
    if device.kind is Kind.BATCH_SHUFFLER:
        return _release_of_batch(state, release)
    if device.kind is Kind.SHOE or (device.kind in MACHINES and release is not Purpose.VERIFY):
        return release
    return None


def _lamp(state: State) -> Lamp:
    """The table's lamp: flashing while something is raised, steady while a supervisor is awaited."""
    if any(incident.state is not Incident.CLEARED for incident in state.incidents.values()):
        return Lamp.FLASHING
    calls_supervisor = state.session in (Session.ASKING_PRESENCE, Session.ASKING_UNLOAD_PRESENCE)
    if state.incidents or state.claim is Claim.OPEN or calls_supervisor:
        return Lamp.STEADY
    return Lamp.OFF


def intake_open(state: State, book: RuleBook) -> bool:
    """Open while a pack is loaded (up to its limit, where others must follow), and while a round's cards go back.

    That of a batch shuffler is open while a set that was named lies in its tray, or is in a cycle: shut, it stops.
    """
    if state.takes_whole_sets:
        return _cycle_may_run(state)
    if not all(device.is_there for device in state.devices.values()) or not machine_is_sound(state):
        return False
    if cards_stay_out(state):
        return False
    if state.session is Session.LOADING_PACK:
        if state.account.at(Place.OVER):
            return False
        stops_at = pack_limit(state, book)
        return stops_at is None or state.pack_cards < stops_at
    goes_back = state.session is Session.RETURNING or (state.session is Session.READY and every_card_is_wanted(state))
    return goes_back and state.claim is Claim.NONE


def _cycle_may_run(state: State) -> bool:
    is_there = state.machine is not None and state.machine.is_there
    asked = state.session in DEALING and state.sets_at(Course.IN_TRAY, Course.IN_CYCLE)
    return is_there and bool(asked) and not order_is_touched(state)


def pack_limit(state: State, book: RuleBook) -> int | None:
    """Cards at which the pack under way stops, so that those which must follow it find theirs (PT-A5).

    None where none must follow: what is over the set then goes in, and is found.
    """
    must_follow = book.loading.min_packs - len(state.packs) - 1
    if must_follow <= 0:
        return None
    return state.account.cards - sum(state.packs) - must_follow * book.house.min_pack
