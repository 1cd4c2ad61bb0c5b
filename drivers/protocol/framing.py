"""Frames of sabot/1: payload and CRC-32 under COBS, ended by a zero byte. No buffer exceeds one frame."""

from __future__ import annotations

from zlib import crc32

from cobs import cobs

from drivers.errors import FrameError, LocalProtocolError

CHECK_SIZE = 4
MAX_PAYLOAD = 196
MAX_FRAME = MAX_PAYLOAD + CHECK_SIZE + 2
"""Longest legal frame on the wire, with its COBS code byte and its ending zero."""

END = b"\0"


def encode_frame(payload: bytes) -> bytes:
    """Return a payload as one frame for the line. Raises LocalProtocolError if it is empty or too long."""
    if not 1 <= len(payload) <= MAX_PAYLOAD:
        raise LocalProtocolError(
            f"a payload of {len(payload)} bytes: 1 to {MAX_PAYLOAD} fit a frame; send nothing of it"
        )
    stuffed: bytes = cobs.encode(payload + crc32(payload).to_bytes(CHECK_SIZE, "little"))
    return stuffed + END


def decode_frame(stuffed: bytes) -> bytes:
    """Return the payload of one frame given without its ending zero. Raises FrameError if it is damaged."""
    try:
        checked: bytes = cobs.decode(stuffed)
    except cobs.DecodeError as error:
        raise FrameError(f"a frame of {len(stuffed)} bytes is not COBS ({error}); it is dropped") from error
    payload, check = checked[:-CHECK_SIZE], checked[-CHECK_SIZE:]
    if not payload:
        raise FrameError(f"a frame of {len(stuffed)} bytes is too short for a payload and its check; it is dropped")
    if crc32(payload) != int.from_bytes(check, "little"):
        raise FrameError(f"a frame of {len(stuffed)} bytes has a wrong check; it is dropped")
    return payload


class FrameDecoder:
    """Cuts a byte stream into payloads. ``errors`` counts frames dropped, ``latest`` tells the last fault."""

    def __init__(self) -> None:
        self.errors = 0
        self.latest = ""
        self._partial = bytearray()
        self._overlong = False

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes cut anywhere; return the payloads that they complete, in order. Never raises."""
        *endings, rest = data.split(END)
        payloads = []
        for piece in endings:
            self._extend(piece)
            payload = self._close()
            if payload is not None:
                payloads.append(payload)
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
        self._partial.clear()
        self._count(f"a frame is longer than {MAX_FRAME} bytes; it is dropped up to the next zero")

    def _close(self) -> bytes | None:
        stuffed = bytes(self._partial)
        self._partial.clear()
        self._overlong = False
        if not stuffed:
            return None  # two zeros in a row (a sender's opening zero, or line noise), or a frame counted already
        try:
            return decode_frame(stuffed)
        except FrameError as error:
            self._count(str(error))
            return None

    def _count(self, fault: str) -> None:
        self.errors += 1
        self.latest = fault
