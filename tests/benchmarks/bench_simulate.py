"""How fast simulated shifts are, against a bare loop that carries the same frames: ``make bench``.

Bare is what no simulation of such a table can do without: every frame that the shift carried, leases included, encoded
and decoded once; one transition a card; the chain's hash of every record. Shift and bare loop take turns in one process
and are timed by its own processor time; of each the quickest turn counts. Exit status 1 below the floor.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

from drivers.protocol import codec, framing
from drivers.protocol.messages import CARD_BODIES, Event, Lease, Message
from firmware_bridge.core.machine import Facts, Row, TableMachine
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.journal.chain import Tip, advanced, chained
from firmware_bridge.service.inspection import Entry, State, events, load_for_table
from sim_hardware.commands.simulate.shift import SHORT, Settings, Shift
from sim_hardware.commands.stepped import Wire

SEEDS = (1, 2, 3)
TURNS = 2
FLOOR, GOAL = 0.05, 0.3

DRAWN = Row(Session.IN_ROUND, Trigger.CARD_DRAWN, Session.IN_ROUND, "PT-A9")
FACTS = Facts(State(), events.TimerDue("none"), load_for_table("portugal"), 0)


@dataclass
class Carried:
    """What a shift carried: every message in order, how many of them leases and cards, and its records."""

    messages: list[Message]
    entries: list[Entry]

    @property
    def leases(self) -> int:
        """Leases among the messages."""
        return sum(isinstance(message, Lease) for message in self.messages)

    @property
    def cards(self) -> int:
        """Cards among the messages."""
        return sum(isinstance(message, Event) and isinstance(message.body, CARD_BODIES) for message in self.messages)


@dataclass
class Timed:
    """One seed: what its shift carried, and the seconds of shift and bare loop."""

    seed: int
    carried: Carried
    shift_s: float
    bare_s: float

    @property
    def ratio(self) -> float:
        """The bare loop's time to the shift's."""
        return self.bare_s / self.shift_s


def play(seed: int) -> Shift:
    """Play the shift that is measured, all invariants on; raises if one does not hold."""
    shift = Shift(Settings(seed, SHORT, "typical", ways_out=0))
    result = shift.play()
    if result.violation:
        raise SystemExit(f"{result.violation}\nRepeat it: {shift.settings.command}")
    return shift


def listened(seed: int) -> Carried:
    """Play a shift and keep what goes over its wires."""
    decoders: dict[int, framing.FrameDecoder] = {}
    payloads: list[bytes] = []
    put = Wire.put

    def tapped(wire: Wire, at: int, data: bytes) -> None:
        payloads.extend(decoders.setdefault(id(wire), framing.FrameDecoder()).feed(data))
        put(wire, at, data)

    with patch.object(Wire, "put", tapped):
        shift = play(seed)
    return Carried([codec.decode(payload) for payload in payloads], shift.world.disk.flushed)


def carry_bare(carried: Carried) -> None:
    """Carry the same frames, cards and records, and nothing else."""
    decoder, machine, tip = framing.FrameDecoder(), TableMachine("cards", (DRAWN,)), Tip()
    for message in carried.messages:
        for payload in decoder.feed(framing.encode_frame(codec.encode(message))):
            codec.decode(payload)
    for _ in range(carried.cards):
        machine.fire(DRAWN.source, DRAWN.trigger, FACTS)
    for entry in carried.entries:
        tip = advanced(tip, chained(tip, entry))


def timed(does: Callable[[], object]) -> float:
    """Return the seconds of processor time that it takes."""
    began = time.process_time()
    does()
    return time.process_time() - began


def measured(seed: int) -> Timed:
    """Measure shift and bare loop of a seed by turns."""
    carried = listened(seed)
    turns = [(timed(lambda: play(seed)), timed(lambda: carry_bare(carried))) for _ in range(TURNS)]
    shifts, bares = zip(*turns, strict=True)
    return Timed(seed, carried, min(shifts), min(bares))


def main() -> int:
    """Measure every seed; print a table and one line of JSON."""
    print(" seed   frames  leases  cards  records  shift s  bare s  ratio")
    rows = []
    for seed in SEEDS:
        row = measured(seed)
        rows.append(row)
        carried = row.carried
        counts = f"{len(carried.messages):>8} {carried.leases:>7} {carried.cards:>6} {len(carried.entries):>8}"
        print(f"{seed:>5} {counts} {row.shift_s:>8.2f} {row.bare_s:>7.3f} {row.ratio:>6.3f}", flush=True)
    ratio = sum(row.bare_s for row in rows) / sum(row.shift_s for row in rows)
    print(json.dumps({"bench": "simulate", "seeds": SEEDS, "ratio": round(ratio, 4), "floor": FLOOR, "goal": GOAL}))
    return 0 if ratio >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
