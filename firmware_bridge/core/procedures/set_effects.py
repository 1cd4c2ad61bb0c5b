"""What a row of a set's course writes down when it fires: the set laid in, counted, shuffled, in the shoe, out again."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.protocol.batch import PackOut
from drivers.protocol.messages import Operation
from firmware_bridge.core import changes as c
from firmware_bridge.core.accounts import AT_THE_DOOR, BY_HAND, OUT
from firmware_bridge.core.events import Told
from firmware_bridge.core.machine import Facts
from firmware_bridge.core.procedures.effects import Changes, all_of, order
from firmware_bridge.core.procedures.reading import drawn_face
from firmware_bridge.core.reports import left_the_shoe
from firmware_bridge.core.sets import counted, crossed, in_hands, why_not_whole
from firmware_bridge.core.state import SetOfCards, course_of
from firmware_bridge.core.words import IncidentKind, Place


def _cards(facts: Facts) -> SetOfCards:
    return facts.state.sets[facts.set]


def order_cycle(facts: Facts) -> Changes:
    """Order the machine to shuffle what lies in its tray, in as many passes as its make needs."""
    return order(facts, Operation.SHUFFLE, course_of(facts.set))


def lay_in(facts: Facts) -> Changes:
    """A cycle began: the whole set is in the machine, and nothing of it is counted yet."""
    yield c.LaidIn(set=facts.set)
    yield from all_of(facts, (Place.OUTSIDE, *OUT), Place.MACHINE, "laid in")


def set_shuffled(facts: Facts) -> Changes:
    """The set was counted whole and shuffled; the first time in a session, the session is open on it."""
    cards = _cards(facts)
    expected = cards.account.at(Place.MACHINE)
    yield c.FullCount(expected, expected, set=facts.set)
    yield c.SetShuffled(set=facts.set)
    if not facts.state.opened:
        yield c.Opened(cards.account.cards)


def cycle_differs(facts: Facts) -> Changes:
    """What the cycle counted or read is not the set: nothing of it is believed, nor any count of the other set (SB-6)."""
    state, cards = facts.state, _cards(facts)
    expected, found = cards.account.at(Place.MACHINE), counted(cards)
    if found != expected:
        yield c.FullCount(found, expected, set=facts.set)
    detail = why_not_whole(cards)
    for other in state.others(facts.set):
        moved = "" if state.sets[other].counts_trusted else crossed(cards, state.sets[other])
        if moved:
            detail += f"; set {other} is wrong by as much: {moved} likely crossed from the one to the other"
    about = f"set {facts.set}" if facts.set else ""
    if all((one.kind, one.about) != (IncidentKind.COUNT_MISMATCH, about) for one in state.incidents.values()):
        yield c.Raised(IncidentKind.COUNT_MISMATCH, about, detail)


def book_into_shoe(facts: Facts) -> Changes:
    """The pack left for the shoe; a machine that says another number than it counted is believed neither way."""
    expected = _cards(facts).account.at(Place.MACHINE)
    yield from all_of(facts, (Place.MACHINE,), Place.SHOE, "handed to the shoe")
    yield c.ShoeFilled(expected, one_player=False)
    if isinstance(facts.event, Told) and isinstance(facts.event.body, PackOut) and facts.event.body.cards != expected:
        detail = f"{facts.event.body.cards} cards went to the shoe, says the machine; the books say {expected}"
        yield c.Raised(IncidentKind.COUNT_MISMATCH, "", detail)


def book_out(facts: Facts) -> Changes:
    """The pack came out at the machine's door, into hands."""
    return all_of(facts, (Place.MACHINE,), in_hands(facts.state, facts.set), AT_THE_DOOR)


def gather(facts: Facts) -> Changes:
    """The round's cards go to the discard, and stay there until the set is shuffled."""
    return all_of(facts, (Place.TABLE,), Place.DISCARD, "gathered")


def book_drawn_out(facts: Facts) -> Changes:
    """A card that was not dealt came out of the shoe: it waits in the discard, to be shuffled with the rest."""
    yield c.Booked(Place.SHOE, Place.DISCARD, 1, "drawn out", drawn_face(facts), set=facts.set)


def empty_shoe(facts: Facts) -> Changes:
    """Somebody looked into the shoe and took out what was left there: the verification tells what it was (SB-4)."""
    for name, cards in facts.state.sets.items():
        held = cards.account.at(Place.SHOE)
        if held > 0:
            for entry in left_the_shoe(cards.account, Place.UNLOADED, held, BY_HAND):
                yield replace(entry, set=name)


def put_away(facts: Facts) -> Changes:
    """A set that is played no more leaves the discard, for the other one's cards (SB-6)."""
    return all_of(facts, OUT, Place.OUTSIDE, "put away")


def book_taken(facts: Facts) -> Changes:
    """Hands took the pack out of the output, which nothing asked for: who knows whether it was all (SB-7)."""
    yield from all_of(facts, (Place.MACHINE,), in_hands(facts.state, facts.set), "taken out by hand, unasked")
    yield c.Raised(IncidentKind.UNEXPECTED_CARD, "", "the pack was taken out of the machine by hand, unasked")
