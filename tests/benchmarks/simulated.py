"""How fast simulated shifts are, against a bare loop that carries the same frames.

Bare is what no simulation of such a table can do without: every frame that the shift carried, leases included, encoded
and decoded once; one transition a card; the chain's hash of every record. A round plays another seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from unittest.mock import patch

from drivers.protocol import codec, framing
from drivers.protocol.messages import CARD_BODIES, Event, Message
from firmware_bridge.core.machine import Facts, Row, TableMachine
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.journal.chain import Tip, advanced, chained
from firmware_bridge.service.inspection import Entry, State, events, load_for_table
from sim_hardware.commands.simulate.shift import SHORT, Settings, Shift
from sim_hardware.commands.stepped import Wire
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, rate

SEEDS = 3
SHIFTS = Limits("simulated shifts", "a bare loop with the same frames", "frames/s", 0.05, 0.3, more_is_better=True)

DRAWN = Row(Session.IN_ROUND, Trigger.CARD_DRAWN, Session.IN_ROUND, "PT-A9")
FACTS = Facts(State(), events.TimerDue("none"), load_for_table("portugal"), 0)


@dataclass
class Carried:
    """What a shift carried: every message in order, how many of them cards, and its records."""

    messages: list[Message]
    entries: list[Entry]

    @property
    def cards(self) -> int:
        """Cards among the messages."""
        return sum(isinstance(message, Event) and isinstance(message.body, CARD_BODIES) for message in self.messages)


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


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure a seed a round: its shift and its bare loop."""
    seeds = range(1, (1 if bench.quick else SEEDS) + 1)
    heard = {seed: listened(seed) for seed in seeds}
    shifts, bares = cycle(seeds), cycle(seeds)

    def shift() -> float:
        seed = next(shifts)
        return rate(lambda: play(seed), len(heard[seed].messages))

    def bare() -> float:
        carried = heard[next(bares)]
        return rate(lambda: carry_bare(carried), len(carried.messages))

    yield by_turns(SHIFTS, shift, bare, len(seeds))
