"""Cards at a table with everything on, from the device's sending to its ack: the whole controller against the least.

The controller is the product's, in a process of its own, with all its threads, its log at *info* and its status files.
It goes on with an open and loaded table and plays rounds: every card fed, drawn, and back in the machine. The devices
send one event after the other, each when the one before it is acknowledged; so does the device of the other side.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from drivers.protocol import codec
from drivers.protocol.framing import encode_frame
from drivers.protocol.messages import CardDrawn, Event, Purpose
from sim_hardware.equipment import SHOE
from tests.benchmarks.lines import Lines
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, percentile
from tests.benchmarks.process import running
from tests.benchmarks.shoes import Flushes, Shoes
from tests.benchmarks.table import EVENTS_A_ROUND, Prepared

ROUNDS = 8
BEFORE = 20
"""Rounds played before: SQLite then writes over its log, as at all but the first thousand records of a session."""

FRAME = len(encode_frame(codec.encode(Event(1, 1, CardDrawn(Purpose.DEAL, 1)))))
BITS_A_BYTE, BITS_A_SECOND = 10, 115_200
WIRE_S = FRAME * BITS_A_BYTE / BITS_A_SECOND

CARDS = Limits("cards end to end, everything on", "decode + append + fdatasync + ack", "events/s", 0.45, 0.85, True)
ACK = Limits("send to ack, p99", f"{FRAME} bytes on the wire at {BITS_A_SECOND:,} bit/s", "s", floor=1.0, goal=0.25)
FLUSHES = Limits("flushes an acknowledged event, one at a time", "one", "flushes", 1.0, 1.0, is_a_count=True)


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure rounds of cards at one table."""
    table = Prepared(bench.folder / "end to end")
    flushes_seen = Flushes(table.folder / "flushes")
    before, rounds = bench.many(BEFORE), bench.many(ROUNDS)
    events = rounds * EVENTS_A_ROUND
    samples: list[list[float]] = []
    flushes: list[float] = []
    ports = bench.folder / "bare"
    with (
        closing(Lines(Shoes((SHOE,)), ports)) as line,
        running("tests.benchmarks.limit", str(ports / SHOE), str(bench.folder / "appended"), log=table.folder / "log"),
        table.controller("tests.benchmarks.controller", str(table.config), str(flushes_seen.file), "0") as playing,
    ):
        lane = [(SHOE, CardDrawn(Purpose.DEAL, 1 + n % 52)) for n in range(EVENTS_A_ROUND)]
        line.burst([lane])
        playing.play(before)

        def ours() -> float:
            playing.lines.idle(1.0)
            counted = flushes_seen.count
            samples.append(playing.play(rounds))
            flushes.append(flushes_seen.count - counted)
            return events / sum(samples[-1])

        def theirs() -> float:
            took = 0.0
            for _ in range(rounds):
                took += sum(line.burst([lane]))
                playing.lines.live(lambda: True)  # heartbeats: the table's links outlive the other side's turn
            return events / took

        yield by_turns(CARDS, ours, theirs, bench.rounds)
    played = table.state().rounds
    assert len(played) == before + bench.rounds * rounds, "every round that was measured stands in the journal"
    yield Measured(ACK, [(percentile(sample, 0.99), WIRE_S) for sample in samples])
    yield Measured(FLUSHES, [(flush / events, 1.0) for flush in flushes])
