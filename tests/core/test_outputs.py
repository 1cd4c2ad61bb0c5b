"""Why cards may not be dealt: each reason on its own holds the table (SB-1)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from drivers.protocol.messages import Lamp, Purpose
from firmware_bridge.core.outputs import (
    NOT_BLOCKING,
    cards_are_awaited,
    counted_empty,
    desired,
    machine_takes,
    why_not_deal,
)
from firmware_bridge.core.state import OpenIncident, SetOfCards, State
from firmware_bridge.core.words import THE_ONLY, IncidentKind, Place, Session
from firmware_bridge.rulebooks.schema import RuleBook
from tests.table.evening import Evening


@pytest.fixture(scope="module")
def open_table() -> tuple[State, RuleBook]:
    evening = Evening()
    evening.open_and_load()
    return evening.state, evening.table.config.book


def _no_dealer(state: State) -> None:
    state.dealer = 0


def _over(state: State) -> None:
    state.account.places[Place.OVER] = 1


def _distrusted(state: State) -> None:
    state.played.counts_trusted = False


def _claim(state: State) -> None:
    state.positions["claim"] = "open"


def _session(state: State) -> None:
    state.positions["session"] = "returning"


def _link(state: State) -> None:
    state.devices["lamp"].open = False


def _behind(state: State) -> None:
    state.devices["keypad"].caught_up = False


def _incident(kind: IncidentKind) -> Callable[[State], None]:
    def change(state: State) -> None:
        state.incidents[9] = OpenIncident(kind, "", "", state.moment)

    return change


HOLDING = [kind for kind in IncidentKind if kind not in NOT_BLOCKING]


@pytest.mark.clause("SB-1", "SB-3", "SB-7", "SB-8")
@pytest.mark.parametrize(
    "change",
    [_no_dealer, _over, _distrusted, _claim, _session, _link, _behind, *(_incident(kind) for kind in HOLDING)],
)
def test_each_reason_alone_holds_the_table(open_table: tuple[State, RuleBook], change: Callable[[State], None]) -> None:
    state, book = _copy(open_table)
    assert not why_not_deal(state)
    assert desired(state, book)["shoe"].release is Purpose.DEAL
    change(state)
    assert why_not_deal(state)
    assert {wanted.release for wanted in desired(state, book).values()} == {None}


def test_a_call_of_the_supervisor_holds_nothing(open_table: tuple[State, RuleBook]) -> None:
    state, _ = _copy(open_table)
    _incident(IncidentKind.SUPERVISOR_CALLED)(state)
    assert not why_not_deal(state)


def _copy(table: tuple[State, RuleBook]) -> tuple[State, RuleBook]:
    plain = msgspec.to_builtins(table[0], str_keys=True)
    return msgspec.convert(plain, State, strict=False), table[1]


@pytest.mark.parametrize(
    ("change", "lamp"),
    [
        (lambda _: None, Lamp.OFF),
        (_claim, Lamp.STEADY),
        (lambda state: state.positions.update(session="asking_presence"), Lamp.STEADY),
        (lambda state: state.positions.update(session="asking_unload_presence"), Lamp.STEADY),
        (_incident(IncidentKind.JAM), Lamp.FLASHING),
        (_incident(IncidentKind.SUPERVISOR_CALLED), Lamp.FLASHING),
    ],
)
def test_the_lamp_flashes_for_what_is_raised_and_stands_for_a_supervisor_who_is_awaited(
    open_table: tuple[State, RuleBook], change: Callable[[State], None], lamp: Lamp
) -> None:
    state, book = _copy(open_table)
    change(state)
    assert {wanted.lamp for wanted in desired(state, book).values()} == {lamp}


@pytest.mark.parametrize("session", [one for one in Session if one not in (Session.LID_RELEASED, Session.LID_OPEN)])
def test_the_lid_is_locked_in_every_state_but_those_in_which_it_was_released(
    open_table: tuple[State, RuleBook], session: Session
) -> None:
    state, book = _copy(open_table)
    state.positions["session"] = session
    assert not desired(state, book)["shuffler"].lid_unlocked


@pytest.mark.clause("SB-4")
@pytest.mark.parametrize(
    ("last_count", "filled_at", "empty"),
    [
        ((0, 0), 4, True),
        ((0, 3), 4, True),
        ((3, 3), 4, False),
        ((3, 0), 4, False),
        ((0, 0), 6, False),
        (None, 4, False),
    ],
)
def test_only_a_count_of_nothing_after_the_last_card_went_in_proves_a_machine_empty(
    last_count: tuple[int, int] | None, filled_at: int, empty: bool
) -> None:
    assert (
        counted_empty(State(sets={THE_ONLY: SetOfCards(last_count=last_count, counted_at=5, filled_at=filled_at)}))
        is empty
    )


def _unplugged(state: State) -> None:
    state.devices["shuffler"].open = False


def _catching_up(state: State) -> None:
    state.devices["shuffler"].caught_up = False


@pytest.mark.clause("SB-1", "PT-A10")
@pytest.mark.parametrize("change", [_unplugged, _catching_up])
def test_a_machine_that_is_not_there_takes_no_card_and_none_is_missed_meanwhile(
    open_table: tuple[State, RuleBook], change: Callable[[State], None]
) -> None:
    state, book = _copy(open_table)
    state.positions["session"] = Session.RETURNING
    state.account.places[Place.TABLE] = 4
    assert machine_takes(state)
    assert cards_are_awaited(state, book)
    change(state)
    assert not machine_takes(state)
    assert not cards_are_awaited(state, book)
