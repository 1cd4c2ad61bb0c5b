"""The far end of a pty for ``round_trip.py``, in a process of its own, as cheap as it can be.

``python -m tests.benchmarks.responder FD TRIPS``: of 0 trips it sends back what it reads; of more, it is a device that
opens a link and then answers so many commands, by results that were encoded before.
"""

from __future__ import annotations

import os
import sys

from drivers.protocol import codec
from drivers.protocol.framing import END, FrameDecoder, encode_frame
from drivers.protocol.messages import (
    PROTOCOL_VERSION,
    Command,
    CommandResult,
    Event,
    Hello,
    Message,
    Open,
    Operation,
)
from sim_hardware.equipment import SHUFFLER
from sim_hardware.registry import default_identities

BOOT, MEMORY, LINK = 2, 3, 4


def frame(message: Message) -> bytes:
    """Return a message as it goes over the line."""
    return encode_frame(codec.encode(message))


OPEN, COMMAND = (frame(message)[1] for message in (Open(PROTOCOL_VERSION, 1), Command(LINK, 1, Operation.INVENTORY, 0)))
"""How a message is known in its frame: its first byte stands behind COBS's own, and no stuffing changes it."""


def echo(line: int) -> None:
    """Send back whatever comes."""
    while data := os.read(line, 4096):
        os.write(line, data)


def device(line: int, trips: int) -> None:
    """Open a link, then answer commands, each as it comes."""
    results = iter([frame(Event(LINK, n, CommandResult(n, done=True))) for n in range(1, trips + 1)])
    while data := os.read(line, 4096):
        for piece in data.split(END):
            if len(piece) > 1 and piece[1] == COMMAND:
                os.write(line, next(results))
            elif len(piece) > 1 and piece[1] == OPEN:
                os.write(line, frame(hello(piece)))


def hello(opening: bytes) -> Hello:
    """What the device says of itself to an opening, given as its frame without the ending zero."""
    (message,) = map(codec.decode, FrameDecoder().feed(opening + END))
    assert isinstance(message, Open)
    identity = default_identities()[SHUFFLER]
    return Hello(
        nonce=message.nonce,
        link=LINK,
        boot=BOOT,
        memory=MEMORY,
        first_kept=1,
        last=0,
        version=PROTOCOL_VERSION,
        kind=identity.kind,
        capabilities=identity.capabilities,
        window=identity.window,
        simulated=True,
        model=identity.model,
        serial=identity.serial,
        firmware=identity.firmware,
        digest=identity.digest,
    )


def main(line: int, trips: int) -> None:
    """Be one of the two."""
    if trips:
        device(line, trips)
    else:
        echo(line)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
