"""The steps at a shoe that people fill are watched: each is named that the clauses have elsewhere (invariant 3)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import Place, Session, Trigger
from firmware_bridge.rulebooks import RuleBook, load_rulebook
from sim_hardware.commands.simulate.invariants.shoe_steps import Before, StepsOfShoe
from sim_hardware.commands.simulate.shift import Settings, Shift
from sim_hardware.commands.simulate.watch import ViolationError
from tests.table.evening import otherwise

PORTUGAL = load_rulebook("portugal")
CARDS = 208
IN_HANDS = {Place.DISCARD: CARDS}
IN_SHOE = {Place.SHOE: 100, Place.DISCARD: 108}


@pytest.fixture(scope="module")
def steps() -> StepsOfShoe:
    """The invariant."""
    shift = Shift(Settings(seed=1, rounds=2, faults="none", table="shoe", ways_out=0))
    return next(one for one in shift.watch.invariants if isinstance(one, StepsOfShoe))


def taken(
    steps: StepsOfShoe,
    step: tuple[Trigger, Session, Session],
    places: dict[Place, int],
    book: RuleBook = PORTUGAL,
    **stood: bool | int,
) -> None:
    """Let a session's step be taken where the table stood so."""
    trigger, source, target = step
    usual = {"opened": False, "shuffle_due": False, "awaited": 0, "marked": False, "stopped": False}
    steps._before = Before(book, places, CARDS, **{**usual, **stood})  # type: ignore[arg-type]
    steps._look(1, c.Moved("session", trigger, source, target, "PT-A6"))


FILLED = (Trigger.YES, Session.FILLING_SHOE, Session.READY)
FOR_ONE = (Trigger.ONE_PLAYER, Session.FILLING_SHOE, Session.READY)
NOT_OPENED = (Trigger.DECLARE_CLOSED, Session.FILLING_SHOE, Session.NOT_OPENED)
LAST_ROUND = (Trigger.ROUND_OVER, Session.IN_ROUND, Session.EMPTYING_SHOE)
SHOWN = (Trigger.YES, Session.EMPTYING_SHOE, Session.SHOWING)
MIXED = (Trigger.YES, Session.EMPTYING_SHOE, Session.MIXING)
NO_ROUND_AFTER = (Trigger.SPECIAL_CARD, Session.READY, Session.EMPTYING_SHOE)
ROUND_AFTER = (Trigger.SPECIAL_CARD, Session.READY, Session.READY)
STOPPED = (Trigger.STOP_PLAY, Session.READY, Session.EMPTYING_SHOE)


@pytest.mark.parametrize(
    ("step", "places", "stood", "broken"),
    [
        pytest.param(FILLED, {Place.DISCARD: CARDS - 1}, {}, "PT-E2", marks=pytest.mark.clause("PT-E2")),
        pytest.param(FOR_ONE, {**IN_HANDS, Place.OVER: 1}, {}, "PT-E2", marks=pytest.mark.clause("PT-E2")),
        pytest.param(NOT_OPENED, IN_HANDS, {"opened": True}, "PT-A6", marks=pytest.mark.clause("PT-A6")),
        pytest.param(LAST_ROUND, IN_SHOE, {}, "PT-S6", marks=pytest.mark.clause("PT-S6")),
        pytest.param(SHOWN, IN_HANDS, {}, "PT-S8", marks=pytest.mark.clause("PT-S8")),
        pytest.param(MIXED, {Place.DISCARD: CARDS - 1}, {}, "SB-7", marks=pytest.mark.clause("SB-7")),
        pytest.param(MIXED, IN_HANDS, {"awaited": 1}, "PT-A1", marks=pytest.mark.clause("PT-A1")),
        pytest.param(NO_ROUND_AFTER, IN_SHOE, {}, "PT-S7", marks=pytest.mark.clause("PT-S7")),
    ],
)
def test_a_step_that_is_taken_elsewhere_is_named(
    steps: StepsOfShoe,
    step: tuple[Trigger, Session, Session],
    places: dict[Place, int],
    stood: dict[str, bool | int],
    broken: str,
) -> None:
    with pytest.raises(ViolationError, match=rf"invariant 3: .*\[{broken}\]"):
        taken(steps, step, places, **stood)


@pytest.mark.parametrize(
    ("step", "places", "key", "value", "broken"),
    [
        pytest.param(
            *(FOR_ONE, IN_HANDS, "warning_card.middle_for_one_player", False, "PT-S4"),
            marks=pytest.mark.clause("PT-S4"),
        ),
        pytest.param(
            *(ROUND_AFTER, IN_SHOE, "last_round.warning_card_between_rounds", "shuffle_first", "PT-S7"),
            marks=pytest.mark.clause("PT-S7"),
        ),
        pytest.param(*(STOPPED, IN_SHOE, "shuffle.when_play_stops", False, "PT-S8"), marks=pytest.mark.clause("PT-S8")),
    ],
)
def test_a_step_is_named_where_the_book_has_it_otherwise_and_only_there(
    steps: StepsOfShoe,
    step: tuple[Trigger, Session, Session],
    places: dict[Place, int],
    key: str,
    value: bool | str,
    broken: str,
) -> None:
    taken(steps, step, places)
    with pytest.raises(ViolationError, match=rf"invariant 3: .*\[{broken}\]"):
        taken(steps, step, places, otherwise(PORTUGAL, key, value))


@pytest.mark.parametrize(
    ("step", "places", "stood"),
    [
        (FILLED, IN_HANDS, {}),
        (FOR_ONE, IN_HANDS, {}),
        (NOT_OPENED, IN_HANDS, {}),
        (LAST_ROUND, IN_SHOE, {"marked": True}),
        (LAST_ROUND, IN_SHOE, {"shuffle_due": True}),
        (LAST_ROUND, IN_HANDS, {}),
        (SHOWN, IN_HANDS, {"stopped": True}),
        (MIXED, IN_HANDS, {}),
    ],
)
def test_a_step_that_is_taken_where_it_is_due_is_none_of_them(
    steps: StepsOfShoe,
    step: tuple[Trigger, Session, Session],
    places: dict[Place, int],
    stood: dict[str, bool | int],
) -> None:
    taken(steps, step, places, **stood)


def record(steps: StepsOfShoe, change: c.AnyChange) -> None:
    """Let the invariant see a record of this change."""
    event = e.Told("shoe", 1, DealerKeyPressed(DealerKey.YES, 1))
    steps.recorded(1, Logged(0, event, c.Decision((change,))))


@pytest.mark.parametrize(
    ("befell", "step", "broken"),
    [
        pytest.param(c.ShoeMarked(60, came=True), LAST_ROUND, "PT-S6", marks=pytest.mark.clause("PT-S6")),
        pytest.param(c.PlayStopped(), SHOWN, "PT-S8", marks=pytest.mark.clause("PT-S8")),
    ],
)
def test_what_befell_a_shoe_is_forgotten_once_it_is_filled_anew(
    befell: c.AnyChange, step: tuple[Trigger, Session, Session], broken: str
) -> None:
    shift = Shift(Settings(seed=1, rounds=2, faults="none", table="shoe", ways_out=0))
    steps = next(one for one in shift.watch.invariants if isinstance(one, StepsOfShoe))
    account = shift.watch.state.account
    account.open_set(CARDS)
    account.places[Place.SHOE] = 100
    moved = c.Moved("session", *step, "PT-A6")
    record(steps, befell)
    record(steps, moved)
    record(steps, c.ShoeFilled(CARDS, one_player=False))
    with pytest.raises(ViolationError, match=rf"invariant 3: .*\[{broken}\]"):
        record(steps, moved)
