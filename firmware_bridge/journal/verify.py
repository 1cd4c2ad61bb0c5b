"""Verification: up to where a journal is complete and signed, and which record is the first bad one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.chain import (
    Head,
    Opening,
    Record,
    Tip,
    advanced,
    follows,
    head_message,
    head_text,
    opening_message,
    parse_head,
)
from firmware_bridge.journal.database import LOWEST, RowDamaged
from firmware_bridge.journal.keys import signature_holds
from firmware_bridge.journal.reader import batches_of, opening_of, segment_count

SESSION_ENDS = frozenset({"closed", "verified", "not_opened", "closed_with_difference"})


class VerifyReport(Struct, frozen=True):
    """What was found: ``complete_to``, the last record of the unbroken chain; ``signed_to``, the last signed.

    ``key_given`` and ``head_given``: what vouches for it beside the file itself. ``session`` is where the
    last session stands as far as the journal is complete; None if it tells of none.
    """

    path: str
    table: str
    segments: int
    complete_to: int
    signed_to: int
    head: str
    public_key: str
    key_given: bool
    head_given: bool
    session: str | None
    bad_record: int | None
    problem: str | None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing bad was found."""
        return self.problem is None

    @property
    def session_closed(self) -> bool:
        """Whether the last session was closed, in whichever of its ends."""
        return self.session in SESSION_ENDS

    def lines(self) -> list[str]:
        """The report for people."""
        found = [f"journal {self.path}: table {self.table}, {self.segments} segments"]
        if self.problem is not None:
            found.append(f"BAD: record {self.bad_record}: {self.problem}")
        found.append(f"complete to record {self.complete_to}, head {self.head}")
        after = self.complete_to - self.signed_to
        found.append(
            f"signed to record {self.signed_to}" + (f"; the chain alone speaks for the {after} after" if after else "")
        )
        found.append(f"key {self.public_key}: " + ("the one given" if self.key_given else "by the file's own word"))
        if not self.key_given and not self.head_given:
            found.append(
                "Only the file itself vouches for its key: compare it with the one noted at installation, "
                "or give --key."
            )
        if not self.head_given:
            found.append("Records cut from the end show only against a head that left the machine: give --head.")
        found.append(_session_line(self.session, self.session_closed))
        return found + list(self.notes)


class _Bad(Exception):
    """The first bad record, and what is bad about it."""

    def __init__(self, number: int, problem: str) -> None:
        super().__init__(problem)
        self.number = number
        self.problem = problem


class _SessionWatch:
    """Follows where the session stands, record by record."""

    def __init__(self) -> None:
        self.state: str | None = None

    def see(self, body: bytes) -> None:
        self.state = last_session_state([body]) or self.state


class _Walk:
    """One pass over the journal, from the first record to the first bad one."""

    def __init__(self, path: Path, key: bytes | None, head: tuple[int, bytes] | None) -> None:
        self.path = path
        self.key = key
        self.head = head
        self.public_key = key or b""
        self.table = ""
        self.segments = 0
        self.tip = Tip()
        self.session = _SessionWatch()
        self.notes: list[str] = []

    def run(self) -> None:
        self.segments = segment_count(self.path)
        for segment in range(1, self.segments + 1):
            try:
                self._opening(segment)
                self._segment(segment, self._next_opening(segment))
            except (JournalError, OSError) as error:
                raise _Bad(self.tip.number + 1, f"segment {segment} cannot be read: {error}") from error
        if not self.path.exists():
            raise _Bad(self.tip.number + 1, f"the newest file {self.path.name} is missing")
        if self.head is not None and self.head[0] > self.tip.number:
            raise _Bad(self.tip.number + 1, f"records {self.tip.number + 1} to {self.head[0]} were cut from the end")

    def _opening(self, segment: int) -> None:
        opening = opening_of(self.path, segment)
        bad = self.tip.number + 1
        if segment == 1 and self.key is None:
            self.public_key = opening.public_key
        if opening.public_key != self.public_key:
            raise _Bad(bad, f"segment {segment} was signed with another key, {opening.public_key.hex()}")
        if not signature_holds(self.public_key, opening.signature, opening_message(opening)):
            raise _Bad(bad, f"the opening of segment {segment} was altered: its signature does not hold")
        self.table = self.table or opening.table
        if opening.segment != segment or opening.table != self.table:
            raise _Bad(
                bad,
                f"segment {opening.segment} of table {opening.table} lies where segment {segment} belongs",
            )
        if (opening.after, opening.number, opening.digest) != (
            self.tip.signed,
            self.tip.number,
            self.tip.digest,
        ):
            raise _Bad(
                bad,
                f"segment {segment} goes on from record {opening.number}, the one before it ends otherwise",
            )
        self.tip = opening.tip()

    def _next_opening(self, segment: int) -> Opening | None:
        """Tells where this segment ends. One that cannot be read is reported in its own turn."""
        if segment == self.segments:
            return None
        try:
            return opening_of(self.path, segment + 1)
        except (JournalError, OSError):
            return None

    def _segment(self, segment: int, following: Opening | None) -> None:
        """Check records and heads in order; what was given up with a failed flush is left out and told."""
        end = following.number if following is not None and following.gap else None
        try:
            given_up = self._records_and_heads(segment, end)
        except RowDamaged as error:
            given_up = self.tip.number == end  # the damaged row with all that was
            if not given_up:
                bad = self.tip.signed if error.of_head else self.tip.number
                raise _Bad(bad + 1, str(error)) from error
        if given_up:
            self.notes.append(f"records of segment {segment} after {end} were given up with a failed flush")

    def _records_and_heads(self, segment: int, end: int | None) -> bool:
        """Check all up to record ``end``; return whether more lie behind it."""
        for batch in batches_of(self.path, segment, LOWEST):
            for part in batch.in_order(end):
                if isinstance(part, Head):
                    self._head(part)
                else:
                    self._record(part)
            if end is not None and batch.records and batch.records[-1].number > end:
                return True
        return False

    def _record(self, record: Record) -> None:
        expected = self.tip.number + 1
        if record.number > expected:
            raise _Bad(expected, f"missing, with all up to {record.number - 1}")
        if record.number < expected:
            raise _Bad(record.number, "it does not belong where it is")
        if not follows(self.tip, record):
            raise _Bad(expected, "it was altered, or another took its place: its digest does not hold")
        self.tip = advanced(self.tip, record)
        if self.head is not None and self.head[0] == record.number and self.head[1] != record.digest:
            raise _Bad(self._first_doubtful(), f"record {record.number} is not the one of the head given")
        self.session.see(record.body)

    def _first_doubtful(self) -> int:
        """The earliest record that may differ from what a given head vouches for."""
        if self.key is None:
            return 1
        return min(self.tip.signed + 1, self.tip.number)

    def _head(self, head: Head) -> None:
        tip, bad = self.tip, self.tip.signed + 1
        if head.number > tip.number:
            raise _Bad(tip.number + 1, f"missing, and signed: there is a head for record {head.number}")
        if head.number < tip.number or head.number <= tip.signed:
            raise _Bad(max(head.number, 1), "a head names it, where none belongs")
        if head.after != tip.signed:
            raise _Bad(bad, f"a head before that of record {head.number} is missing, or it was altered")
        if head.digest != tip.digest or not signature_holds(
            self.public_key, head.signature, head_message(head.after, head.number, head.digest)
        ):
            raise _Bad(bad, f"records {bad} to {head.number} or their head were altered: its signature does not hold")
        self.tip = Tip(tip.number, tip.digest, tip.number)


def verify(path: Path, *, key: bytes | None = None, head: str | None = None) -> VerifyReport:
    """Check the whole journal; ``key``: by default the file's own; ``head``: one that left the machine.

    ``JournalError`` only if ``head`` or ``key`` is none; whatever is wrong with the files is in the report.
    """
    if key is not None and len(key) != 32:
        raise JournalError(f"a public key has 32 bytes, this one {len(key)}. Give 64 hexadecimal digits.")
    walk = _Walk(path, key, None if head is None else parse_head(head))
    bad: _Bad | None = None
    try:
        walk.run()
    except _Bad as found:
        bad = found
    except (JournalError, OSError) as error:
        bad = _Bad(1, f"cannot be read: {error}")
    return VerifyReport(
        path=str(path),
        table=walk.table,
        segments=walk.segments,
        complete_to=walk.tip.number,
        signed_to=walk.tip.signed,
        head=head_text(walk.tip.number, walk.tip.digest),
        public_key=walk.public_key.hex(),
        key_given=key is not None,
        head_given=head is not None,
        session=walk.session.state,
        bad_record=bad.number if bad else None,
        problem=bad.problem if bad else None,
        notes=tuple(walk.notes),
    )


def last_session_state(bodies: Iterable[bytes]) -> str | None:
    """Where the last ``moved`` change of procedure ``session`` in these bodies leads; None without one."""
    state = None
    for body in bodies:
        if b'"session"' not in body:
            continue
        try:
            content = msgspec.json.decode(body)
        except msgspec.DecodeError:
            continue  # a body is opaque here: one that is no JSON moves no session
        for change in _changes(content):
            if change.get("type") == "moved" and change.get("procedure") == "session":
                state = str(change.get("target"))
    return state


def _changes(content: object) -> list[dict[str, object]]:
    decision = content.get("decision") if isinstance(content, dict) else None
    changes = decision.get("changes") if isinstance(decision, dict) else None
    return [change for change in changes if isinstance(change, dict)] if isinstance(changes, list) else []


def _session_line(state: str | None, closed: bool) -> str:
    if state is None:
        return "no session is in it"
    return f"the last session is {'closed' if closed else 'NOT closed'}: {state.replace('_', ' ')}"
