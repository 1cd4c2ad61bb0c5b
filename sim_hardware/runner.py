"""A physical table in real time behind ptys: one thread, waiting for bytes and the table's next deadline."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import ceil

from sim_hardware.pty_port import PtyPort
from sim_hardware.table import Now, PhysicalTable

LONGEST_WAIT = 1.0


class RunnerError(Exception):
    """The runner's thread has ended by an error, its cause: the devices are dead. Stop and start anew."""


class Runner:
    """Runs a table from ``start`` to ``stop``; ``speed`` scales its moving parts only, never the link's clock.

    ``make_table`` is given the time at its making. People act through ``hands``, from any thread.
    """

    def __init__(
        self,
        make_table: Callable[[Now], PhysicalTable],
        ports: Mapping[str, PtyPort],
        speed: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ports = ports
        self._speed = speed
        self._clock = clock
        self._made = clock()
        self._table = make_table(self._now())
        self._lock = threading.RLock()
        self._stopping = False
        self._failure: BaseException | None = None
        self._woken, self._wake = os.pipe()
        for end in (self._woken, self._wake):
            os.set_blocking(end, False)
        self._thread = threading.Thread(target=self._run, name="simulated table")

    def start(self) -> None:
        """Start the thread. Whoever made the runner owes it a ``stop`` whether this succeeded or not."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and close the ports. Raises RunnerError if the thread had failed."""
        self._stopping = True
        self._rouse()
        if self._thread.ident is not None:
            self._thread.join()
        for port in self._ports.values():
            port.close()
        for end in (self._woken, self._wake):
            os.close(end)
        self._check()

    @contextmanager
    def hands(self) -> Iterator[PhysicalTable]:
        """Lend the table, stepped to the present; what devices say of what was done leaves at the end."""
        with self._lock:
            self._check()
            self._step()
            try:
                yield self._table
            finally:
                self._step()
        self._rouse()

    def unplug(self, device: str) -> None:
        """Pull a device's cable out."""
        with self._lock:
            self._ports[device].unplug()
        self._rouse()

    def replug(self, device: str) -> None:
        """Plug a device's cable in again: another pty under the same name."""
        with self._lock:
            self._ports[device].plug()
            self._table.plugged_in(device)
        self._rouse()

    def _now(self) -> Now:
        link = self._clock()
        return Now(link, (link - self._made) * self._speed)

    def _step(self) -> None:
        received = {name: port.read() for name, port in self._ports.items()}
        for name, data in self._table.step(self._now(), received).items():
            self._ports[name].write(data)

    def _wait(self) -> float:
        now, due = self._now(), self._table.deadline
        return min(due.link - now.link, (due.mechanics - now.mechanics) / self._speed, LONGEST_WAIT)

    def _run(self) -> None:
        try:
            while not self._stopping:
                poll = select.poll()
                poll.register(self._woken, select.POLLIN)
                with self._lock:
                    self._step()
                    wait = self._wait()
                    for port in self._ports.values():
                        if (descriptor := port.fileno()) is not None:
                            poll.register(descriptor, select.POLLIN)
                poll.poll(max(0, ceil(wait * 1000)))
                self._drain()
        except BaseException as failure:  # noqa: BLE001 - kept for whoever uses the table next
            self._failure = failure

    def _rouse(self) -> None:
        try:
            os.write(self._wake, b"\0")
        except BlockingIOError:
            return  # The pipe is full of calls already: the thread will wake.

    def _drain(self) -> None:
        try:
            os.read(self._woken, 4096)
        except BlockingIOError:
            return  # Nobody called: bytes or the deadline woke us.

    def _check(self) -> None:
        if self._failure is not None:
            raise RunnerError("the simulated table has stopped by the error below: start it again") from self._failure
