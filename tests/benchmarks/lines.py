"""The devices' side of a table in real time: simulated devices on ptys, and bursts of events, each timed to its ack.

Between bursts the devices are the simulator's own. In a burst they are as cheap as can be, so that what is measured is
the controller: a prepared event is sent, its ack is awaited, the next one follows.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from drivers.protocol import codec
from drivers.protocol.framing import FrameDecoder, encode_frame
from drivers.protocol.messages import Ack, DealerKeyPressed, Event, EventBody, Level, Message, SetLevel
from firmware_bridge.service.clocks import boot_seconds
from sim_hardware.firmware import HEARTBEAT_PERIOD, Firmware
from sim_hardware.pty_port import PtyPort
from tests.benchmarks.process import LIMIT

Lane = Sequence[tuple[str, EventBody]]
"""Events of devices, by name; each is sent when the one before it is acknowledged."""


class Rig(Protocol):
    """Simulated devices, stepped by seconds of the link's clock."""

    devices: Mapping[str, Firmware]

    def step(self, now: float, received: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Let time pass; take what was received and return what is to be sent, by device."""

    def due(self) -> float:
        """When to step again at the latest."""

    def beside_a_burst(self, now: float) -> Mapping[str, bytes]:
        """Return what the devices send in a burst beside its events."""


class Lines:
    """A rig behind ptys, in the thread of whoever calls."""

    def __init__(self, rig: Rig, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.rig = rig
        self.acks = 0
        """Acks heard since the beginning."""
        self._ports = {name: PtyPort(folder / name) for name in rig.devices}
        self._names = {port.fileno(): name for name, port in self._ports.items()}
        self._decoders = {name: FrameDecoder() for name in rig.devices}
        self._prompts: dict[str, int] = {}
        self._poll = select.poll()
        for port in self._ports.values():
            self._poll.register(port.fileno() or 0, select.POLLIN)

    def close(self) -> None:
        """Take the ports away."""
        for port in self._ports.values():
            port.close()

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    # ---- as devices

    def live(self, until: Callable[[], object], seconds: float = LIMIT) -> None:
        """Be the simulated devices until something has come about. Raises TimeoutError after so many seconds."""
        end = boot_seconds() + seconds
        received: dict[str, bytes] = {}
        while True:
            now = boot_seconds()
            for name, data in self.rig.step(now, received).items():
                self._ports[name].write(data)
            if until():
                return
            if now > end:
                raise TimeoutError(f"a controller did not do within {seconds:g} s what was measured")
            received = self._read(max(0.0, min(self.rig.due(), end) - boot_seconds()))
            for name, data in received.items():
                for message in self._heard(name, data):
                    self._note(name, message)

    def idle(self, seconds: float) -> None:
        """Be the simulated devices for so long."""
        end = boot_seconds() + seconds
        self.live(lambda: boot_seconds() >= end, seconds + LIMIT)

    # ---- in a burst

    def burst(self, lanes: Sequence[Lane]) -> list[float]:
        """Tell the events of all lanes, lane beside lane; return the seconds from each one's sending to its ack."""
        going = [iter(lane) for lane in lanes]
        waiting: dict[str, tuple[int, int, float]] = {}
        took: list[float] = []

        def go_on(lane: int) -> None:
            one = next(going[lane], None)
            if one is not None:
                name, body = one
                waiting[name] = lane, *self._tell(name, body)

        for lane in range(len(lanes)):
            go_on(lane)
        heard_at = time.perf_counter()
        while waiting:
            for name, data in self.rig.beside_a_burst(boot_seconds()).items():
                self._ports[name].write(data)
            if received := self._read(HEARTBEAT_PERIOD):
                heard_at = time.perf_counter()
            elif time.perf_counter() > heard_at + LIMIT:
                raise TimeoutError(f"nothing was heard within {LIMIT:g} s of {waiting}")
            for name, data in received.items():
                for message in self._heard(name, data):
                    self._note(name, message)
                    if isinstance(message, Ack) and name in waiting and message.number >= waiting[name][1]:
                        lane, _, sent = waiting.pop(name)
                        took.append(time.perf_counter() - sent)
                        go_on(lane)
        return took

    def _tell(self, name: str, body: EventBody) -> tuple[int, float]:
        device = self.rig.devices[name]
        if isinstance(body, DealerKeyPressed):
            body = DealerKeyPressed(body.key, self._prompts.get(name, 0))
        device.store.add(body)
        number = device.store.last
        frame = encode_frame(codec.encode(Event(device.link, number, body)))
        sent = time.perf_counter()
        self._ports[name].write(frame)
        return number, sent

    def _note(self, name: str, message: Message) -> None:
        """Keep what outlives a burst: the ack frees the device's place, and a key repeats the prompt in force."""
        if isinstance(message, Ack):
            self.acks += 1
            self.rig.devices[name].store.ack(message.number)
        elif isinstance(message, SetLevel) and message.level is Level.PROMPT:
            self._prompts[name] = message.value

    def _read(self, seconds: float) -> dict[str, bytes]:
        ready = self._poll.poll(int(seconds * 1000) + 1 if seconds else 0)
        return {self._names[descriptor]: self._ports[self._names[descriptor]].read() for descriptor, _ in ready}

    def _heard(self, name: str, data: bytes) -> Iterator[Message]:
        for payload in self._decoders[name].feed(data):
            yield codec.decode(payload)
