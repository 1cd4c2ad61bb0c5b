"""Reading a journal across its segments, in short reads that never hold up the writer, alive or dead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.chain import Head, Opening, Record, Tip, advanced, follows
from firmware_bridge.journal.database import (
    APPLICATION_ID,
    HIGHEST,
    LOWEST,
    Batch,
    read_batch,
    read_tail,
)
from firmware_bridge.journal.files import closed_segments, is_closed_half_way, numbered
from firmware_bridge.plain_file import open_plain

BATCH = 250
"""Records that one short read holds together: a thousand take a megabyte and a fifth less time to read."""
_ATTEMPTS = 20

_HEADER = 100
_SQLITE, _ID = b"SQLite format 3\0", slice(68, 72)
"""Of the header of a SQLite file: how it begins, and where its application id stands."""


def require_journal(path: Path) -> None:
    """Raise ``JournalError`` for a path that leads to no journal at all: then nothing can be said about its records.

    A journal of which an older segment is there is one, whatever became of FILE.
    """
    try:
        if closed_segments(path):
            return
        with open(open_plain(path), "rb") as file:
            start = file.read(_HEADER)
    except FileNotFoundError as error:
        raise _no_journal(path) from error
    except OSError as error:
        raise JournalError(
            f"journal {path}: it cannot be read: {error.strerror}. Give a journal's file, and run this as a user who "
            "may read it."
        ) from error
    if not start:
        raise JournalError(f"journal {path}: the file is empty, which no journal is. Give another, or restore a copy.")
    if start[: len(_SQLITE)] != _SQLITE or start[_ID] != APPLICATION_ID.to_bytes(4, "big"):
        raise JournalError(
            f"journal {path}: this file is not a journal. Give the path of the journal's newest file; if it was one, "
            "it is damaged: keep it for the inspector."
        )


def is_begun(path: Path) -> bool:
    """Whether something is there to be read; false where only the folder is, in which a controller may begin it."""
    try:
        return not path.parent.is_dir() or path.exists() or bool(closed_segments(path))
    except OSError:
        return True  # whoever reads it is told why that cannot be


def segment_count(path: Path) -> int:
    """How many segments there are, FILE included. ``JournalError`` if there is none."""
    for _ in range(_ATTEMPTS):
        try:
            closed = closed_segments(path)
            current = path.exists() and not is_closed_half_way(path)
            if closed != closed_segments(path):
                continue  # a segment was closed meanwhile: what was seen belongs to no one moment
        except OSError as error:
            raise _no_journal(path) from error
        if closed or current:
            return (closed[-1] if closed else 0) + current
        break
    raise _no_journal(path)


def segment_path(path: Path, segment: int) -> Path:
    """Where a segment lies at this moment."""
    away = numbered(path, segment)
    return away if away.exists() else path


def batch_of(path: Path, segment: int, first: int, limit: int) -> Batch:
    """One short read of a segment, found again if it was closed meanwhile.

    ``JournalError`` if it is not there.
    """
    for _ in range(_ATTEMPTS):
        place = segment_path(path, segment)
        try:
            batch = read_batch(place, first, limit)
        except FileNotFoundError:
            continue
        if segment_path(path, segment) == place:
            return batch
    raise JournalError(f"journal {path}: segment {segment} is missing. Put the file back, or give the whole journal.")


def batches_of(path: Path, segment: int, first: int) -> Iterator[Batch]:
    """All of a segment from record ``first`` on, with its heads, in short reads. Raises as ``batch_of`` does."""
    while True:
        batch = batch_of(path, segment, first, BATCH)
        yield batch
        if not batch.more:
            return
        first = batch.records[-1].number + 1


def opening_of(path: Path, segment: int) -> Opening:
    """A segment's opening alone, unchecked: no record has the highest number."""
    return batch_of(path, segment, HIGHEST, 1).opening


def segment_start(path: Path) -> int:
    """The number before the newest segment's first record: ``after`` for a reader of the last session."""
    return opening_of(path, segment_count(path)).number


def last_number(path: Path) -> int:
    """Number of the last record; 0 in an empty journal."""
    place = segment_path(path, segment_count(path))
    batch = read_tail(place, 1)
    return batch.records[-1].number if batch.records else batch.opening.number


def digest_of(path: Path, number: int) -> bytes:
    """The digest of a record. ``JournalError`` if the journal does not hold it."""
    return _tip_at(path, _segment_with(path, number), number).digest


def read_records(path: Path, after: int = 0) -> Iterator[Record]:
    """The records after number ``after``, up to the end when it is reached; call again for more.

    ``JournalError`` if a record does not follow the one before it, or a segment is missing.
    """
    segment = _segment_with(path, after)
    tip = _tip_at(path, segment, after)
    while True:
        end = _end_of(path, segment)
        if end == tip.number:
            segment += 1
            continue
        records = batch_of(path, segment, tip.number + 1, BATCH).records
        for record in records:
            if record.number - 1 == end:
                break  # what follows was given up with its segment after a failed flush
            if not follows(tip, record):
                raise JournalError(
                    f"journal {path}: record {record.number} does not follow record {tip.number}. "
                    "Run `sabot journal verify` on it and keep it for the inspector."
                )
            tip = advanced(tip, record)
            yield record
        if not records and end is not None:
            raise JournalError(
                f"journal {path}: segment {segment} ends at record {tip.number}, not {end}. "
                "Run `sabot journal verify` on it and keep it for the inspector."
            )
        if not records and _end_of(path, segment) is None:
            return


def heads(path: Path) -> Iterator[Head]:
    """All signed heads, the oldest first, unchecked."""
    for segment in range(1, segment_count(path) + 1):
        for batch in batches_of(path, segment, LOWEST):
            yield from batch.heads


def _segment_with(path: Path, after: int) -> int:
    """The segment in which the record after ``after`` lies; looked for from the newest back."""
    for segment in range(segment_count(path), 1, -1):
        if opening_of(path, segment).number <= after:
            return segment
    return 1


def _tip_at(path: Path, segment: int, after: int) -> Tip:
    opening = opening_of(path, segment)
    if after == opening.number:
        return opening.tip()
    found = batch_of(path, segment, after, 1).records
    if not found or found[0].number != after:
        raise JournalError(f"journal {path}: it has no record {after} to go on from. Give a number that it holds.")
    return Tip(after, found[0].digest)


def _end_of(path: Path, segment: int) -> int | None:
    """The last record of a closed segment, as the next one's opening tells; None of the newest."""
    return opening_of(path, segment + 1).number if segment < segment_count(path) else None


def _no_journal(path: Path) -> JournalError:
    return JournalError(f"journal {path}: there is no such file. Give the path of the journal's newest file, FILE.")
