"""Where the sets stand at a table with a batch shuffler, and what must be done with them by hand, in words."""

from __future__ import annotations

from drivers.cards import face_name
from firmware_bridge.core.sets import may_go_in, short_by
from firmware_bridge.core.state import State
from firmware_bridge.core.words import ENDS, IN_PLAY, Course, Place, Role, Session
from firmware_bridge.view.ask_line import AskLine, by_hand, wait
from firmware_bridge.view.phrases import cards, listed
from firmware_bridge.view.set_texts import (
    COUNTED_BOTH,
    COUNTED_ONE,
    COURSES,
    DRAW_OUT,
    LAY_SET_IN,
    LOOK_FOR,
    NAMED,
    SET,
    SHUFFLING,
    STANDS,
    THE_SET,
    WHICH,
)
from firmware_bridge.view.texts import PLACES, Hand


def set_words(state: State, name: str) -> str:
    """A set as people call it: by its number and its backs, where there are two."""
    backs = listed(dict.fromkeys(state.sets[name].backs))
    return SET.format(name=name, backs=backs) if name else THE_SET


def which_set(state: State) -> str:
    """How a step names its set, where there are two."""
    named = " or ".join(set_words(state, name).removeprefix("set ") for name in state.sets)
    return WHICH.format(sets=named) if len(state.sets) > 1 else ""


def set_stands(state: State) -> tuple[str, ...]:
    """Where each set stands, and how many of its cards lie where, at a table with a batch shuffler."""
    if not state.takes_whole_sets or state.session in ENDS:
        return ()
    return tuple(_stands(state, name) for name in state.sets)


def _stands(state: State, name: str) -> str:
    counts = [f"{PLACES[place]} {count}" for place, count in state.sets[name].account.shown.items()]
    places = f"; {', '.join(counts)}" if counts else ""
    return STANDS.format(set=set_words(state, name), course=COURSES[state.course(name)], places=places)


def set_lines(state: State) -> list[AskLine]:
    """A set is laid into the tray when it is in hands, drawn out of the shoe when it is taken out; nothing else."""
    if not state.takes_whole_sets or state.session in ENDS:
        return []
    is_dealt = bool(state.sets_at(Course.IN_SHOE))
    if state.sets_at(Course.IN_CYCLE) and not is_dealt:
        return [wait(SHUFFLING)]
    to_count_first = sorted(state.sets, key=lambda name: state.sets[name].counts_trusted)  # SB-6: both, before either
    lines = [line for name in to_count_first if (line := _lay_in(state, name)) is not None]
    return lines[:1] + _draw_out(state)


def look_for(state: State) -> list[AskLine]:
    """Where to look for what a set lacks, in which order; at a table that closes all cards are read (BR-014)."""
    if not state.takes_whole_sets or state.session not in IN_PLAY:
        return []
    short = {name: count for name in state.sets if (count := short_by(state.sets[name]))}
    return [by_hand(Role.DEALER, Hand.LOOK_FOR, _look_for(state, *one), one[1]) for one in short.items()]


def _look_for(state: State, name: str, count: int) -> str:
    read = state.sets[name].faces_read
    faces = listed(map(face_name, read.missing)) if read is not None and len(read.missing) == count else ""
    return LOOK_FOR.format(
        set=set_words(state, name),
        cards=cards(count),
        faces=NAMED.format(faces=faces) if faces else "",
        counted=COUNTED_BOTH if len(state.sets) > 1 else COUNTED_ONE,
    )


def _lay_in(state: State, name: str) -> AskLine | None:
    """Due for the set that leaves the discard to the other one, and for the first where none is in the shoe."""
    account, machine = state.sets[name].account, state.machine
    beside = state.session in IN_PLAY and name != state.playing and account.at(Place.TABLE) == 0
    may = state.session is Session.READY or beside
    if machine is None or machine.tray_occupied or not may or not may_go_in(state, name):
        return None
    count = account.at(Place.OUTSIDE) + account.out
    waits = account.out > 0 or not state.sets_at(Course.IN_SHOE, Course.SHUFFLED)
    text = LAY_SET_IN.format(set=set_words(state, name), cards=cards(count))
    return by_hand(Role.DEALER, Hand.PUT_CARDS_IN, text, count, waits)


def _draw_out(state: State) -> list[AskLine]:
    count = state.account.at(Place.SHOE)
    if state.course(state.playing) is not Course.COMING_OUT or count <= 0:
        return []
    return [by_hand(Role.DEALER, Hand.DRAW_CARDS, DRAW_OUT.format(cards=cards(count)), count)]
