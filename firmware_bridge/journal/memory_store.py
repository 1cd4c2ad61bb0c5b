"""The journal in memory, for stepped simulation: the same chain, and a disk that can fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firmware_bridge.core.records import Entry
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.chain import Head, Opening, Record, Tip, advanced, chained, head_text
from firmware_bridge.journal.keys import public_bytes, signed_head, signed_opening

Part = Opening | Record | Head


class MemoryStore:
    """A ``Store`` whose parts stand in one list in the order in which they were written.

    ``seed``: the 32 bytes of the signing key. With ``lazy`` the disk lies: what is appended is kept only
    after ``flush``, and ``drop_unflushed`` is the power failing before it.
    """

    def __init__(self, *, table: str, seed: bytes, lazy: bool = False) -> None:
        self._table = table
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self._lazy = lazy
        self._failing = False
        self._gap = False
        self._parts: list[Part] = []
        self._flushed = 0
        self._tip = Tip()
        self._open_segment(1)

    @property
    def last_number(self) -> int:
        """Number of the last record; 0 in an empty journal."""
        return self._tip.number

    @property
    def head(self) -> str:
        """The chain's last record, ``NUMBER:DIGEST``."""
        return head_text(self._tip.number, self._tip.digest)

    @property
    def public_key(self) -> bytes:
        """The 32 bytes by which the signatures are checked."""
        return public_bytes(self._key)

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        """Keep the entries, all or none.

        ``JournalError`` while the disk fails, and then until ``begin_segment``.
        """
        if self._failing or self._gap:
            self._gap = True
            raise JournalError("journal in memory: its disk fails, as the simulation wants. Begin a new segment.")
        tip = self._tip
        added: list[Part] = []
        for entry in entries:
            record = chained(tip, entry)
            added.append(record)
            tip = advanced(tip, record)
        if sign and tip.number > tip.signed:
            added.append(signed_head(self._key, tip))
            tip = Tip(tip.number, tip.digest, tip.number)
        self._parts += added
        self._tip = tip
        self._settle()

    def begin_segment(self) -> None:
        """Begin the next segment, as the store on disk does. ``JournalError`` while the disk fails."""
        opening = self._openings()[-1]
        if self._failing:
            self._gap = True
            raise JournalError("journal in memory: its disk fails, as the simulation wants. Mend it first.")
        if not self._gap:
            if self._tip.number == opening.number:
                return
            self.append([], sign=True)
        self._open_segment(opening.segment + 1)

    def parts(self) -> Iterator[Part]:
        """Openings, records and heads in order: what ``export`` writes."""
        return iter(self._parts)

    def records(self) -> list[Record]:
        """All records."""
        return [part for part in self._parts if isinstance(part, Record)]

    def fail(self, failing: bool = True) -> None:
        """Let every write fail from now on, or let the disk be well again."""
        self._failing = failing

    def flush(self) -> None:
        """Make durable what a lazy disk still held."""
        self._flushed = len(self._parts)

    def drop_unflushed(self) -> int:
        """The power fails: what was not flushed is gone. Returns how many records that were."""
        lost = self._parts[self._flushed :]
        del self._parts[self._flushed :]
        self._tip = Tip()
        for part in self._parts:
            self._tip = _after(self._tip, part)
        self._gap = False
        return sum(isinstance(part, Record) for part in lost)

    def _open_segment(self, segment: int) -> None:
        opening = signed_opening(self._key, segment, self._table, self._tip, gap=self._gap)
        self._parts.append(opening)
        self._tip = opening.tip()
        self._gap = False
        if segment == 1:
            self.flush()
        self._settle()

    def _openings(self) -> list[Opening]:
        return [part for part in self._parts if isinstance(part, Opening)]

    def _settle(self) -> None:
        if not self._lazy:
            self.flush()


def _after(tip: Tip, part: Part) -> Tip:
    if isinstance(part, Record):
        return advanced(tip, part)
    return Tip(part.number, part.digest, part.number)
