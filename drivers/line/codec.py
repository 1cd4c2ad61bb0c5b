"""Frames and messages of the ``line`` dialect; README.md lays them out byte by byte. Never a buffer above one frame."""

from __future__ import annotations

import re
from functools import reduce
from operator import xor

from msgspec import Struct

from drivers.cards import DECK_SIZE, Face
from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.protocol.messages import DealerKey

STX, ETX = 0x02, 0x03
MAX_TEXT = 56
PRINTABLE = range(0x20, 0x7F)

NAME = r"[A-Za-z0-9 ._-]{1,24}"
IDENTITY = re.compile(rf"([BI])({NAME}),({NAME}),(R|S)(F?)")
CARD = re.compile(r"([CD])(\d\d)")
TRAY = re.compile(r"T([01])")
KEY = re.compile(rf"K([1-{max(DealerKey)}])")


class Identity(Struct, frozen=True):
    """Who the shoe says that it is: after it was switched on, or because its test key was pressed."""

    model: str
    serial: str
    simulated: bool
    reads_faces: bool
    switched_on: bool


class Card(Struct, frozen=True):
    """A card passed the reader: from the shoe's mouth, or drawn from its own tray. Face 0: it was not read."""

    face: Face
    own_tray: bool


class Tray(Struct, frozen=True):
    """Cards lie in the shoe's own tray, or none do any more."""

    occupied: bool


class KeyPress(Struct, frozen=True):
    """One of the dealer's keys went down."""

    key: DealerKey


Message = Identity | Card | Tray | KeyPress


def encode(message: Message) -> bytes:
    """Return a message as its frame. Raises LocalProtocolError for what ``decode`` would not take."""
    match message:
        case Identity():
            says = ("S" if message.simulated else "R") + ("F" if message.reads_faces else "")
            text = f"{'B' if message.switched_on else 'I'}{message.model},{message.serial},{says}"
        case Card():
            text = f"{'D' if message.own_tray else 'C'}{message.face:02}"
        case Tray():
            text = f"T{message.occupied:d}"
        case KeyPress():
            text = f"K{message.key:d}"
    try:
        decode(text.encode("ascii"))
    except (RemoteProtocolError, UnicodeEncodeError) as error:
        raise LocalProtocolError(f"{text!r} is no text of this dialect; nothing is sent") from error
    return frame(text.encode("ascii"))


def frame(text: bytes) -> bytes:
    """Return a text between its marks, with its check byte behind."""
    return bytes([STX, *text, ETX, check_of(text)])


def check_of(text: bytes | bytearray) -> int:
    """Return the check byte of a text: all its bytes and ETX, each by exclusive or."""
    return reduce(xor, text, ETX)


def decode(text: bytes) -> Message:
    """Return a text's message. Raises RemoteProtocolError for a text that this dialect does not have."""
    words = text.decode("latin-1")
    if found := IDENTITY.fullmatch(words):
        kind, model, serial, simulated, reads = found.groups()
        return Identity(model, serial, simulated == "S", reads == "F", kind == "B")
    if (found := CARD.fullmatch(words)) and int(found[2]) <= DECK_SIZE:
        return Card(Face(int(found[2])), found[1] == "D")
    if found := TRAY.fullmatch(words):
        return Tray(found[1] == "1")
    if found := KEY.fullmatch(words):
        return KeyPress(DealerKey(int(found[1])))
    raise RemoteProtocolError(f"a text of {len(text)} bytes is none of this dialect; what it told is lost")


class FrameDecoder:
    """Cuts a byte stream into texts. ``errors`` counts what was damaged, ``latest`` tells the last fault.

    What stands before the first STX is none: who connects in the middle of a frame has missed it anyway.
    """

    def __init__(self) -> None:
        self.errors = 0
        self.latest = ""
        self._text = bytearray()
        self._take = self._skip

    @property
    def is_within(self) -> bool:
        """Whether a frame has begun and not ended."""
        return self._take in (self._extend, self._check)

    @property
    def held(self) -> int:
        """Bytes of a frame that has begun and not ended."""
        return (len(self._text) + 1 if self._take == self._extend else len(self._text) + 2) if self.is_within else 0

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes cut anywhere; return the texts that they complete, in order. Never raises."""
        return [bytes(self._text) for byte in data if self._take(byte)]

    def break_off(self) -> None:
        """Give up a frame that does not end."""
        if self.is_within:
            self._damaged("a frame did not end; what it told is lost")

    # ---- one method a place in the stream; each takes a byte and says whether a text is complete

    def _skip(self, byte: int) -> bool:
        """Within what is damaged already: up to the next STX nothing is told."""
        if byte == STX:
            self._begin()
        return False

    def _await(self, byte: int) -> bool:
        """Behind a good frame, where only the next one can follow."""
        if byte == STX:
            self._begin()
        else:
            self._damaged("bytes outside any frame; what they told is lost")
        return False

    def _extend(self, byte: int) -> bool:
        if byte == ETX:
            self._take = self._check
        elif byte == STX:
            self._damaged("a frame began within another; what the first told is lost")
            self._begin()
        elif byte in PRINTABLE and len(self._text) < MAX_TEXT:
            self._text.append(byte)
        else:
            what = "has a byte that no text has" if byte not in PRINTABLE else f"is longer than {MAX_TEXT} bytes"
            self._damaged(f"a frame {what}; it is dropped up to the next STX")
        return False

    def _check(self, byte: int) -> bool:
        if byte == check_of(self._text):
            self._take = self._await
            return True
        self._damaged(f"a frame of {len(self._text)} bytes has a wrong check; what it told is lost")
        return self._skip(byte)  # where the check byte itself was lost, the next frame begins here

    def _begin(self) -> None:
        self._text.clear()
        self._take = self._extend

    def _damaged(self, fault: str) -> None:
        self.errors += 1
        self.latest = fault
        self._take = self._skip


class WholeFrames:
    """The good frames in what comes, for whoever may show nothing else of it."""

    def __init__(self) -> None:
        self._decoder = FrameDecoder()

    @property
    def held(self) -> int:
        """Bytes of a frame that has begun."""
        return self._decoder.held

    def feed(self, data: bytes) -> bytes:
        """Take bytes cut anywhere; return the frames that they complete and that say something, as they stood."""
        return b"".join(frame(text) for text in self._decoder.feed(data) if _says_something(text))


def _says_something(text: bytes) -> bool:
    try:
        decode(text)
    except RemoteProtocolError:
        return False
    return True
