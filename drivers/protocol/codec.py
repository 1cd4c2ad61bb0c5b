"""The messages of sabot/1 in bytes: one table of layouts for both ways, and strict in both.

A layout's fields stand in the order of the message's attributes, so the table needs no names.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from drivers.cards import DECK_SIZE, SPECIAL
from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.protocol import batch
from drivers.protocol import messages as m

TEXT_MAX = 24
DIGEST_SIZE = 32
WINDOW_MAX = 64
COMPARTMENTS_MAX = 64

_TOP = {"B": 0xFF, "H": 0xFFFF, "I": 0xFFFF_FFFF, "Q": 0xFFFF_FFFF_FFFF_FFFF}


class Number(Struct, frozen=True):
    """A number as itself: its ``struct`` code and its range."""

    code: str
    low: int
    high: int


class OneOf(Struct, frozen=True):
    """A number that stands for something; ``meanings`` has all that may be sent."""

    code: str
    meanings: Mapping[int, object]


class Flags(Struct, frozen=True):
    """One byte that stands for as many truth values, bit 0 first; higher bits are zero."""

    count: int


class Tail(Struct, frozen=True):
    """What follows the fixed fields: writes the attributes left over, reads them from the bytes left over."""

    write: Callable[..., bytes]
    read: Callable[[bytes], tuple[object, ...]]


Field = Number | OneOf | Flags
Across = Callable[[Any], str | None]
"""A check across fields: the fault in words, or None."""


def _wire_names(made: type[Struct], fields: Iterable[Field]) -> list[str]:
    # Flags are one number on the wire and several attributes.
    names, at = [], 0
    for field in fields:
        names.append(made.__struct_fields__[at])
        at += field.count if isinstance(field, Flags) else 1
    return names


class Layout:
    """A message or event body in bytes: fixed fields, perhaps a tail, perhaps a check across fields."""

    def __init__(
        self, made: type[Struct], *fields: Field, tail: Tail | None = None, across: Across | None = None
    ) -> None:
        self.made = made
        self._name = made.__name__
        self._tail = tail
        self._read_tail = None if tail is None else tail.read
        self._across = across
        self._count = len(fields)
        self._fixed = struct.Struct("<" + "".join("B" if isinstance(f, Flags) else f.code for f in fields))
        self._unpack = self._fixed.unpack_from
        self._end = 1 + self._fixed.size
        names = _wire_names(made, fields)
        self._ranges = [
            (at, f.low, f.high, names[at])
            for at, f in enumerate(fields)
            if isinstance(f, Number) and (f.low, f.high) != (0, _TOP[f.code])
        ]
        self._meanings = [(at, f.meanings, names[at]) for at, f in enumerate(fields) if isinstance(f, OneOf)]
        self._flags = [(at, f.count) for at, f in enumerate(fields) if isinstance(f, Flags)]
        self._has_symbols = bool(self._meanings or self._flags)

    def write(self, thing: Struct) -> bytes:
        """Return the bytes of a message or body. Raises LocalProtocolError if it cannot be laid out."""
        values = list(astuple(thing))
        for at, count in self._flags:
            values[at : at + count] = [sum(bool(flag) << bit for bit, flag in enumerate(values[at : at + count]))]
        fault = self._fault(values) or (self._across and self._across(thing))
        if fault is not None:
            raise LocalProtocolError(f"{self._name}: {fault}; nothing is sent")
        try:
            fixed = self._fixed.pack(*values[: self._count])
        except struct.error as error:
            raise LocalProtocolError(f"{self._name}: {error}; nothing is sent") from error
        return fixed if self._tail is None else fixed + self._tail.write(*values[self._count :])

    def read(self, coded: bytes) -> Any:
        """Return what the whole of ``coded``, its code first, lays out. Raises RemoteProtocolError if it does not."""
        end, read_tail = self._end, self._read_tail
        if len(coded) != end and (read_tail is None or len(coded) < end):
            raise RemoteProtocolError(f"{self._name}: {len(coded) - 1} bytes, not {end - 1}; the message is dropped")
        values = self._unpack(coded, 1)
        for at, low, high, _ in self._ranges:
            if not low <= values[at] <= high:
                raise self._refused(self._fault(values))
        if self._has_symbols:
            if fault := self._symbol_fault(values):
                raise self._refused(fault)
            values = self._meant(values)
        if read_tail is not None:
            values += read_tail(coded[end:])
        thing = self.made(*values)
        if self._across is not None and (fault := self._across(thing)):
            raise self._refused(fault)
        return thing

    def _refused(self, fault: str | None) -> RemoteProtocolError:
        return RemoteProtocolError(f"{self._name}: {fault}; the message is dropped")

    def _meant(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the numbers on the wire stand for."""
        meant = list(values)
        for at, meanings, _ in self._meanings:
            meant[at] = meanings[meant[at]]
        for at, count in self._flags:
            meant[at : at + 1] = [bool(meant[at] >> bit & 1) for bit in range(count)]
        return tuple(meant)

    def _fault(self, values: Sequence[Any]) -> str | None:
        for at, low, high, name in self._ranges:
            if not low <= values[at] <= high:
                return f"{name} {values[at]} is not {low} to {high}"
        return self._symbol_fault(values) if self._has_symbols else None

    def _symbol_fault(self, values: Sequence[Any]) -> str | None:
        for at, meanings, name in self._meanings:
            if values[at] not in meanings:
                return f"{name} {values[at]} has no meaning"
        for at, count in self._flags:
            if values[at] >> count:
                return f"flags {values[at]:#04x} have a bit without meaning"
        return None


class HelloLayout(Layout):
    """The layout of a hello, the same in every version; the values of another version may mean anything."""

    def read(self, coded: bytes) -> Any:
        """As ``Layout.read``, but the version is judged first: of another one only what is sure is returned."""
        values = self._unpack(coded, 1) if len(coded) >= self._end else None
        if values is None or values[_HELLO_VERSION] == m.PROTOCOL_VERSION:
            return super().read(coded)
        nonce, link, *_ = values
        model, serial, *_ = _read_identity(coded[self._end :])
        return m.ForeignHello(nonce, link, values[_HELLO_VERSION], model, serial)


_HELLO_VERSION = m.Hello.__struct_fields__.index("version")


# ---- the kinds of field

U8 = Number("B", 0, _TOP["B"])
U16 = Number("H", 0, _TOP["H"])
U32 = Number("I", 0, _TOP["I"])
U64 = Number("Q", 0, _TOP["Q"])
FROM_1 = Number("I", 1, _TOP["I"])
OWN_VERSION = Number("B", m.PROTOCOL_VERSION, m.PROTOCOL_VERSION)
COMMAND_ID = Number("Q", 1, _TOP["Q"])
PASSES = Number("B", 1, _TOP["B"])
FACE = Number("B", 0, DECK_SIZE)
FACE_OR_SPECIAL = Number("B", 0, SPECIAL)
PURPOSE_OR_NONE = Number("B", 0, max(m.Purpose))
TRUTH = OneOf("B", {0: False, 1: True})


def _choice(values: Iterable[IntEnum]) -> OneOf:
    return OneOf("B", {int(value): value for value in values})


class _Capabilities(dict[int, m.Capability]):
    """What each number of capabilities stands for: there are a thousand, so each is made when it is first asked for."""

    def __missing__(self, bits: int) -> m.Capability:
        return self.setdefault(bits, m.Capability(bits))

    def __contains__(self, bits: object) -> bool:
        return isinstance(bits, int) and not bits & ~m.OF_SABOT_1.value


CAPABILITIES = OneOf("I", _Capabilities())


# ---- tails: the texts and digest of a hello, the compartments of an inventory, the body of an event


def _write_text(text: str) -> bytes:
    if len(text) > TEXT_MAX or not (text.isascii() and text.isprintable()):
        raise LocalProtocolError(f"Hello: {text!r} is not up to {TEXT_MAX} printable ASCII characters; nothing is sent")
    return bytes([len(text)]) + text.encode("ascii")


def _read_text(rest: bytes) -> tuple[str, bytes]:
    if not rest or rest[0] > TEXT_MAX or len(rest) <= rest[0]:
        raise RemoteProtocolError("Hello: a text is longer than allowed or than the message; it is dropped")
    end = 1 + rest[0]
    text = rest[1:end].decode("latin-1")
    if not (text.isascii() and text.isprintable()):
        raise RemoteProtocolError("Hello: a text is not printable ASCII; the message is dropped")
    return text, rest[end:]


def _write_identity(model: str, serial: str, firmware: str, digest: bytes) -> bytes:
    if len(digest) != DIGEST_SIZE:
        raise LocalProtocolError(f"Hello: a digest of {len(digest)} bytes, not {DIGEST_SIZE}; nothing is sent")
    return _write_text(model) + _write_text(serial) + _write_text(firmware) + digest


def _read_identity(rest: bytes) -> tuple[str, str, str, bytes]:
    model, rest = _read_text(rest)
    serial, rest = _read_text(rest)
    firmware, digest = _read_text(rest)
    if len(digest) != DIGEST_SIZE:
        raise RemoteProtocolError(f"Hello: a digest of {len(digest)} bytes, not {DIGEST_SIZE}; it is dropped")
    return model, serial, firmware, digest


def _write_compartments(counts: tuple[int, ...]) -> bytes:
    if len(counts) > COMPARTMENTS_MAX or not all(0 <= count <= _TOP["B"] for count in counts):
        raise LocalProtocolError(
            f"Inventory: over {COMPARTMENTS_MAX} compartments, or a count outside 0 to 255; nothing is sent"
        )
    return bytes([len(counts), *counts])


def _read_compartments(rest: bytes) -> tuple[object, ...]:
    if not rest or rest[0] > COMPARTMENTS_MAX or len(rest) != 1 + rest[0]:
        raise RemoteProtocolError("Inventory: not as many compartments as it says; the message is dropped")
    return (tuple(rest[1:]),)


def _counts(count: int, name: str) -> Tail:
    """Return the tail of exactly so many counts, u16 each."""
    packed = struct.Struct(f"<{count}H")

    def write(counts: tuple[int, ...]) -> bytes:
        if len(counts) != count or not all(0 <= each <= _TOP["H"] for each in counts):
            raise LocalProtocolError(f"{name}: not {count} counts of 0 to {_TOP['H']}; nothing is sent")
        return packed.pack(*counts)

    def read(rest: bytes) -> tuple[object, ...]:
        if len(rest) != packed.size:
            raise RemoteProtocolError(f"{name}: {len(rest)} bytes of counts, not {packed.size}; the message is dropped")
        return (packed.unpack(rest),)

    return Tail(write, read)


def _write_body(body: m.Body) -> bytes:
    return _write_coded(body, _BODY_CODES, BODIES)


@lru_cache(maxsize=1024)
def _read_body(rest: bytes) -> tuple[object, ...]:
    # A table's events are few (a card drawn has a face and a purpose), and what is read is frozen: most are read once.
    layout = BODIES.get(rest[0]) if rest else None
    if layout is None:
        raise _unknown("event kind", rest)
    return (layout.read(rest),)


# ---- checks across fields

_LEVEL_RANGE = {
    m.Level.HOLD: (1, 1),
    m.Level.LAMP: (min(m.Lamp), max(m.Lamp)),
    m.Level.LID: (0, 1),
    m.Level.INTAKE: (0, 1),
    m.Level.PROMPT: (0, _TOP["I"]),
}


def _level_fault(order: m.SetLevel) -> str | None:
    low, high = _LEVEL_RANGE[order.level]
    return None if low <= order.value <= high else f"{m.Level(order.level).name} {order.value} is not {low} to {high}"


def _kept_fault(told: m.Hello | m.Heartbeat) -> str | None:
    if told.first_kept <= told.last + 1:
        return None
    return f"first kept event {told.first_kept} lies beyond the one after the last, {told.last}"


# ---- the tables (README.md, "Messages" and "Events")

BODIES: Mapping[int, Layout] = {
    1: Layout(m.CardDrawn, PURPOSE_OR_NONE, FACE_OR_SPECIAL),
    2: Layout(m.CardIn, FACE),
    3: Layout(m.CardFed, PURPOSE_OR_NONE),
    4: Layout(m.HoldConfirmed, U32, U32),
    5: Layout(m.Lapsed, U32, U32),
    6: Layout(m.LidMoved, TRUTH),
    7: Layout(m.TrayChanged, TRUTH),
    8: Layout(m.IntakeChanged, TRUTH),
    9: Layout(m.FeedEmpty),
    10: Layout(m.DealerKeyPressed, _choice(m.DealerKey), U32),
    11: Layout(m.CommandResult, COMMAND_ID, TRUTH),
    12: Layout(m.Inventory, COMMAND_ID, U8, tail=Tail(_write_compartments, _read_compartments)),
    13: Layout(m.EventsLost, FROM_1),
    14: Layout(m.JamChanged, _choice(m.JamPlace), TRUTH),
    15: Layout(batch.OutputChanged, TRUTH),
    16: Layout(batch.CycleBegan, U64, _choice(batch.Mode), PASSES),
    17: Layout(batch.PassDone, U64, PASSES, U16),
    18: Layout(batch.CycleEnded, U64, _choice(batch.Mode), _choice(batch.Outcome), U8, U16),
    19: Layout(batch.Faces, U64, tail=_counts(1 + DECK_SIZE, "Faces")),
    20: Layout(batch.Backs, U64, tail=_counts(len(batch.Back), "Backs")),
    21: Layout(batch.PackOut, PURPOSE_OR_NONE, U16),
    22: Layout(batch.FaultChanged, _choice(batch.MachineFault), TRUTH),
}

MESSAGES: Mapping[int, Layout] = {
    # type          message      fields in the order of its attributes
    0x01: Layout(m.Open, U8, U64),
    0x02: Layout(m.Ask, U32, FROM_1),
    0x03: Layout(m.Ack, U32, FROM_1),
    0x04: Layout(m.SetLevel, U32, _choice(m.Level), FROM_1, U32, across=_level_fault),
    0x05: Layout(m.Lease, U32, FROM_1, _choice(m.Purpose), FROM_1),
    0x06: Layout(m.Command, U32, COMMAND_ID, _choice(m.Operation), U32),
    0x81: HelloLayout(
        m.Hello,
        *(U64, FROM_1, U64, U64, FROM_1, U32, OWN_VERSION, _choice(m.Kind), CAPABILITIES),
        *(Number("B", 1, WINDOW_MAX), Flags(1)),
        tail=Tail(_write_identity, _read_identity),
        across=_kept_fault,
    ),
    0x82: Layout(
        m.Heartbeat,
        *(U32, FROM_1, FROM_1, U32, U32, U32, U32, U32, U32, Flags(3), U64, U32),
        across=_kept_fault,
    ),
    0x83: Layout(m.Event, U32, FROM_1, tail=Tail(_write_body, _read_body)),
    0x84: Layout(m.Stroke, U32, FROM_1, U32, Number("B", 0, max(m.Key))),
}

_BODY_CODES = {layout.made: code for code, layout in BODIES.items()}
_MESSAGE_CODES = {layout.made: code for code, layout in MESSAGES.items()}
_READERS: Mapping[int, Callable[[bytes], m.Message]] = {code: layout.read for code, layout in MESSAGES.items()}


# ---- the two functions


def encode(message: m.Message) -> bytes:
    """Return a message's payload. Raises LocalProtocolError if it has no layout or a value out of range."""
    return _write_coded(message, _MESSAGE_CODES, MESSAGES)


def decode(payload: bytes) -> m.Message:
    """Return a payload's message. Raises RemoteProtocolError for what ``encode`` would not have written."""
    try:
        read = _READERS[payload[0]]
    except LookupError:
        raise _unknown("message type", payload) from None
    return read(payload)


def _write_coded(thing: Struct, codes: Mapping[type, int], layouts: Mapping[int, Layout]) -> bytes:
    code = codes.get(type(thing))
    if code is None:
        raise LocalProtocolError(f"{type(thing).__name__} has no place in sabot/1; nothing is sent")
    return bytes([code]) + layouts[code].write(thing)


def _unknown(what: str, coded: bytes) -> RemoteProtocolError:
    told = f"{coded[0]:#04x} is unknown" if coded else "is missing"
    return RemoteProtocolError(f"{what} {told}; the message is dropped")
