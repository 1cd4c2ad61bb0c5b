"""The least that a controller can do and lose nothing: decode an event, append it to a file, flush, acknowledge.

``python -m tests.benchmarks.limit PORT FILE``; of any message that is no event it does nothing.
"""

from __future__ import annotations

import os
import sys

from drivers.protocol import codec
from drivers.protocol.framing import FrameDecoder, encode_frame
from drivers.protocol.messages import Ack, Event


def main(port: str, file: str) -> None:
    """Acknowledge events until the line hangs up."""
    line = os.open(port, os.O_RDWR | os.O_NOCTTY)
    kept = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    decoder = FrameDecoder()
    while data := os.read(line, 4096):
        for payload in decoder.feed(data):
            message = codec.decode(payload)
            if isinstance(message, Event):
                os.write(kept, payload)
                os.fdatasync(kept)
                os.write(line, encode_frame(codec.encode(Ack(message.link, message.number))))


if __name__ == "__main__":
    main(*sys.argv[1:])
