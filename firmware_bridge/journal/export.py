"""The journal as JSON lines: an opening, a record or a head each, with everything that the chain covers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from firmware_bridge.journal.chain import Head, Opening, Record
from firmware_bridge.journal.reader import batches_of, opening_of, segment_count


def parts(path: Path) -> Iterator[Opening | Record | Head]:
    """Openings, records and heads of a journal in order, unchecked.

    ``JournalError`` if a segment cannot be read.
    """
    count = segment_count(path)
    for segment in range(1, count + 1):
        opening = opening_of(path, segment)
        yield opening
        end = opening_of(path, segment + 1).number if segment < count else None
        for batch in batches_of(path, segment, opening.number + 1):
            yield from batch.in_order(end)
            if end is not None and batch.records and batch.records[-1].number >= end:
                break  # what follows was given up with its segment after a failed flush


def export_lines(found: Iterable[Opening | Record | Head]) -> Iterator[bytes]:
    """One line for each part, with its newline; a record's body is the very bytes that its digest covers."""
    for part in found:
        if isinstance(part, Record):
            yield _record_line(part)
        elif isinstance(part, Head):
            yield _line(
                {
                    "head": part.number,
                    "after": part.after,
                    "digest": part.digest.hex(),
                    "signature": part.signature.hex(),
                }
            )
        else:
            yield _line(
                {
                    "segment": part.segment,
                    "table": part.table,
                    "public_key": part.public_key.hex(),
                    "after": part.after,
                    "number": part.number,
                    "digest": part.digest.hex(),
                    "gap": part.gap,
                    "signature": part.signature.hex(),
                }
            )


def _record_line(record: Record) -> bytes:
    start = _line(
        {
            "record": record.number,
            "utc_ns": record.utc_ns,
            "link_ns": record.link_ns,
            "digest": record.digest.hex(),
        }
    )[:-2]
    if _stands_in_a_line(record.body):
        return start + b',"body":' + record.body + b"}\n"
    return start + b',"body_hex":"' + record.body.hex().encode() + b'"}\n'


def _stands_in_a_line(body: bytes) -> bool:
    """Whether the body is JSON that can be taken as it is; the store itself asks nothing of it."""
    if b"\n" in body or body != body.strip():
        return False
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _line(content: dict[str, object]) -> bytes:
    return msgspec.json.encode(content) + b"\n"
