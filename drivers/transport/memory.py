"""Two ends of a byte pipe inside one process, for tests and for devices that live beside their driver."""

from __future__ import annotations

import threading

from drivers.errors import LinkLostError


class MemoryPipe:
    """One end of a pair; what one writes the other reads. Closing an end is an unplug for the other."""

    def __init__(self, name: str, changed: threading.Condition) -> None:
        self._name = name
        self._changed = changed
        self._arrived = bytearray()
        self._cancelled = False
        self._closed = False
        self._far: MemoryPipe

    def read(self, timeout: float) -> bytes:
        """Return what has come within ``timeout`` seconds; what was sent before an unplug is still read."""
        with self._changed:
            self._changed.wait_for(lambda: self._arrived or self._cancelled or self._gone, timeout)
            received = bytes(self._arrived)
            self._arrived.clear()
            self._cancelled = False
            if self._gone and not received:
                raise self._lost()
            return received

    def write(self, data: bytes) -> None:
        """Hand ``data`` to the far end; never waits."""
        with self._changed:
            if self._gone:
                raise self._lost()
            self._far._arrived += data
            self._changed.notify_all()

    def cancel(self) -> None:
        """Let the read under way, or else the next one, return at once."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def close(self) -> None:
        """Unplug this end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def _gone(self) -> bool:
        return self._closed or self._far._closed

    def _lost(self) -> LinkLostError:
        return LinkLostError(self._name, "the far end is closed", "open a new pair")


def memory_pair(name: str = "memory") -> tuple[MemoryPipe, MemoryPipe]:
    """Return the two ends of a new pipe; errors call it ``name``."""
    changed = threading.Condition()
    near, far = MemoryPipe(name, changed), MemoryPipe(name, changed)
    near._far, far._far = far, near
    return near, far
