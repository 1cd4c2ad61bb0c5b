"""The chain: how records are linked and what a signature signs. Pure; the bytes are those of README.md."""

from __future__ import annotations

import re
from hashlib import sha256
from struct import Struct as Layout

from msgspec import Struct

from firmware_bridge.core.records import Entry
from firmware_bridge.errors import JournalError

ZERO_DIGEST = bytes(32)
HEAD_WORDS = b"sabot head 1"
OPENING_WORDS = b"sabot segment 1"

_RECORD = Layout(">Qqq")
_HEAD = Layout(">QQ32s")
_OPENING = Layout(">QQQ32sB32s")
_HEAD_TEXT = re.compile(r"([0-9]{1,18}):([0-9a-fA-F]{64})")


class Record(Struct, frozen=True):
    """An entry in the chain: ``digest`` covers it and, through the digest before, all records before it."""

    number: int
    utc_ns: int
    link_ns: int
    body: bytes
    digest: bytes


class Tip(Struct, frozen=True):
    """Where a chain stands: its last record, and ``signed``, the last record that a signature covers."""

    number: int = 0
    digest: bytes = ZERO_DIGEST
    signed: int = 0


class Head(Struct, frozen=True):
    """The signature over the chain up to ``number``; the signature before it goes up to ``after``."""

    after: int
    number: int
    digest: bytes
    signature: bytes


class Opening(Struct, frozen=True):
    """A segment's first row: which segment of which table, and, signed, where the chain stood before it.

    ``gap``: the segment before was given up after a failed flush; records in it after ``number`` were never
    acknowledged and do not belong to the journal.
    """

    segment: int
    table: str
    public_key: bytes
    after: int
    number: int
    digest: bytes
    gap: bool
    signature: bytes

    def tip(self) -> Tip:
        """The chain before the segment's first record."""
        return Tip(self.number, self.digest, self.number)


def record_digest(previous: bytes, number: int, utc_ns: int, link_ns: int, body: bytes) -> bytes:
    """SHA-256 over the digest before, number, both times and body.

    ``struct.error`` if a number does not fit.
    """
    return sha256(previous + _RECORD.pack(number, utc_ns, link_ns) + body).digest()


def chained(tip: Tip, entry: Entry) -> Record:
    """The entry as the record that follows the tip. ``JournalError`` if its number is not the next one."""
    if entry.number != tip.number + 1:
        raise JournalError(
            f"journal: record {entry.number} was offered after record {tip.number}; nothing of it was "
            f"written. "
            "This is a fault of the controller: keep the journal and report it."
        )
    digest = record_digest(tip.digest, entry.number, entry.utc_ns, entry.link_ns, entry.body)
    return Record(entry.number, entry.utc_ns, entry.link_ns, entry.body, digest)


def follows(tip: Tip, record: Record) -> bool:
    """Whether the record is the one that the chain goes on with."""
    return record.number == tip.number + 1 and record.digest == record_digest(
        tip.digest, record.number, record.utc_ns, record.link_ns, record.body
    )


def advanced(tip: Tip, record: Record) -> Tip:
    """The tip after one more record."""
    return Tip(record.number, record.digest, tip.signed)


def head_message(after: int, number: int, digest: bytes) -> bytes:
    """What a head's signature signs."""
    return HEAD_WORDS + _HEAD.pack(after, number, digest)


def opening_message(opening: Opening) -> bytes:
    """What an opening's signature signs: every field but the signature, the table's name last."""
    fixed = _OPENING.pack(
        opening.segment, opening.after, opening.number, opening.digest, opening.gap, opening.public_key
    )
    return OPENING_WORDS + fixed + opening.table.encode()


def head_text(number: int, digest: bytes) -> str:
    """A head as people carry it off: ``NUMBER:DIGEST`` in hexadecimal."""
    return f"{number}:{digest.hex()}"


def parse_head(text: str) -> tuple[int, bytes]:
    """Number and digest of a head as printed. ``JournalError`` if it is none."""
    match = _HEAD_TEXT.fullmatch(text.strip())
    if match is None:
        raise JournalError(
            f"{text!r} is no head. Give it as it was printed: the record's number, a colon, 64 hexadecimal digits."
        )
    return int(match[1]), bytes.fromhex(match[2])
