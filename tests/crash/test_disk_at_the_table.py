"""A disk in trouble as the people at a table in play see it: slow, failing, getting full (SB-11)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.controller import Room
from firmware_bridge.core.events import FlushWasSlow, RoomSeen
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from sim_hardware.commands.simulate.world import World
from tests.table.evening import DEALER, SUPERVISOR, Evening

SECOND = 10**9
DISK_MENDED = 1
"""What a supervisor gives as the action that he took, by its number."""


class _Table(World):
    """The world of a shift without its people: hands of a test are at it."""

    def __init__(self, config: Any, credentials: Any, seed: int, fittings: Any, renewal: Any) -> None:
        super().__init__(config, credentials, seed, fittings, renewal, lambda: None)

    def _check_soon(self) -> None:
        """A PIN is checked at once: what a disk does meanwhile is no matter of these tests."""


class _Evening(Evening):
    table_of = _Table  # type: ignore[assignment]

    @property
    def world(self) -> World:
        assert isinstance(self.table, World)
        return self.table


@pytest.fixture
def in_round() -> _Evening:
    """A table in play: four cards are out."""
    evening = _Evening()
    evening.open_and_load()
    evening.deal(4)
    return evening


def events(evening: Evening, kind: type) -> list[Any]:
    return [record.event for record in evening.logged() if isinstance(record.event, kind)]


def slow_disk(evening: _Evening, first_s: float, then_s: float = 0.0) -> None:
    """The next flush takes so long, each after it so long."""
    evening.world.flush_takes_ns, evening.world.usual_flush_ns = int(first_s * SECOND), int(then_s * SECOND)


def deal_at_the_pace_of(evening: _Evening, gap_s: float, seconds: float) -> int:
    """The dealer pulls once every so often, until dealing stops; return how many cards came."""
    cards, until = 0, evening.table.seconds + seconds
    while evening.table.seconds < until and not evening.kinds():
        cards += evening.hands.pull_card() is not None
        evening.table.run(gap_s)
    return cards


@pytest.mark.clause("SB-11")
def test_a_flush_of_more_than_a_second_is_told_with_the_next_record_and_play_goes_on(in_round: _Evening) -> None:
    slow_disk(in_round, 1.3)
    in_round.deal(3)
    (told,) = events(in_round, FlushWasSlow)
    assert told.milliseconds == 1300, "the flush, and nothing else of its turn"
    assert in_round.kinds() == []
    assert in_round.session is Session.IN_ROUND


@pytest.mark.clause("SB-11")
def test_where_the_house_allows_less_than_is_told_at_all_its_limit_holds_dealing_all_the_same(
    in_round: _Evening,
) -> None:
    controller = in_round.table.assembly.controller
    controller.book = replace(controller.book, house=replace(controller.book.house, flush_limit_ms=500))
    slow_disk(in_round, 0.6)
    in_round.deal(1)
    assert in_round.kinds() == [IncidentKind.SLOW_JOURNAL]


@pytest.mark.clause("SB-11")
@pytest.mark.parametrize("flush_s", [1.05, 1.1, 1.2])
@pytest.mark.parametrize("gap_s", [0.5, 2.0, 3.0, 4.0])
def test_where_every_flush_takes_up_to_a_second_and_a_fifth_play_goes_on_at_any_pace(
    in_round: _Evening, flush_s: float, gap_s: float
) -> None:
    slow_disk(in_round, flush_s, flush_s)
    cards = deal_at_the_pace_of(in_round, gap_s, 60)
    assert cards >= 60 / (2 * flush_s + gap_s)
    told = events(in_round, FlushWasSlow)
    assert len(told) >= cards - 1, "each is told, but the last: no record followed yet"
    assert {one.milliseconds for one in told} == {int(flush_s * 1000)}
    slow_disk(in_round, 0)
    in_round.table.run(5)
    assert in_round.kinds() == []


@pytest.mark.clause("SB-11", "SB-1")
@pytest.mark.parametrize("flush_s", [1.4, 1.6, 1.9])
def test_where_two_flushes_outlast_a_lease_the_alarm_says_that_it_was_the_disk(
    in_round: _Evening, flush_s: float
) -> None:
    """A card drawn and the next one fed are two records a moment apart, so one flush follows the other."""
    slow_disk(in_round, flush_s, flush_s)
    deal_at_the_pace_of(in_round, 0.5, 60)
    slow_disk(in_round, 0)
    in_round.table.run(8)
    assert set(in_round.kinds()) == {IncidentKind.RELEASE_LAPSED}
    for incident in in_round.state.incidents.values():
        assert f"the journal's disk, of which a flush took {int(flush_s * 1000)} ms" in incident.detail


@pytest.mark.clause("SB-1")
def test_a_lapse_long_after_a_slow_flush_is_not_put_down_to_the_disk(in_round: _Evening) -> None:
    slow_disk(in_round, 1.3)
    in_round.deal(2)
    in_round.table.run(60)
    in_round.table.unplug("shoe")
    in_round.table.run(5)
    in_round.table.replug("shoe")
    in_round.table.run(5)
    lapsed = [one for one in in_round.state.incidents.values() if one.kind is IncidentKind.RELEASE_LAPSED]
    assert lapsed
    assert all("disk" not in one.detail for one in lapsed)


@pytest.mark.clause("SB-11")
def test_a_flush_of_eight_seconds_is_an_incident_also_behind_one_that_was_slow(in_round: _Evening) -> None:
    slow_disk(in_round, 1.2, 8)
    in_round.deal(1)
    in_round.table.run(12)
    slow_disk(in_round, 0)
    in_round.table.run(20)
    assert IncidentKind.SLOW_JOURNAL in in_round.kinds()
    assert [one.milliseconds for one in events(in_round, FlushWasSlow)][:2] == [1200, 8000]


@pytest.mark.clause("SB-11")
def test_after_a_flush_over_the_limit_nothing_is_released_before_it_is_confirmed(in_round: _Evening) -> None:
    slow_disk(in_round, 2.1, 2.1)
    came = deal_at_the_pace_of(in_round, 0.2, 10)
    assert came == 1
    in_round.table.run(10)
    assert IncidentKind.SLOW_JOURNAL in in_round.kinds()
    assert in_round.kinds().count(IncidentKind.SLOW_JOURNAL) == 1, "one alarm, however many flushes"
    before = len(in_round.logged())
    in_round.table.run(60)
    assert len(in_round.logged()) <= before + 2, "that a flush was slow makes no record of its own again and again"


@pytest.mark.clause("SB-11")
def test_in_a_flush_of_five_seconds_the_shoe_holds_itself_and_the_incident_follows(in_round: _Evening) -> None:
    in_round.world.flush_takes_ns = 5 * SECOND
    pulled_late: list[bool] = []

    def pull_late() -> None:
        pulled_late.append(in_round.hands.pull_card() is not None)

    in_round.world.plan(4.5, pull_late)
    in_round.hands.pull_card()
    in_round.table.run(8)
    assert pulled_late == [False], "the lease of 3 s had lapsed while the controller waited for its disk"
    assert IncidentKind.SLOW_JOURNAL in in_round.kinds()
    assert "SB-2" in in_round.reasons()
    in_round.world.flush_takes_ns = 0
    in_round.table.run(5)
    assert in_round.hands.pull_card() is None, "the disk is as quick as before, and nobody confirmed it"
    in_round.confirm_all()
    in_round.deal(1)


@pytest.mark.clause("SB-11")
@pytest.mark.field("BR-038")
def test_after_a_failed_flush_no_card_is_lost_and_a_supervisor_lets_play_go_on(in_round: _Evening) -> None:
    kept = in_round.state.record
    out = in_round.state.account.out
    in_round.world.store.fail()
    pulled = 0
    for _ in range(40):  # the dealer pulls on: at most a window of cards comes
        pulled += in_round.hands.pull_card() is not None
        in_round.table.run(0.05)
    in_round.table.run(30, lambda: in_round.world.running and all(d.caught_up for d in in_round.state.devices.values()))
    assert in_round.state.record > kept
    assert in_round.state.account.out == out + pulled, "what was not recorded was not acknowledged, and is told again"
    assert in_round.state.counts_trusted
    assert IncidentKind.JOURNAL_FAILED in in_round.kinds()
    assert "SB-2" in in_round.reasons()
    in_round.table.run(5)
    assert in_round.hands.pull_card() is None
    assert in_round.act(DEALER, Trigger.CONFIRM_INCIDENT, DISK_MENDED) is not None, "never by a dealer"
    for _ in in_round.kinds():
        assert in_round.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, DISK_MENDED) is None
    assert not why_not_deal(in_round.state)
    in_round.deal(2)
    assert in_round.key(DealerKey.ROUND_OVER) is None


@pytest.mark.clause("SB-11")
@pytest.mark.field("BR-038")
def test_a_disk_that_gets_full_is_told_early_and_hinders_nobody(in_round: _Evening) -> None:
    in_round.table._inputs.append(Room(True, 150))
    in_round.table.run(0.1)
    assert in_round.kinds() == [IncidentKind.DISK_LOW]
    assert not why_not_deal(in_round.state)
    in_round.deal(2)
    assert in_round.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is not None, "it is still low"
    for seen in (Room(False, 400), Room(True, 140), Room(False, 410)):
        in_round.table._inputs.append(seen)
        in_round.table.run(0.1)
        assert in_round.kinds() == [IncidentKind.DISK_LOW], "one incident, until somebody has confirmed it"
    assert in_round.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    assert in_round.kinds() == []
    assert [seen.free_mb for seen in events(in_round, RoomSeen)] == [150, 400, 140, 410]


@pytest.mark.field("BR-038")
def test_a_disk_that_was_low_before_the_session_is_told_when_it_begins() -> None:
    evening = _Evening()
    evening.table._inputs.append(Room(True, 150))
    evening.table.run(0.1)
    assert evening.kinds() == []
    evening.open_table()
    for _ in range(3):
        evening.table._inputs.append(Room(True, 149))
        evening.table.run(0.1)
    assert evening.kinds() == [IncidentKind.DISK_LOW]
    assert len(events(evening, RoomSeen)) == 2, "once for the journal, once for the people"
