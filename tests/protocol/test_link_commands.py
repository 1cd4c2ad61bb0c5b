"""One outstanding command: sent again in its own boot until settled, never in another (rules 14 to 19)."""

from __future__ import annotations

import pytest

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from tests.protocol.bench import BOOT, LINK, Bench

COUNT = n.Carry(id=42, boot=BOOT, operation=m.Operation.INVENTORY)
SENT = m.Command(LINK, 42, m.Operation.INVENTORY, 0)


def commands(sent: list[m.Message]) -> list[m.Message]:
    return [message for message in sent if isinstance(message, m.Command)]


@pytest.fixture
def bench() -> Bench:
    made = Bench()
    made.open()
    return made


@pytest.mark.rule(14)
def test_a_command_carries_the_number_of_its_record(bench: Bench) -> None:
    assert bench.order(COUNT).sent == [SENT]


@pytest.mark.rule(17)
def test_a_command_is_sent_again_while_the_heartbeat_shows_a_lower_id(bench: Bench) -> None:
    bench.order(COUNT)
    assert bench.beat(highest_command=41).sent == [SENT]
    assert bench.beat(highest_command=41, busy=True).sent == [SENT]
    assert bench.beat(highest_command=42).sent == []


@pytest.mark.field("BR-026")
@pytest.mark.rule(9)
@pytest.mark.rule(17)
def test_a_command_is_not_sent_again_without_a_heartbeat(bench: Bench) -> None:
    bench.order(COUNT)
    bench.now += 1.0
    assert bench.step().sent == []


@pytest.mark.rule(17)
def test_a_command_goes_on_in_the_next_link_of_its_boot(bench: Bench) -> None:
    bench.order(COUNT)
    bench.disconnect()
    assert commands(bench.open(link=LINK + 1).sent) == [], "the first heartbeat tells whether it is needed"
    (sent,) = commands(bench.beat(link=LINK + 1).sent)
    assert sent == m.Command(LINK + 1, 42, m.Operation.INVENTORY, 0)


@pytest.mark.rule(17)
def test_a_restarted_host_sends_it_again_in_its_boot() -> None:
    bench = Bench()
    assert bench.order(COUNT).sent == []
    bench.open()
    assert commands(bench.beat().sent) == [SENT]


@pytest.mark.field("BR-028")
@pytest.mark.rule(17)
@pytest.mark.rule(18)
def test_a_command_of_another_boot_is_never_sent() -> None:
    bench = Bench()
    bench.order(COUNT)
    bench.open(boot=BOOT + 1)
    assert bench.order(COUNT).sent == []
    assert commands(bench.beat(highest_command=0).sent) == []


@pytest.mark.rule(18)
def test_a_boot_in_mid_course_ends_the_sending(bench: Bench) -> None:
    bench.order(COUNT)
    bench.beat(link=0)
    bench.answer(boot=BOOT + 1, link=LINK + 1)
    assert commands(bench.beat(link=LINK + 1).sent) == []


@pytest.mark.rule(19)
def test_an_inspection_takes_the_place_of_what_it_settles(bench: Bench) -> None:
    bench.order(COUNT)
    inspection = n.Carry(id=50, boot=BOOT, operation=m.Operation.INVENTORY)
    assert commands(bench.order(inspection).sent) == [m.Command(LINK, 50, m.Operation.INVENTORY, 0)]
    assert commands(bench.beat().sent) == [m.Command(LINK, 50, m.Operation.INVENTORY, 0)]


def test_a_settled_command_is_not_sent_again(bench: Bench) -> None:
    bench.order(COUNT)
    bench.order(n.Settled(42))
    assert bench.beat(highest_command=0).sent == []


@pytest.mark.rule(18)
def test_settling_an_earlier_command_leaves_the_present_one(bench: Bench) -> None:
    bench.order(COUNT)
    bench.order(n.Settled(41))
    assert commands(bench.beat().sent) == [SENT]


@pytest.mark.rule(16)
@pytest.mark.parametrize("body", [m.CommandResult(42, done=False), m.Inventory(42, 3, (1, 2))])
def test_a_result_is_told_as_the_event_that_it_is(bench: Bench, body: m.EventBody) -> None:
    bench.order(COUNT)
    assert bench.event(1, body).only(n.EventTold) == [n.EventTold(1, body)]
