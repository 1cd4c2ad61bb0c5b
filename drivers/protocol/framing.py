"""Frames of sabot/1: payload and CRC-32 under COBS, ended by a zero byte. No buffer exceeds one frame."""

from __future__ import annotations

from zlib import crc32

from cobs import cobs

from drivers.errors import LocalProtocolError

CHECK_SIZE = 4
MAX_PAYLOAD = 196
MAX_FRAME = MAX_PAYLOAD + CHECK_SIZE + 2
"""Longest legal frame on the wire, with its COBS code byte and its ending zero."""

END = b"\0"

RESIDUE = 0x2144DF1C
"""CRC-32 of anything that its own CRC-32, lowest byte first, follows."""


def encode_frame(payload: bytes) -> bytes:
    """Return a payload as one frame for the line. Raises LocalProtocolError if it is empty or too long."""
    if not 1 <= len(payload) <= MAX_PAYLOAD:
        raise LocalProtocolError(
            f"a payload of {len(payload)} bytes: 1 to {MAX_PAYLOAD} fit a frame; send nothing of it"
        )
    stuffed: bytes = cobs.encode(payload + crc32(payload).to_bytes(CHECK_SIZE, "little"))
    return stuffed + END


class FrameDecoder:
    """Cuts a byte stream into payloads. ``errors`` counts frames dropped, ``latest`` tells the last fault."""

    def __init__(self) -> None:
        self.errors = 0
        self.latest = ""
        self._partial = b""
        self._overlong = False

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes cut anywhere; return the payloads that they complete, in order. Never raises."""
        pieces = data.split(END)
        rest = pieces.pop()
        payloads: list[bytes] = []
        for piece in pieces:
            # A frame that came whole, as nearly all do, is decoded as it lies.
            stuffed = self._ended(piece) if self._partial or self._overlong or len(piece) >= MAX_FRAME else piece
            if not stuffed:
                continue  # two zeros in a row (a sender's opening zero, or line noise), or a frame counted already
            try:
                checked = cobs.decode(stuffed)
            except cobs.DecodeError as error:
                self._count(f"a frame of {len(stuffed)} bytes is not COBS ({error}); it is dropped")
                continue
            payload = checked[:-CHECK_SIZE]
            if payload and crc32(checked) == RESIDUE:
                payloads.append(payload)
            else:
                fault = "has a wrong check" if payload else "is too short for a payload and its check"
                self._count(f"a frame of {len(stuffed)} bytes {fault}; it is dropped")
        if rest:
            self._extend(rest)
        return payloads

    def _extend(self, piece: bytes) -> None:
        # Without the cap a line of garbage costs quadratic time; past it only the next zero matters.
        if self._overlong:
            return
        if len(self._partial) + len(piece) < MAX_FRAME:
            self._partial += piece
            return
        self._overlong = True  # counted here: the zero that would end it may never come
        self._partial = b""
        self._count(f"a frame is longer than {MAX_FRAME} bytes; it is dropped up to the next zero")

    def _ended(self, piece: bytes) -> bytes:
        """The whole of a frame that came in parts, with its last one; nothing of one that is too long."""
        self._extend(piece)
        stuffed, self._partial, self._overlong = self._partial, b"", False
        return stuffed

    def _count(self, fault: str) -> None:
        self.errors += 1
        self.latest = fault
