"""Events that come when nobody awaits them: what is refused keeps nothing back, and a race has one outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random

import pytest

from drivers.protocol.messages import (
    DealerKey,
    DealerKeyPressed,
    EventBody,
    EventsLost,
    Inventory,
    JamChanged,
    JamPlace,
    LidMoved,
)
from drivers.protocol.notices import EventTold
from firmware_bridge.core import changes as c
from firmware_bridge.core.controller import FromDevice
from firmware_bridge.core.decide import decide
from firmware_bridge.core.events import Event, LinkDown, Started, TimerDue, Told
from firmware_bridge.core.fold import fold
from firmware_bridge.core.outputs import desired, due, why_not_deal
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.words import ENDS, IncidentKind, Session, Trigger
from tests.core.test_controller import Tape
from tests.kills.player import Player
from tests.kills.world import KilledEvening
from tests.table.byways import loading
from tests.table.evening import SUPERVISOR, Evening

MS = 1_000_000


def told(state: State, device: str, body: EventBody) -> EventTold:
    """The device's next event."""
    return EventTold(state.devices[device].taken + 1, body)


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-034")
def test_a_refused_event_in_front_keeps_no_jam_and_no_stop_back() -> None:
    evening = loading()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    before, state = evening.state.record, evening.state
    wrong = DealerKeyPressed(DealerKey.ROUND_OVER, state.prompt)
    jam, lid = JamChanged(JamPlace.INTAKE, True), LidMoved(True)
    first = told(state, "shuffler", jam)
    evening.table.assembly.controller.turn(
        [
            FromDevice("shoe", [told(state, "shoe", wrong)]),
            FromDevice("shuffler", [first, EventTold(first.number + 1, lid)]),
        ]
    )
    records = evening.logged()[before:]
    bodies = [record.event.body for record in records if isinstance(record.event, Told)]
    assert bodies == [wrong, jam, lid], "in their order"
    assert records[0].decision.refusal is not None, "what was wrong is recorded as refused"
    assert set(evening.kinds()) == {IncidentKind.JAM, IncidentKind.LID_OPENED}


SAFETY: dict[str, tuple[Event, IncidentKind]] = {
    "the lid is opened": (Told("shuffler", 0, LidMoved(True)), IncidentKind.LID_OPENED),
    "events are lost": (Told("shuffler", 0, EventsLost(3)), IncidentKind.EVENTS_LOST),
    "a card sticks": (Told("shuffler", 0, JamChanged(JamPlace.EXIT, True)), IncidentKind.JAM),
    "machine and shoe count differently": (TimerDue("split"), IncidentKind.COUNT_MISMATCH),
    "the machine is gone": (LinkDown("shuffler", "unplugged"), IncidentKind.LINK_LOST),
    "the shoe is gone": (LinkDown("shoe", "unplugged"), IncidentKind.LINK_LOST),
    "the keypad is gone": (LinkDown("keypad", "unplugged"), IncidentKind.KEYPAD_LOST),
    "a card is damaged": (Told("shoe", 0, DealerKeyPressed(DealerKey.DAMAGED_CARD, 0)), IncidentKind.DAMAGED_CARD),
    "the dealer calls": (
        Told("shoe", 0, DealerKeyPressed(DealerKey.CALL_SUPERVISOR, 0)),
        IncidentKind.SUPERVISOR_CALLED,
    ),
}
"""What may come at any moment of a session and must be heard."""

BEFORE_ANY_CARD = frozenset({Session.SHOWING, Session.CHECKING_BACKS, Session.MIXING})


@cache
def states_of_a_session() -> dict[Session, list[tuple[int, int, bytes]]]:
    """The records that lead to each state of a session that is met in an evening with a jam and a damaged card."""
    evening = KilledEvening()
    Player(evening).play()
    records = [(entry.number, entry.utc_ns, entry.body) for entry in evening.world.disk.flushed]
    found: dict[Session, list[tuple[int, int, bytes]]] = {}
    for place, (_, _, body) in enumerate(records):
        for change in Logged.from_body(body).decision.changes:
            if isinstance(change, c.Moved) and change.procedure == "session" and change.target not in ENDS:
                found.setdefault(Session(change.target), records[: place + 1])
    return found


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-034")
@pytest.mark.parametrize("what", SAFETY)
def test_no_state_of_a_session_ignores_what_must_be_heard(what: str) -> None:
    event, kind = SAFETY[what]
    states = states_of_a_session()
    assert len(states) > 18, "nearly all that an evening can come to"
    for session, records in states.items():
        state = fold(records)
        if isinstance(event, Told) and isinstance(event.body, DealerKeyPressed):
            event = Told(event.device, 0, DealerKeyPressed(event.body.key, state.prompt))
        unlocked = desired(state, BOOK)["shuffler"].lid_unlocked
        decision = decide(
            state,
            event,
            number=state.record + 1,
            table_ns=state.at + MS,
            utc_ns=state.utc_ns + MS,
            book=BOOK,
        )
        raised = [change.kind for change in decision.changes if isinstance(change, c.Raised)]
        is_open = any(one.kind is kind for one in state.incidents.values())
        refused = decision.refusal is not None and kind is IncidentKind.DAMAGED_CARD and session in BEFORE_ANY_CARD
        allowed = kind is IncidentKind.LID_OPENED and unlocked
        assert kind in raised or is_open or refused or allowed, f"{what} in {session}: {decision.changes}"
        if kind is not IncidentKind.SUPERVISOR_CALLED and not refused:
            assert why_not_deal(state), f"{what} in {session}: dealing is held"


BOOK = KilledEvening().world.config.book


class Taped(Tape):
    """A controller of its own whose records are kept."""

    def __init__(self, evening: Evening) -> None:
        self.kept: list[Logged] = []
        super().__init__(evening)
        self.kept.clear()

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        super().append(entries, sign=sign)
        self.kept += [Logged.from_body(entry.body) for entry in entries]

    def at(self, ns: int, *told: EventTold) -> None:
        """Turn the controller at this moment, with what came by then."""
        self.now_ns = ns
        self.controller.turn([FromDevice("shuffler", told)] if told else [])


@pytest.fixture(scope="module")
def counting() -> Evening:
    """A table whose machine was told to count, and has not answered yet."""
    evening = Evening()
    evening.open_and_load()
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.state.order is not None
    return evening


def answered_then_due(tape: Taped, due_at: int, answer: EventTold) -> None:
    tape.at(due_at - MS, answer)
    tape.at(due_at)


def both_at_once(tape: Taped, due_at: int, answer: EventTold) -> None:
    tape.at(due_at, answer)


def due_then_answered(tape: Taped, due_at: int, answer: EventTold) -> None:
    tape.at(due_at)
    tape.at(due_at + MS, answer)


def due_and_then_answered_at_once(tape: Taped, due_at: int, answer: EventTold) -> None:
    tape.at(due_at)
    tape.at(due_at, answer)


Race = Callable[[Taped, int, EventTold], None]

RACES: list[tuple[Race, str]] = [
    (answered_then_due, "done"),
    (both_at_once, "done"),
    (due_and_then_answered_at_once, "unknown"),
    (due_then_answered, "unknown"),
]
"""A millisecond before, in the same moment in both orders, a millisecond after."""

TIMES = 1_000


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-035")
@pytest.mark.parametrize(("race", "outcome"), RACES)
def test_an_answer_that_comes_with_its_timeout_has_one_outcome(counting: Evening, race: Race, outcome: str) -> None:
    assert_one_outcome(Taped(counting), counting, race, outcome)


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-035")
@pytest.mark.timeout(300)
def test_a_thousand_times_in_any_order_it_has_one_outcome_each(counting: Evening) -> None:
    """Stepped: one thread decides, and what comes from others waits in its queue, so that the order is all there is."""
    draw = Random(35)
    for _ in range(TIMES):
        race, outcome = draw.choice(RACES)
        assert_one_outcome(Taped(counting), counting, race, outcome)


def assert_one_outcome(tape: Taped, counting: Evening, race: Race, outcome: str) -> None:
    state = tape.controller.state
    order = state.order
    assert order is not None
    inside = state.account.inside
    answer = told(state, "shuffler", Inventory(order.id, 0, (inside // 2, inside - inside // 2)))
    race(tape, due(state, counting.table.config.book)["order"], answer)
    closed = [one for record in tape.kept for one in record.decision.changes if isinstance(one, c.OrderClosed)]
    assert [one.outcome for one in closed] == [outcome]
    assert state.order is None
    events = [type(record.event) for record in tape.kept if not isinstance(record.event, Started)]
    assert events.count(Told) == 1, "the answer is recorded, late or not"
    assert events.count(TimerDue) == (outcome == "unknown")
    assert state.session is Session.READY
