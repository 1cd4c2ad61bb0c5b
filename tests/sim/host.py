"""A host for tests of devices: says exactly what a test tells it to, and keeps all that it hears."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from random import Random
from typing import Generic, Protocol, TypeVar

from drivers.protocol import codec, framing
from drivers.protocol import messages as m
from sim_hardware.firmware import Firmware
from sim_hardware.mechanics import Rates
from sim_hardware.table import CarouselTable, Fittings, Now, PhysicalTable

M = TypeVar("M", bound=m.Message)
B = TypeVar("B", bound=m.Body)
T = TypeVar("T", bound="Stepped")

DEAL, UNLOAD, VERIFY = m.Purpose.DEAL, m.Purpose.UNLOAD, m.Purpose.VERIFY
FAST = Fittings(decks=1, rates=Rates(card=0.01, compartment=0.01))


def frame(message: m.Message) -> bytes:
    return framing.encode_frame(codec.encode(message))


class Stepped(Protocol):
    """A rig of simulated devices."""

    @property
    def devices(self) -> Mapping[str, Firmware]: ...

    @property
    def deadline(self) -> Now: ...

    def step(self, now: Now, received: Mapping[str, bytes]) -> dict[str, bytes]: ...


BEGAN = 100.0
"""The time at which every rig begins."""


class Host(Generic[T]):
    """A table on a stepped clock, both its clocks alike, and the host's end of its wires."""

    def __init__(self, table: T) -> None:
        self.time = BEGAN
        self.table = table
        self.heard: dict[str, list[m.Message]] = defaultdict(list)
        self.links: dict[str, int] = {}
        self.revisions: Counter[tuple[str, m.Level]] = Counter()
        self.renewing: dict[str, m.Purpose] = {}
        """Releases that this host renews at each heartbeat."""
        self.acking: set[str] = set()
        """Devices whose every event this host acks at once."""
        self._decoders = {name: framing.FrameDecoder() for name in self.table.devices}
        self._nonces = iter(range(7, 10_000))

    # ---- time

    def run(self, seconds: float = 0.0) -> None:
        end = self.time + seconds
        while (due := min(self.table.deadline)) <= end:
            self.time = max(self.time, due)
            self._step({})
        self.time = end
        self._step({})

    def say(self, device: str, *messages: m.Message) -> None:
        self.say_bytes(device, b"".join(map(frame, messages)))

    def say_bytes(self, device: str, data: bytes) -> None:
        self._step({device: data})

    def _step(self, received: dict[str, bytes]) -> None:
        answers: dict[str, bytes] = {}
        for name, data in self.table.step(Now(self.time, self.time), received).items():
            for payload in self._decoders[name].feed(data):
                message = codec.decode(payload)
                self.heard[name].append(message)
                answers[name] = answers.get(name, b"") + self._answer(name, message)
        if any(answers.values()):
            self._step(answers)

    def _answer(self, name: str, message: m.Message) -> bytes:
        if isinstance(message, m.Heartbeat) and name in self.renewing and message.link == self.links.get(name):
            return frame(self.lease(name, self.renewing[name], message.number))
        if isinstance(message, m.Event) and name in self.acking:
            return frame(m.Ack(message.link, message.number))
        return b""

    # ---- what was heard

    def all(self, device: str, kind: type[M]) -> list[M]:
        return [message for message in self.heard[device] if isinstance(message, kind)]

    def last(self, device: str, kind: type[M]) -> M:
        return self.all(device, kind)[-1]

    def events(self, device: str) -> list[m.Event]:
        return self.all(device, m.Event)

    def bodies(self, device: str, kind: type[B]) -> list[B]:
        return [event.body for event in self.events(device) if isinstance(event.body, kind)]

    def heartbeat(self, device: str) -> m.Heartbeat:
        """Wait for the next heartbeat."""
        before = len(self.all(device, m.Heartbeat))
        while len(self.all(device, m.Heartbeat)) == before:
            self.run(max(0.0, min(self.table.deadline) - self.time))
        return self.last(device, m.Heartbeat)

    # ---- what a host does

    def open(self, *devices: str) -> m.Hello:
        """Open the links of devices, and ask each for all that it keeps."""
        for device in devices:
            nonce = next(self._nonces)
            self.renewing.pop(device, None)
            self.say(device, m.Open(m.PROTOCOL_VERSION, nonce))
            hello = self.last(device, m.Hello)
            assert hello.nonce == nonce
            self.links[device] = hello.link
            for level in m.Level:
                self.revisions[device, level] = 0
            self.say(device, m.Ask(hello.link, hello.first_kept))
        return hello

    def ask(self, device: str, number: int) -> None:
        self.say(device, m.Ask(self.links[device], number))

    def ack(self, device: str, number: int | None = None) -> None:
        upto = self.last(device, m.Event).number if number is None else number
        self.say(device, m.Ack(self.links[device], upto))

    def level(self, device: str, level: m.Level, value: int) -> None:
        self.revisions[device, level] += 1
        revision = self.revisions[device, level]
        self.say(device, m.SetLevel(self.links[device], level, revision, value))

    def hold(self, device: str) -> None:
        self.renewing.pop(device, None)
        self.level(device, m.Level.HOLD, 1)

    def lease(self, device: str, purpose: m.Purpose, heartbeat: int) -> m.Lease:
        return m.Lease(self.links[device], self.revisions[device, m.Level.HOLD], purpose, heartbeat)

    def release(self, device: str, purpose: m.Purpose, renewing: bool = True) -> m.Heartbeat:
        """Release in answer to the next heartbeat, which is returned; go on renewing unless told not to."""
        self.renewing.pop(device, None)
        heartbeat = self.heartbeat(device)
        self.revisions[device, m.Level.HOLD] += 1
        self.say(device, self.lease(device, purpose, heartbeat.number))
        if renewing:
            self.renewing[device] = purpose
        return heartbeat

    def begin_events(self, device: str) -> None:
        """Make a device say its first event, and ask for it: from then on it sends each new one at once."""
        self.hold(device)
        self.ask(device, self.heartbeat(device).first_kept)


class Rig(Host[PhysicalTable]):
    """A table with a continuous shuffler."""

    def __init__(self, fittings: Fittings = FAST, seed: int = 1) -> None:
        super().__init__(CarouselTable(Random(seed), Now(BEGAN, BEGAN), fittings))

    def ready(self, purpose: m.Purpose = DEAL) -> None:
        """Open all, load every card of the box, ack everything, release shuffler and shoe."""
        self.open(*self.table.devices)
        for device in ("shuffler", "shoe"):
            self.begin_events(device)
            self.acking.add(device)
            self.ack(device)
        self.level("shuffler", m.Level.INTAKE, 1)
        self.table.put_in_intake_tray(list(self.table.box))
        self.run(len(list(self.table.all_cards())) * 0.02)
        assert not self.table.mechanism.intake_tray
        self.level("shuffler", m.Level.INTAKE, 0)
        self.release("shuffler", purpose)
        self.release("shoe", purpose)
        self.run(0.2)


def pulls(rig: Rig, tries: int = 20) -> int:
    """Pull again and again, a quarter second apart; return how many cards came."""
    came = 0
    for _ in range(tries):
        came += rig.table.pull_card() is not None
        rig.run(0.25)
    return came
