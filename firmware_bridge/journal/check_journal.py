"""Checks a journal with Python's standard library alone; it shares no code with the controller.

    python3 check_journal.py FILE [--key HEX] [--head NUMBER:HEX]

FILE is the journal's newest file; FILE.1, FILE.2 ... lie beside it, and FILE-wal if there is one. They are
copied before they are opened, so nothing is ever written beside them: check a journal that no controller is
writing. README.md describes each byte and what the check proves. Ends with 0 if nothing bad was found, else
with 1.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import sqlite3
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# -- Ed25519 (RFC 8032, section 5.1): verification only, so nothing secret is handled ------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)

Point = tuple[int, int, int, int]  # X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z
NEUTRAL: Point = (0, 1, 1, 0)


def add(a: Point, b: Point) -> Point:
    """The sum of two points (RFC 8032, 5.1.4)."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    i, j, k, m = f - e, h - g, h + g, f + e
    return i * j % P, k * m % P, j * k % P, i * m % P


def decompress(code: bytes) -> Point | None:
    """The point of 32 bytes (RFC 8032, 5.1.3); None if they are none."""
    y = int.from_bytes(code, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def compress(point: Point) -> bytes:
    """The 32 bytes of a point (RFC 8032, 5.1.2)."""
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")) or NEUTRAL


def signature_holds(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether S times the base point less k times the key is R (RFC 8032, 5.1.7)."""
    key = decompress(public) if len(public) == 32 else None
    if key is None or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    minus_key: Point = (P - key[0], key[1], 1, P - key[3])
    terms = (NEUTRAL, BASE, minus_key, add(BASE, minus_key))
    found = NEUTRAL
    for bit in range(max(s.bit_length(), k.bit_length()) - 1, -1, -1):
        found = add(add(found, found), terms[(s >> bit & 1) | (k >> bit & 1) << 1])
    return compress(found) == signature[:32]


# -- the files -----------------------------------------------------------------------------------------------

SCHEMA = {
    "segment": "segment INTEGER NOT NULL, table_name TEXT NOT NULL, public_key BLOB NOT NULL, "
    "after INTEGER NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL, gap INTEGER NOT NULL, "
    "signature BLOB NOT NULL",
    "record": "number INTEGER PRIMARY KEY, utc_ns INTEGER NOT NULL, link_ns INTEGER NOT NULL, "
    "body BLOB NOT NULL, digest BLOB NOT NULL",
    "head": "number INTEGER PRIMARY KEY, after INTEGER NOT NULL, digest BLOB NOT NULL, signature BLOB NOT NULL",
}
MASTER = {("table", name, name, f"CREATE TABLE {name} ({columns}) STRICT") for name, columns in SCHEMA.items()}
IDENTITY = (0x5342544A, 1)


class Bad(Exception):
    """The first bad record, and what is bad about it."""


Row = tuple[Any, ...]

KINDS: dict[str, Callable[[Any], bool]] = {
    "i": lambda v: isinstance(v, int),
    "n": lambda v: isinstance(v, int) and v >= 0,
    "s": lambda v: isinstance(v, str),
    "b": lambda v: isinstance(v, bytes),
    "d": lambda v: isinstance(v, bytes) and len(v) == 32,
    "f": lambda v: isinstance(v, int) and v in (0, 1),
}


def is_kind(row: Row, kinds: str) -> bool:
    """Whether each field is of the kind that its letter names in ``KINDS``."""
    return all(KINDS[kind](value) for kind, value in zip(kinds, row, strict=True))


class Segment:
    """A copy of one segment, open for reading. ``ValueError`` or ``sqlite3.Error`` if it is none."""

    def __init__(self, path: Path, directory: Path) -> None:
        copy = directory / path.name
        shutil.copyfile(path, copy)
        log = path.with_name(path.name + "-wal")
        if log.exists():
            shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
        self.connection = sqlite3.connect(copy)
        self.check_format(path.name)
        (self.opening,) = self.connection.execute(
            "SELECT segment, table_name, public_key, after, number, digest, gap, signature FROM segment"
        ).fetchall()
        if not is_kind(self.opening, "nsdnndfb"):
            raise ValueError(f"the opening of {path.name} was altered")

    def check_format(self, name: str) -> None:
        """Exactly the three tables and one opening."""
        identity = tuple(self.value(f"PRAGMA {pragma}") for pragma in ("application_id", "user_version"))
        master = self.connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        exact = len(master) == len(MASTER) and set(master) == MASTER
        if identity != IDENTITY or not exact or self.value("SELECT count(*) FROM segment") != 1:
            raise ValueError(f"{name} is no journal of this format, or its tables were altered")

    def value(self, query: str) -> Any:
        """The one value of a query."""
        return self.connection.execute(query).fetchone()[0]

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Records and heads merged by number, a head after its record."""
        heads = self.connection.execute("SELECT number, after, digest, signature FROM head ORDER BY number")
        head = heads.fetchone()
        for record in self.connection.execute(
            "SELECT number, utc_ns, link_ns, body, digest FROM record ORDER BY number"
        ):
            while head is not None and head[0] < record[0]:
                yield "head", head
                head = heads.fetchone()
            yield "record", record
        while head is not None:
            yield "head", head
            head = heads.fetchone()


def segment_files(path: Path) -> list[Path]:
    """Where each segment from 1 on lies, or should; FILE last."""
    pattern = re.compile(re.escape(path.name) + r"\.([1-9][0-9]*)")
    closed = [int(match[1]) for entry in path.parent.iterdir() if (match := pattern.fullmatch(entry.name))]
    files = [path.with_name(f"{path.name}.{n}") for n in range(1, max(closed, default=0) + 1)]
    # A crash may have left the last closed segment with both names; then there is none after it.
    if path.exists() and not (files and path.samefile(files[-1])):
        files.append(path)
    return [file if file.exists() else path for file in files]


# -- the check -----------------------------------------------------------------------------------------------


class Check:
    """One pass from the first record to the first bad one."""

    def __init__(self, key: bytes | None, head: tuple[int, bytes] | None) -> None:
        self.key = key
        self.head = head
        self.public = key or b""
        self.table: str | None = None
        self.number = 0
        self.digest = bytes(32)
        self.signed = 0
        self.notes: list[str] = []

    def journal(self, path: Path) -> None:
        """Check all segments. ``Bad`` at the first bad record."""
        files = segment_files(path) if path.parent.is_dir() else []
        if not files:
            raise Bad(1, f"there is no {path}")
        with tempfile.TemporaryDirectory() as directory:
            for place, file in enumerate(files):
                try:
                    segment = Segment(file, Path(directory))
                    self.opening(place + 1, segment.opening)
                    self.segment(segment, self.gap_end(files[place + 1 :], Path(directory)))
                except (sqlite3.Error, ValueError, OSError) as error:
                    raise Bad(self.number + 1, f"segment {place + 1} cannot be read: {error}") from error
        if not path.exists():
            raise Bad(self.number + 1, f"the newest file {path.name} is missing")
        if self.head is not None and self.head[0] > self.number:
            raise Bad(self.number + 1, f"records {self.number + 1} to {self.head[0]} were cut from the end")

    def gap_end(self, following: list[Path], directory: Path) -> int | None:
        """The last record of this segment that counts, if the next one says that its last flush failed."""
        try:
            opening = Segment(following[0], directory).opening if following else None
        except (sqlite3.Error, ValueError, OSError):
            return None  # told of in its turn
        return opening[4] if opening and opening[6] else None

    def opening(self, place: int, opening: Row) -> None:
        """Check a segment's opening against where the chain stands."""
        segment, table, public, after, number, digest, gap, signature = opening
        bad = self.number + 1
        if place == 1 and self.key is None:
            self.public = public
        if public != self.public:
            raise Bad(bad, f"segment {place} was signed with another key, {public.hex()}")
        fixed = struct.pack(">QQQ32sB32s", segment, after, number, digest, gap, public)
        if not signature_holds(self.public, signature, b"sabot segment 1" + fixed + table.encode()):
            raise Bad(bad, f"the opening of segment {place} was altered")
        self.table = self.table or table
        if (segment, table) != (place, self.table):
            raise Bad(bad, f"segment {segment} of table {table} lies where segment {place} belongs")
        if (after, number, digest) != (self.signed, self.number, self.digest):
            raise Bad(bad, f"segment {place} does not go on from where the one before it ends")
        self.signed = number

    def segment(self, segment: Segment, gap_end: int | None) -> None:
        """Check records and heads in order."""
        for kind, row in segment.rows():
            if gap_end is not None and row[0] > gap_end:
                self.notes.append(f"records after {gap_end} were given up with a failed flush")
                return
            if kind == "head":
                self.check_head(row)
            else:
                self.check_record(row)

    def check_record(self, row: Row) -> None:
        """A record must be the next one and its digest that of the chain."""
        expected = self.number + 1
        if not is_kind(row, "iiibd"):
            raise Bad(expected, "altered: its fields are not of their kind")
        number, utc_ns, link_ns, body, digest = row
        if number != expected:
            raise Bad(min(number, expected), "missing" if number > expected else "it does not belong where it is")
        covered = self.digest + struct.pack(">Qqq", number, utc_ns, link_ns) + body
        if hashlib.sha256(covered).digest() != digest:
            raise Bad(number, "altered, or another took its place: its digest does not hold")
        self.number, self.digest = number, digest
        if self.head is not None and self.head[0] == number and self.head[1] != digest:
            first = 1 if self.key is None else min(self.signed + 1, number)
            raise Bad(first, f"record {number} is not the one of the head given")

    def check_head(self, row: Row) -> None:
        """A head must sign the record that it stands after, and go on from the head before it."""
        bad = self.signed + 1
        if not is_kind(row, "indb"):
            raise Bad(bad, f"the head after record {self.signed} was altered")
        number, after, digest, signature = row
        if number > self.number:
            raise Bad(self.number + 1, f"missing, and signed: there is a head for record {number}")
        if number < self.number or number <= self.signed:
            raise Bad(max(number, 1), "a head names it, where none belongs")
        if after != self.signed:
            raise Bad(bad, f"a head before that of record {number} is missing, or it was altered")
        message = b"sabot head 1" + struct.pack(">QQ32s", after, number, digest)
        if digest != self.digest or not signature_holds(self.public, signature, message):
            raise Bad(bad, f"records {bad} to {number} or their head were altered: the signature does not hold")
        self.signed = number


def parse_key(text: str) -> bytes:
    """32 bytes in hexadecimal."""
    key = bytes.fromhex(text)
    if len(key) != 32:
        raise ValueError
    return key


def parse_head(text: str) -> tuple[int, bytes]:
    """A head as printed, NUMBER:HEX."""
    number, _, digest = text.partition(":")
    return int(number), parse_key(digest)


def main() -> int:
    """Check the journal named on the command line; 0 if nothing bad was found."""
    parser = argparse.ArgumentParser(description="Checks a journal of the table controller.")
    parser.add_argument("file", type=Path, help="the journal's newest file")
    parser.add_argument("--key", type=parse_key, help="the public key noted at installation, 64 hexadecimal digits")
    parser.add_argument("--head", type=parse_head, help="a head that left the machine, NUMBER:HEX")
    given = parser.parse_args()
    check, bad = Check(given.key, given.head), None
    try:
        check.journal(given.file)
    except Bad as found:
        bad = found
    lines = [] if bad is None else [f"BAD: record {bad.args[0]}: {bad.args[1]}"]
    lines.append(f"complete to record {check.number}, head {check.number}:{check.digest.hex()}")
    lines.append(f"signed to record {check.signed}")
    lines.append(f"key {check.public.hex()}: " + ("the one given" if given.key else "by the file's own word only"))
    if not given.head:
        lines.append("Records cut from the end show only against a head that left the machine: give --head.")
    sys.stdout.write("\n".join(lines + check.notes) + "\n")
    return 0 if bad is None else 1


if __name__ == "__main__":
    sys.exit(main())
