"""Bytes that no device should send: noise, frames without end or without content, legal frames that say nonsense."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

from drivers.protocol.framing import END, encode_frame
from tests.independent import decoder
from tests.independent.drawn import some_messages, spoil_between, spoil_bytes, spoil_field

FULL = os.environ.get("SABOT_HOSTILE") == "full"
"""`make soak` sets it: each port gets all of it. `make check` takes what a few seconds bear."""

SIZE = 10_000_000 if FULL else 120_000
"""Bytes of each stream."""

PIECE = 4096
"""Bytes that a port hands over at once."""


def _frames(draw: Random, payload: Callable[[decoder.Message], bytes]) -> Iterator[bytes]:
    for message in some_messages(draw.getrandbits(32)):
        yield encode_frame(payload(message)[:196] or b"\0")


def _as_they_are(draw: Random) -> Iterator[bytes]:
    """Legal messages of all types, the host's own among them, of links that are not open."""
    return _frames(draw, decoder.pack)


def _with_a_field_out_of_range(draw: Random) -> Iterator[bytes]:
    return _frames(draw, lambda message: spoil_field(draw, message))


def _with_fields_that_contradict(draw: Random) -> Iterator[bytes]:
    return _frames(draw, lambda message: spoil_between(draw, message))


def _with_a_byte_changed(draw: Random) -> Iterator[bytes]:
    return _frames(draw, lambda message: spoil_bytes(draw, message))


def _noise(draw: Random) -> Iterator[bytes]:
    while True:
        yield draw.randbytes(PIECE)


def _endless(_draw: Random) -> Iterator[bytes]:
    while True:
        yield b"\x01" * PIECE


def _tiny(draw: Random) -> Iterator[bytes]:
    while True:
        yield encode_frame(draw.randbytes(1))


def _zeros(_draw: Random) -> Iterator[bytes]:
    while True:
        yield END * PIECE


STREAMS: dict[str, Callable[[Random], Iterator[bytes]]] = {
    "noise": _noise,
    "one endless frame": _endless,
    "tiny frames": _tiny,
    "nothing but ends of frames": _zeros,
    "legal frames of other links": _as_they_are,
    "legal frames, a field out of range": _with_a_field_out_of_range,
    "legal frames, fields that contradict": _with_fields_that_contradict,
    "legal frames, a byte changed": _with_a_byte_changed,
}
"""All of them, by what they are."""


def pieces(name: str, size: int, seed: int = 1) -> Iterator[bytes]:
    """Yield a stream in pieces as a port hands them over, so many bytes in all."""
    left, held = size, bytearray()
    for chunk in STREAMS[name](Random(seed)):
        held += chunk
        while len(held) >= PIECE and left > 0:
            yield bytes(held[:PIECE])
            del held[:PIECE]
            left -= PIECE
        if left <= 0:
            return


def mixed(size: int, seed: int) -> bytes:
    """A little of every stream, the pieces in any order."""
    draw = Random(seed)
    each = [list(islice(pieces(name, size, seed), max(1, size // PIECE // len(STREAMS)))) for name in STREAMS]
    every = [piece for stream in each for piece in stream]
    draw.shuffle(every)
    return b"".join(every)
