"""Lamp, lid, intake, prompt: revisions in each link, sent again until in force (rules 21, 27 to 29)."""

from __future__ import annotations

import pytest

from drivers.errors import LocalProtocolError
from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.messages import Level
from tests.protocol.bench import LINK, MEMORY, Bench

SHOWN = {
    Level.LAMP: "lamp_revision",
    Level.LID: "lid_revision",
    Level.INTAKE: "intake_revision",
    Level.PROMPT: "prompt_revision",
}
RESTRICTING = [(Level.LAMP, 1), (Level.LAMP, 2), (Level.LID, 0), (Level.INTAKE, 0), (Level.PROMPT, 7)]
PERMITTING = [(Level.LAMP, 0), (Level.LID, 1), (Level.INTAKE, 1)]

each_level = pytest.mark.parametrize("level", SHOWN)


def levels(sent: list[m.Message]) -> list[m.SetLevel]:
    return [message for message in sent if isinstance(message, m.SetLevel) and message.level is not Level.HOLD]


@pytest.mark.rule(28)
@pytest.mark.parametrize(("level", "value"), RESTRICTING + PERMITTING)
def test_a_wanted_level_leaves_in_the_step_that_orders_it(level: Level, value: int) -> None:
    bench = Bench()
    bench.open()
    assert bench.order(n.Want(level, value)).sent == [m.SetLevel(LINK, level, 1, value)]


@pytest.mark.rule(21)
@each_level
def test_each_level_has_its_own_revision(level: Level) -> None:
    bench = Bench()
    bench.open()
    sent = [levels(bench.order(n.Want(level, value)).sent) for value in (1, 0, 1)]
    assert sent == [[m.SetLevel(LINK, level, 1 + at, value)] for at, value in enumerate((1, 0, 1))]
    others = [other for other in SHOWN if other is not level]
    for other in others:
        assert bench.order(n.Want(other, 1)).sent == [m.SetLevel(LINK, other, 1, 1)]


@each_level
def test_the_same_value_wanted_again_is_nothing_new(level: Level) -> None:
    bench = Bench()
    bench.open()
    bench.order(n.Want(level, 1))
    assert bench.order(n.Want(level, 1)).sent == []


@pytest.mark.rule(29)
@each_level
def test_a_level_is_sent_again_until_a_heartbeat_shows_it(level: Level) -> None:
    bench = Bench()
    bench.open()
    bench.order(n.Want(level, 1), n.Want(level, 0))
    assert bench.beat(**{SHOWN[level]: 0}).sent == [m.SetLevel(LINK, level, 2, 0)]
    assert bench.beat(**{SHOWN[level]: 1}).sent == [m.SetLevel(LINK, level, 2, 0)]
    assert bench.beat(**{SHOWN[level]: 2}).sent == []


@pytest.mark.rule(21)
def test_wanted_levels_are_sent_anew_in_every_link_from_revision_1() -> None:
    bench = Bench()
    bench.open()
    bench.order(n.Want(Level.LAMP, 1), n.Want(Level.LAMP, 2), n.Want(Level.PROMPT, 7))
    bench.disconnect()
    assert levels(bench.open(link=LINK + 1).sent) == [
        m.SetLevel(LINK + 1, Level.LAMP, 1, 2),
        m.SetLevel(LINK + 1, Level.PROMPT, 1, 7),
    ]


def test_what_is_wanted_while_no_link_is_open_leaves_with_the_next_one() -> None:
    bench = Bench()
    assert bench.order(n.Want(Level.LAMP, 1)).sent == []
    bench.connect()
    assert bench.order(n.Want(Level.LAMP, 2)).sent == []
    assert levels(bench.answer().sent) == [m.SetLevel(LINK, Level.LAMP, 1, 2)]


@pytest.mark.rule(2)
def test_what_is_not_wanted_is_left_as_it_is() -> None:
    assert levels(Bench().open().sent) == []


@pytest.mark.rule(27)
@pytest.mark.parametrize(("level", "value"), RESTRICTING)
def test_restricting_levels_do_not_wait_for_events(level: Level, value: int) -> None:
    bench = Bench()
    bench.order(n.Want(level, value))
    assert levels(bench.open(last=1).sent) == [m.SetLevel(LINK, level, 1, value)]


@pytest.mark.rule(27)
@pytest.mark.parametrize(("level", "value"), PERMITTING)
def test_permitting_levels_wait_until_the_events_of_the_hello_are_journalled(level: Level, value: int) -> None:
    bench = Bench()
    bench.order(n.Want(level, value))
    assert levels(bench.open(last=1).sent) == []
    assert levels(bench.event(1, m.FeedEmpty()).sent) == []
    assert levels(bench.beat(last=1).sent) == []
    told = bench.order(n.AckEvents(1, MEMORY))
    assert levels(told.sent) == [m.SetLevel(LINK, level, 1, value)]


@pytest.mark.rule(27)
def test_a_restricting_value_overtakes_a_permitting_one_that_waits() -> None:
    bench = Bench()
    bench.order(n.Want(Level.LID, 1))
    bench.open(last=1)
    assert bench.order(n.Want(Level.LID, 0)).sent == [m.SetLevel(LINK, Level.LID, 1, 0)]


@pytest.mark.parametrize(
    ("capability", "level"),
    [
        (m.Capability.SHOWS_LAMP, Level.LAMP),
        (m.Capability.CAN_LOCK_LID, Level.LID),
        (m.Capability.CAN_SHUT_INTAKE, Level.INTAKE),
        (m.Capability.HAS_DEALER_KEYS, Level.PROMPT),
        (m.Capability.SENDS_STROKES, Level.PROMPT),
    ],
)
def test_a_device_gets_the_levels_that_it_has(capability: m.Capability, level: Level) -> None:
    bench = Bench()
    bench.order(*(n.Want(wanted, 1) for wanted in SHOWN))
    assert [order.level for order in levels(bench.open(capabilities=capability).sent)] == [level]


@pytest.mark.parametrize(("level", "value"), [(Level.LAMP, 3), (Level.LID, 2), (Level.INTAKE, -1)])
def test_a_value_that_no_device_has_is_refused_when_it_is_ordered(level: Level, value: int) -> None:
    bench = Bench()
    with pytest.raises(LocalProtocolError, match="nothing is sent"):
        bench.order(n.Want(level, value))
