"""What a row may ask of a set at a table with a batch shuffler, and of that machine."""

from __future__ import annotations

from drivers.protocol.batch import PackOut
from drivers.protocol.messages import Purpose
from firmware_bridge.core.events import Told
from firmware_bridge.core.machine import Facts, Guard, Refusal
from firmware_bridge.core.outputs import order_is_touched
from firmware_bridge.core.sets import is_in_the_machine, why_not_whole
from firmware_bridge.core.words import Course, Place, Session


def machine_takes_whole_sets(facts: Facts) -> Refusal | None:
    """Fires at a table with a batch shuffler."""
    if facts.state.takes_whole_sets:
        return None
    return Refusal("SB-5", "the machine of this table takes its cards one by one")


def machine_takes_single_cards(facts: Facts) -> Refusal | None:
    """A continuous shuffler alone counts and shuffles at any time what is in it."""
    if facts.state.takes_single_cards:
        return None
    if facts.state.fed_by_hand:
        return Refusal(
            "SB-5",
            "this table has no machine: its cards are counted as they come out of the shoe, and shuffled by hand",
        )
    return Refusal("SB-5", "this machine counts and shuffles a whole set: take the set out, then have it shuffled")


def tray_is_filled(facts: Facts) -> Refusal | None:
    """A cycle is of what lies in the tray."""
    machine = facts.state.machine
    if machine is not None and machine.tray_occupied:
        return None
    return Refusal("SB-5", "the machine's tray is empty: lay the whole set into it first")


def whole_set_is_in_hands(facts: Facts) -> Refusal | None:
    """No card of the set is in the shoe or on the table: it goes in whole, or it is not shuffled (SB-5)."""
    account = facts.state.sets[facts.set].account
    for place in (Place.SHOE, Place.TABLE):
        if account.at(place) > 0:
            return Refusal("SB-5", f"cards of the set are still on the {place.value}: {account.at(place)}")
    return None


def no_other_set_is_in_the_machine(facts: Facts) -> Refusal | None:
    """The machine holds one set at a time; what waits in its output to be dealt leaves it first (SB-6)."""
    for name in facts.state.others(facts.set):
        if is_in_the_machine(facts.state, name):
            return Refusal("SB-6", f"set {name} is in the machine: it comes out first")
    return None


def another_set_is_played(facts: Facts) -> Refusal | None:
    """Fires for the set that is not played with."""
    if facts.set != facts.state.playing:
        return None
    return Refusal("SB-5", "this set is played with: it is in the discard already, to be shuffled with the rest")


def it_lies_in_the_discard(facts: Facts) -> Refusal | None:
    """Fires while cards of the set are in the discard, or on the table."""
    if facts.state.sets[facts.set].account.out > 0:
        return None
    return Refusal("SB-5", "the set is in people's hands already")


def nobody_is_at_the_machine(facts: Facts) -> Refusal | None:
    """What touched the machine's cards is dealt with first (SB-9)."""
    if not order_is_touched(facts.state):
        return None
    return Refusal("SB-9", "an incident about the machine is open: its steps come first")


def no_round_runs(facts: Facts) -> Refusal | None:
    """The set that is played with is taken out between rounds."""
    if facts.state.session is Session.READY:
        return None
    return Refusal("SB-5", "a round is under way: it is ended first")


def set_is_whole(facts: Facts) -> Refusal | None:
    """The cycle just done counted, and read, exactly the set in every pass (SB-5, SB-7, PT-E2)."""
    why = why_not_whole(facts.state.sets[facts.set])
    return Refusal("SB-7", why) if why else None


def _let_out(purpose: Purpose) -> Guard:
    def guard(facts: Facts) -> Refusal | None:
        event = facts.event
        if isinstance(event, Told) and isinstance(event.body, PackOut) and event.body.purpose == purpose:
            return None
        return Refusal("SB-1", f"no release to {purpose.name.lower()} covers this pack")

    return guard


let_out_to_deal = _let_out(Purpose.DEAL)
let_out_to_unload = _let_out(Purpose.UNLOAD)


def it_is_in_the_machine(facts: Facts) -> Refusal | None:
    """Fires where the books have cards of the set in the machine."""
    if facts.state.sets[facts.set].account.at(Place.MACHINE) > 0:
        return None
    return Refusal("SB-4", "no card of the set is in the machine")


def a_set_leaves_the_shoe(facts: Facts) -> Refusal | None:
    """Fires while what the shoe still holds is drawn out, to be shuffled."""
    if facts.state.course(facts.state.playing) is Course.COMING_OUT:
        return None
    return Refusal("SB-1", "no set comes out of the shoe now")


def nothing_went_in(facts: Facts) -> Refusal | None:
    """Fires where no card of this session ever went into the machine: then there is nothing to empty (SB-4)."""
    if all(cards.filled_at <= facts.state.session_began for cards in facts.state.sets.values()):
        return None
    return Refusal("SB-4", "cards were in the machine: it is proven empty before the session ends")
