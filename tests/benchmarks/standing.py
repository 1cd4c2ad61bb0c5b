"""What a controller costs that only stands there: how soon it is back after a power cut, its memory, its idle CPU.

The other side is an interpreter that starts and does nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from firmware_bridge.service.software import software_digest
from tests.benchmarks.lines import Lines
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns
from tests.benchmarks.process import running, seconds_to_start, started
from tests.benchmarks.table import EVENTS_A_ROUND, Prepared, played_on
from tests.service import live

SERVICE = ("firmware_bridge.service", "run", "--config")
RECORDS = 1_000_000
SINCE_SNAPSHOT = 5_000
"""Records to fold at the start: half of the most that there can be between two snapshots."""

SETTLING_S = 0.1
"""Seconds in which a device hears what the killed controller had sent: an ack of that one is none of the next."""

BATCH = 10_000
IDLE_S = 4.0
PLAYED = 4
"""Rounds that are played before a process counts as idle."""

RESTART = Limits("restart to first accepted event, 1,000,000 records", "python -c pass", "s", floor=15, goal=8)
MEMORY = Limits("peak memory", "python -c pass", "kB", floor=4, goal=3)
IDLE = Limits("idle CPU, four devices open", "one processor", "CPU s/s", floor=0.01, goal=0.001)


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure restarts, memory and idleness."""
    yield restarts(bench)
    yield from at_rest(bench)


def restarts(bench: Bench) -> Measured:
    """Start it again and again, killed as by a power cut, until the first event of a device is acknowledged."""
    records = bench.many(RECORDS)
    table = Prepared(bench.folder / "restart")
    fill(table, records, SINCE_SNAPSHOT)
    with table.lines() as lines:
        restart(table, lines)  # not measured: the first one may still have to write bytecode
        return by_turns(RESTART, lambda: restart(table, lines), seconds_to_start, bench.rounds)


def fill(table: Prepared, records: int, since_snapshot: int) -> None:
    """Bring the table's journal to so many records: idle ones, a snapshot, and rounds that were played since.

    The idle ones lie before the snapshot, where no start folds them; they are a card's record over and over.
    """
    played_on(table.evening, rounds := since_snapshot // EVENTS_A_ROUND, table.falls)
    recorded = table.recorded()
    state, played = table.state(), recorded[len(table.entries) :]
    assert len(table.evening.state.rounds) == rounds
    until = records - len(played)
    with table.store() as store:
        idle = table.entries[-1]
        for first in range(len(table.entries) + 1, until + 1, BATCH):
            numbers = range(first, min(first + BATCH, until + 1))
            store.append([replace(idle, number=number) for number in numbers], sign=True)
        store.keep_snapshot(replace(state, record=until), software_digest())
        renumbered = [replace(entry, number=number) for number, entry in enumerate(played, until + 1)]
        store.append(renumbered, sign=False)
        assert store.last_number == records


def restart(table: Prepared, lines: Lines) -> float:
    """Return the seconds from the process's start to the first ack that a device hears, and kill it."""
    lines.idle(SETTLING_S)
    before, began = lines.acks, time.perf_counter()
    with running(*SERVICE, str(table.config), log=table.folder / "log") as process:
        lines.live(lambda: lines.acks > before)
        took = time.perf_counter() - began
        process.kill()
    return took


def at_rest(bench: Bench) -> Iterator[Measured]:
    """Let a controller play a little, and see what it has taken and what it takes when nothing happens."""
    table = Prepared(bench.folder / "at rest")
    memory, idle = [], []
    for _ in range(bench.rounds):
        with table.controller(*SERVICE, str(table.config)) as playing:
            playing.play(PLAYED)
            before, began = live.processor_seconds(playing.process), time.perf_counter()
            playing.lines.idle(IDLE_S / 4 if bench.quick else IDLE_S)
            idle.append(((live.processor_seconds(playing.process) - before) / (time.perf_counter() - began), 1.0))
            peak = Path("/proc", str(playing.process), "status").read_text(encoding="ascii")
            memory.append((peak_kb(peak), peak_kb(started("print(open('/proc/self/status').read())").stdout)))
    yield Measured(MEMORY, memory)
    yield Measured(IDLE, idle)


def peak_kb(status: str) -> float:
    """Return the peak of a process's memory, from its status in /proc."""
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))
