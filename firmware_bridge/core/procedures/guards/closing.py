"""What a row may ask while the table closes, and of the set."""

from __future__ import annotations

from drivers.cards import DECK_SIZE
from drivers.protocol.messages import Kind
from firmware_bridge.core import outputs
from firmware_bridge.core.events import Acted
from firmware_bridge.core.machine import Facts, Refusal
from firmware_bridge.core.procedures.reading import deck_under_way, judge
from firmware_bridge.core.sets import in_shoe, machine_says_cards_are_inside, pack_in_shoe
from firmware_bridge.core.words import ENDS, CardSet, Place


def last_card_is_out(facts: Facts) -> Refusal | None:
    """Fires with the card after which, by the books or by the machine's word, nothing is inside any more."""
    state, machine = facts.state, facts.state.machine
    if state.inside == 1 or (machine is not None and machine.feed_empty and state.account.at(Place.SHOE) == 1):
        return None
    return Refusal("SB-4", f"{state.inside} cards are inside")


def trays_are_empty(facts: Facts) -> Refusal | None:
    """A machine with cards in its tray is not empty (SB-4)."""
    for name, device in facts.state.devices.items():
        if device.tray_occupied:
            return Refusal("SB-4", f"cards lie in the tray of {name}: take them out, they are sorted with the rest")
    return None


def was_counted_empty(facts: Facts) -> Refusal | None:
    """The last full count found nothing, and no card went in since (SB-4)."""
    state = facts.state
    if outputs.counted_empty(state) or state.out_of_service:
        return None  # one out of service counts no more: it was emptied by hand, and the look is all there is
    return Refusal("SB-4", "the machine was not counted empty, or a card went in since: it is counted again first")


def machine_tells_of_no_card(facts: Facts) -> Refusal | None:
    """No look and no signature stands against a machine that answers and says that cards are inside (SB-4)."""
    if not machine_says_cards_are_inside(facts.state):
        return None
    return Refusal("SB-4", "the machine says that cards are inside: release its lid, look into it and take them out")


def machine_tells_of_cards(facts: Facts) -> Refusal | None:
    """Fires where the machine answers, and says that cards are inside (SB-4)."""
    if machine_says_cards_are_inside(facts.state):
        return None
    return Refusal("SB-4", "the machine was looked into and says of no card inside")


def nothing_is_held_back(facts: Facts) -> Refusal | None:
    """A count that found cards is not made again by itself, as often as the machine says that it can feed no more."""
    if not outputs.holds_cards_back(facts.state):
        return None
    return Refusal("SB-4", "the machine counted cards and feeds none: they are taken out under its lid")


def cards_are_held_back(facts: Facts) -> Refusal | None:
    """Fires where the machine counted cards that it does not feed."""
    if outputs.holds_cards_back(facts.state):
        return None
    return Refusal("SB-4", "the machine feeds its cards: they are drawn, and no hand is under its lid")


def nothing_in_shoe(facts: Facts) -> Refusal | None:
    """Fires where the shoe holds no card by the books."""
    cards = in_shoe(facts.state)
    if not cards:
        return None
    return Refusal(
        "SB-4", f"by the books {cards} cards are in the shoe: draw them, or look into it and confirm it empty"
    )


def no_pack_in_shoe(facts: Facts) -> Refusal | None:
    """No machine is empty while a pack of its cards lies in a shoe that stands by itself (SB-4)."""
    return nothing_in_shoe(facts) if pack_in_shoe(facts.state) else None


def a_card_lies_in_shoe(facts: Facts) -> Refusal | None:
    """The shoe is looked into for what the books still have there (SB-4)."""
    if in_shoe(facts.state):
        return None
    return Refusal("SB-4", "by the books nothing is in the shoe")


def load_was_right(facts: Facts) -> Refusal | None:
    """Fires where the session had opened on a full and right load."""
    if facts.state.opened:
        return None
    return Refusal("PT-A5", "the session did not open")


def shoe_reads(facts: Facts) -> Refusal | None:
    """The shoe has a reader."""
    if facts.state.shoe_reads:
        return None
    return Refusal(
        "closing.sort_decks", "this shoe has no reader: the supervisor confirms the deck by eye, and the report says so"
    )


def shoe_cannot_read(facts: Facts) -> Refusal | None:
    """A deck is confirmed by eye only where no reader can do it."""
    if shoe_reads(facts) is not None:
        return None
    return Refusal("closing.sort_decks", "the shoe reads faces: the deck goes through its reader")


def deck_is_in_tray(facts: Facts) -> Refusal | None:
    """The sorted deck lies in the shoe's own tray."""
    shoe = facts.state.device_of(Kind.SHOE)
    if shoe is not None and shoe.tray_occupied:
        return None
    return Refusal("closing.sort_decks", "the shoe's tray is empty: lay the sorted deck into it, then press yes")


def more_decks_to_read(facts: Facts) -> Refusal | None:
    """Fires while cards of the set are unread, this deck apart."""
    if facts.state.cards_at(Place.UNLOADED) > 0:
        return None
    return Refusal("closing.sort_decks", "all cards are verified")


def cards_are_counted(facts: Facts) -> Refusal | None:
    """Whoever confirms a deck by eye has counted it, and says how many cards it has (PT-A6)."""
    if isinstance(facts.event, Acted) and 0 < facts.event.value <= facts.state.account.cards:
        return None
    return Refusal("closing.sort_decks", "count the deck, and type how many cards it has")


def more_decks_to_count(facts: Facts) -> Refusal | None:
    """Fires while a deck of the set comes after the one that is confirmed by eye."""
    if deck_under_way(facts) < facts.state.all_decks:
        return None
    return Refusal("closing.sort_decks", "all decks are counted")


def all_decks_regular(facts: Facts) -> Refusal | None:
    """Fires where this deck and all before it are regular, and the books agree (PT-A6)."""
    state = facts.state
    this = judge(facts)
    regular = all(deck.regular for deck in state.decks_read) and not (this.missing or this.over or this.unread)
    if regular and deck_under_way(facts) == state.all_decks and state.cards_at(Place.OVER) == 0:
        return None
    return Refusal("closing.sort_decks", "the decks are not regular")


def all_confirmed_by_eye(facts: Facts) -> Refusal | None:
    """Fires where each deck is full by a person's count, and together they are what came out of the machine."""
    state = facts.state
    counts = [
        *(deck.cards for deck in state.decks_read),
        facts.event.value if isinstance(facts.event, Acted) else 0,
    ]
    regular = all(deck.regular for deck in state.decks_read) and counts == [DECK_SIZE] * state.all_decks
    if regular and state.cards_at(Place.UNLOADED) == DECK_SIZE and state.cards_at(Place.OVER) == 0:
        return None
    return Refusal(
        "closing.sort_decks", f"{sum(counts)} cards were counted by eye; the decks are not full, or not what came out"
    )


def no_open_incident(facts: Facts) -> Refusal | None:
    """What is open is confirmed before the session's result is signed (SB-2)."""
    if not facts.state.incidents:
        return None
    numbers = ", ".join(str(number) for number in facts.state.incidents)
    return Refusal("SB-2", f"incident {numbers} is open: it is confirmed before the result is signed")


def about_a_deck(facts: Facts) -> Refusal | None:
    """The step names one of the table's decks."""
    if isinstance(facts.event, Acted) and 1 <= facts.event.value <= facts.state.all_decks:
        return None
    return Refusal("PT-E4", f"name the deck: 1 to {facts.state.all_decks}")


def deck_is_marked(facts: Facts) -> Refusal | None:
    """The step names a deck that is marked imperfect."""
    marked = facts.state.imperfect_decks
    if isinstance(facts.event, Acted) and facts.event.value in marked:
        return None
    return Refusal("PT-E4", f"name the deck that was replaced: {' or '.join(map(str, marked))}")


def others_are_marked(facts: Facts) -> Refusal | None:
    """Fires while another deck than the one replaced is marked."""
    if len(facts.state.imperfect_decks) > 1:
        return None
    return Refusal("PT-E4", "no other deck is marked imperfect")


def has_reference(facts: Facts) -> Refusal | None:
    """The step names the authorisation's reference."""
    if isinstance(facts.event, Acted) and facts.event.value > 0:
        return None
    return Refusal("PT-E4", "the inspectorate's authorisation has a reference: type its number")


def between_sessions(facts: Facts) -> Refusal | None:
    """Decks are replaced between sessions only (PT-E4)."""
    if facts.state.session in ENDS:
        return None
    return Refusal("PT-E4", "a session is under way: the deck is replaced before the next one")


def set_may_open(facts: Facts) -> Refusal | None:
    """A barred set, or one with a deck marked imperfect and no authorisation, opens no session (PT-E4, PT-A6)."""
    if outputs.set_may_open(facts.state, facts.book):
        return None
    if facts.state.card_set is CardSet.BARRED:
        return Refusal("SB-2", "this set was closed with a difference: the room manager replaces the set first")
    deck = ", ".join(map(str, facts.state.imperfect_decks))
    return Refusal("PT-E4", f"deck {deck} is marked imperfect: replace it, or the room manager names the authorisation")
