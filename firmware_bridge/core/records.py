"""What the controller hands to a journal, and the port through which it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from firmware_bridge.core.changes import Decision
from firmware_bridge.core.events import AnyEvent
from firmware_bridge.errors import JournalError


class Entry(Struct, frozen=True):
    """One journal record before it is chained. Times are nanoseconds; ``body`` is JSON, opaque to the store."""

    number: int
    utc_ns: int
    link_ns: int
    body: bytes


class Store(Protocol):
    """Where records are kept for good."""

    @property
    def last_number(self) -> int:
        """Number of the last record kept; 0 in an empty journal."""

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        """Keep the entries in one transaction, durable on return; ``sign`` signs the head. Raises ``JournalError``."""

    def begin_segment(self) -> None:
        """Close the current segment and begin the next, chained to it. Raises ``JournalError``."""


class Logged(Struct, frozen=True):
    """The body of a record: the table's time in nanoseconds, what happened, and what was decided."""

    table_ns: int
    event: AnyEvent
    decision: Decision

    def to_body(self) -> bytes:
        """JSON, fields in the order of their definition, devices in the order of their configuration."""
        return _ENCODER.encode(self)

    @classmethod
    def from_body(cls, body: bytes) -> Logged:
        """Read a body; raises ``JournalError`` where it is none of ours."""
        try:
            return _DECODER.decode(body)
        except msgspec.MsgspecError as error:
            raise JournalError(
                f"a record's body cannot be read ({error}): was it written by a newer version?"
            ) from error


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Logged)
