"""Invariant 9: someone can always do something. Tried on a copy: a fork of this process in which nothing goes wrong."""

from __future__ import annotations

import os
import sys
import traceback
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from drivers.cards import ALL_FACES
from firmware_bridge.service.inspection import Place, Session, State, why_not_deal
from sim_hardware.cards import Card
from sim_hardware.commands.evening import ENDS
from sim_hardware.commands.simulate.watch import ViolationError, booked_inside
from sim_hardware.commands.simulate.world import seconds
from sim_hardware.table import PhysicalTable

if TYPE_CHECKING:
    from sim_hardware.commands.simulate.shift import Shift

LONGEST = 30 * 60
"""Seconds of table time within which careful people end a session, whatever it was left in."""

ONE_IN = 4
"""Of the situations that are new in a shift, one in so many is tried, until the shift's share is used up."""

BEFORE_THE_COUNT = frozenset(
    {
        Session.SHOWING,
        Session.CHECKING_BACKS,
        Session.MIXING,
        Session.CUTTING,
        Session.AWAITING_PACK,
        Session.LOADING_PACK,
        Session.ASKING_PRESENCE,
        Session.COUNTING_LOAD,
    }
)
"""States in which it is not settled yet whether the load is right."""


class WayOut:
    """Tries from new situations of a shift whether careful people find a way out of them."""

    def __init__(self, shift: Shift) -> None:
        self.tried = 0
        self._shift = shift
        wanted = shift.settings.ways_out
        self._left = 1 + shift.settings.rounds // 100 if wanted is None else wanted
        self._rng = Random(f"way out {shift.settings.seed}")
        self._known: set[tuple[object, ...]] = set()

    def consider(self) -> None:
        """Try it, if dealing is held in a way that this shift has not seen yet. Raises ``ViolationError``."""
        state = self._shift.watch.state
        if not self._left or not state.under_way:
            return
        situation = self._situation(state)
        if situation in self._known:
            return
        self._known.add(situation)
        if why_not_deal(state) and self._rng.randrange(ONE_IN) == 0:
            self._left -= 1
            self.tried += 1
            if told := self.try_in_a_copy():
                raise ViolationError(9, f"from {state.session} there was no way out: {told}")

    def _situation(self, state: State) -> tuple[object, ...]:
        table = self._shift.world.physical
        incidents = tuple(sorted((one.kind, one.state) for one in state.incidents.values()))
        mechanism, shoe = table.mechanism, table.shoe_mechanism
        hands = mechanism.lid_open, mechanism.jam_place, bool(mechanism.intake_tray), bool(shoe.shoe_tray)
        return state.session, incidents, *hands, self._shift.world.running, frozenset(self._shift.world.unplugged)

    def try_in_a_copy(self) -> str:
        """Fork; the copy tells through a pipe what became of it: nothing, or what is wrong."""
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.write(writer, self._try().encode()[:60_000])
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            told = pipe.read().decode()
        os.waitpid(child, 0)
        return told

    def _try(self) -> str:
        try:
            return self.try_here()
        except ViolationError as violation:
            return str(violation)
        except BaseException:  # noqa: BLE001 - the copy has nobody else to tell
            return traceback.format_exc()

    def try_here(self) -> str:
        """Let careful people end the session from here on; return what is wrong with how it ended, or nothing."""
        shift, self._left = self._shift, 0
        before = shift.watch.state
        told = shift.world.physical.inside() == booked_inside(before.account.places)
        # a load that a sensor miscounted is wrong by the books (SB-7); a set that is shuffled whole is counted in play
        opens = before.session in BEFORE_THE_COUNT and told and not before.takes_whole_sets
        shift.evening.rounds = 0
        shift.calm()
        end = shift.world.ns + seconds(LONGEST)
        while shift.world.ns < end and not self._is_over():
            shift.world.play_until(shift.world.ns + seconds(1.0))
        state = shift.watch.state
        if not self._is_over():
            asks = "; ".join(f"{ask.role}: {ask.text}" for ask in shift.view().asks)
            return f"after {LONGEST} s of careful people it stands at {state.session}; asked: {asks}; {_open(state)}"
        return judged(state, opens, shift.world.physical, shift.evening.backs)

    def _is_over(self) -> bool:
        return self._shift.watch.state.session in ENDS and self._shift.world.running


def judged(state: State, opens: bool, table: PhysicalTable, backs: tuple[str, ...]) -> str:
    """Return why a session may not have ended so, or nothing. ``opens``: a whole set had to open it."""
    whole = is_whole(table, backs)
    if state.session is Session.CLOSED_WITH_DIFFERENCE and whole and not _sealed_by_word_alone(state, table):
        return "it closed with a difference, though every card of the set is there"
    if state.session is Session.VERIFIED and not is_whole(table, backs, table.added):
        return "it ended verified, though the set is not whole"
    if state.session is Session.NOT_OPENED and whole and opens:
        return "it did not open, though the load was right"
    return ""


def _sealed_by_word_alone(state: State, table: PhysicalTable) -> bool:
    """Whether what is over by the books was said to lie in an envelope, and lies with the set: the word was wrong."""
    apart = {id(card) for card in table.set_aside}
    lying = (*table.box, *table.on_table, *table.discard, *table.set_aside)
    by_word = state.account.at(Place.SET_ASIDE) - sum(card.damaged or id(card) in apart for card in lying)
    return 0 < by_word == state.account.at(Place.OVER)


def is_whole(table: PhysicalTable, backs: tuple[str, ...], over: int = 0) -> bool:
    """Whether the cards at the table are exactly the set: every face of every deck once, with its deck's back.

    ``over``: so many cards more than that may lie there.
    """
    lying = [*table.box, *table.on_table, *table.discard, *table.set_aside, *table.hidden_cards()]
    found = Counter((card.face, card.back) for card in lying if not _is_out_of_play(card))
    wanted = Counter((face, back) for back in backs for face in ALL_FACES)
    return not wanted - found and (found - wanted).total() <= over


def _is_out_of_play(card: Card) -> bool:
    return card.damaged


def _open(state: State) -> str:
    return "open: " + ", ".join(f"{number} {one.kind} {one.state}" for number, one in state.incidents.items())
