"""A byte pipe within the process: two ends, each a port to the other."""

from __future__ import annotations


class MemoryPort:
    """One end of a pipe. With ``one_byte`` a read returns a single byte, as a slow line may."""

    def __init__(self, one_byte: bool = False) -> None:
        self._arrived = bytearray()
        self._one_byte = one_byte
        self._peer = self

    @classmethod
    def pair(cls, one_byte: bool = False) -> tuple[MemoryPort, MemoryPort]:
        """Return the two ends of a new pipe."""
        here, there = cls(one_byte), cls(one_byte)
        here._peer, there._peer = there, here
        return here, there

    def write(self, data: bytes) -> None:
        """Put bytes in; the other end reads them."""
        self._peer._arrived += data

    def read(self) -> bytes:
        """Return what has arrived, or only its first byte; empty if nothing has."""
        count = 1 if self._one_byte else len(self._arrived)
        data = bytes(self._arrived[:count])
        del self._arrived[:count]
        return data
