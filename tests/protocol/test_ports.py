"""One course over every port and every fault of a wire: what is in the journal in the end is always the same."""

from __future__ import annotations

import pytest

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from tests.protocol.lines import (
    Line,
    Table,
    dead,
    late_by,
    merged,
    noise_first,
    overlong,
    stalled,
    striking,
    whole,
    without,
)
from tests.protocol.wire import Fate


def journal(table: Table) -> dict[str, list[m.EventBody]]:
    return {name: desk.journal for name, desk in table.desks.items()}


@pytest.fixture(scope="module")
def undisturbed() -> Table:
    table = Table(whole)
    assert table.play()
    return table


def test_every_message_passes(undisturbed: Table) -> None:
    assert set(undisturbed.passed) == {
        *(m.Open, m.Ask, m.Ack, m.SetLevel, m.Lease, m.Command),
        *(m.Hello, m.Heartbeat, m.Event, m.Stroke),
    }
    assert undisturbed.told[n.RemoteErrors] == undisturbed.told[n.LinkLost] == 0


QUIET: frozenset[type] = frozenset()
CATALOGUE: dict[str, tuple[Line, bool, frozenset[type]]] = {
    # fault of the wire                  line                                   by bytes  what must be seen
    "one byte at a time": (whole, True, QUIET),
    "merged reads": (merged(10), False, QUIET),
    "split over two reads": (striking(0.5, Fate.SPLIT), False, QUIET),
    "delay": (late_by(0.3), False, QUIET),
    "duplicate": (striking(0.5, Fate.DOUBLED), False, QUIET),
    "lost ack": (without(m.Ack, 0.5), False, QUIET),
    "nearly every ack lost": (without(m.Ack, 0.8), False, frozenset({n.LinkLost})),
    "a fifth lost": (striking(0.2, Fate.LOST), False, QUIET),
    "truncated": (striking(0.2, Fate.CUT), False, frozenset({n.RemoteErrors})),
    "frames run together": (striking(0.2, Fate.MERGED), False, frozenset({n.RemoteErrors})),
    "bit flip": (striking(0.2, Fate.CORRUPTED), False, frozenset({n.RemoteErrors})),
    "noise between frames": (striking(0.2, Fate.NOISY), False, frozenset({n.RemoteErrors})),
    "noise before the hello": (noise_first, False, frozenset({n.RemoteErrors})),
    "over-long frame": (overlong, False, frozenset({n.RemoteErrors})),
    "reordered": (striking(0.2, Fate.LATE, Fate.COPIED), False, frozenset({n.LinkLost})),
    "silent once": (dead(1.5, 4.5, up=True), False, frozenset({n.LinkLost})),
    "deaf once": (dead(1.6, 5.6, up=False), False, frozenset({m.Lapsed, n.LinkLost})),
    "writes stall": (stalled(1.6, 5.6), False, frozenset({m.Lapsed})),
}


@pytest.mark.field("BR-048")
@pytest.mark.parametrize("fault", CATALOGUE)
def test_a_wire_may_do_anything_and_the_journal_is_the_same(fault: str, undisturbed: Table) -> None:
    line, one_byte, seen = CATALOGUE[fault]
    table = Table(line, one_byte=one_byte)
    assert table.play(), f"not at its end after {table.now:g} s"
    assert journal(table) == journal(undisturbed)
    told = {kind for kind in (n.RemoteErrors, n.LinkLost, m.Lapsed) if table.told[kind]}
    assert seen <= told
    if not seen and fault != "a fifth lost":
        assert not told, "what loses nothing is nothing to speak of"


@pytest.mark.parametrize("since", [0.0, 1.5])
def test_a_device_that_falls_silent_for_good_is_told_of_once_and_deals_no_more(since: float) -> None:
    table = Table(dead(since, 1e9, up=True), until=since + 20.0)
    assert not table.play()
    assert all(desk.told[n.LinkLost] == 1 for desk in table.desks.values())
    assert table.table.pull_card() is None


@pytest.mark.field("BR-026")
@pytest.mark.rule(9)
def test_a_device_that_takes_nothing_is_asked_a_few_times_under_the_same_numbers_and_then_lost() -> None:
    """The end of it is *not answering*: the link is lost once, and only its opening is asked for from then on."""
    deaf_from = 0.79  # the cards are in, and their count is ordered
    table = Table(dead(deaf_from, 1e9, up=False), until=deaf_from)
    assert not table.play()
    before = table.passed.copy()
    shuffler = table.desks["shuffler"]
    assert not shuffler.told[n.LinkLost]
    table.pass_time(3.0)
    assert shuffler.told[n.LinkLost] == 1
    assert not shuffler.ready, "lost, and its state unknown: what it heartbeats is no state of this link"
    heartbeats = shuffler.told[n.HeartbeatHeard]
    commands = len(table.commands)
    table.pass_time(7.0)
    assert shuffler.told[n.LinkLost] == 1
    assert (shuffler.told[n.HeartbeatHeard], len(table.commands)) == (heartbeats, commands)
    sent = table.passed - before
    for kind in (m.Command, m.Ask, m.Ack, m.Open):
        assert sent[kind] <= sent[m.Heartbeat]
    assert sent[m.Command] > 0
    assert {said.id for said in table.commands} == {1}
