"""What must be done by hand with the set at a table with a batch shuffler, in words."""

from __future__ import annotations

from firmware_bridge.core.state import State
from firmware_bridge.core.words import ENDS, Course, Place, Role, Session
from firmware_bridge.view.ask_line import AskLine, by_hand, wait
from firmware_bridge.view.phrases import cards
from firmware_bridge.view.set_texts import DRAW_OUT, LAY_SET_IN, SHUFFLING
from firmware_bridge.view.texts import Hand


def set_lines(state: State) -> list[AskLine]:
    """The set is laid into the tray when it is in hands, drawn out of the shoe when it is taken out; nothing else."""
    course, account = state.course(state.playing), state.account
    if not state.takes_whole_sets or state.session in ENDS:
        return []
    if course is Course.IN_CYCLE:
        return [wait(SHUFFLING)]
    if state.session is not Session.READY:
        return []
    machine = state.machine
    if course is Course.OUT and machine is not None and not machine.tray_occupied:
        count = account.at(Place.OUTSIDE) + account.out
        return [by_hand(Role.DEALER, Hand.PUT_CARDS_IN, LAY_SET_IN.format(cards=cards(count)), count)]
    if course is Course.COMING_OUT and account.at(Place.SHOE) > 0:
        count = account.at(Place.SHOE)
        return [by_hand(Role.DEALER, Hand.DRAW_CARDS, DRAW_OUT.format(cards=cards(count)), count)]
    return []
