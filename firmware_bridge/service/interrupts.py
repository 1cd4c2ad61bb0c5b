"""Ctrl-C, whenever it comes: one line and status 130, never a traceback, and no second one while the first is obeyed.

This module imports nothing of size: it stands guard while everything else is still being imported.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""

SAID = "Interrupted."


def stand_guard() -> None:
    """Let Ctrl-C end the process on the spot, for as long as it has begun nothing; one started to ignore it does."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _leave)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise ``KeyboardInterrupt`` in what may have to tidy up; once, and never after it.

    Where nobody stands guard, as in a test, Ctrl-C is left as it is.
    """
    if signal.getsignal(signal.SIGINT) is not _leave:
        yield
        return
    signal.signal(signal.SIGINT, _raise_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to end, with the status that is due


def _leave(*_: object) -> None:
    os.write(2, f"{SAID}\n".encode())
    os._exit(INTERRUPTED)


def _raise_once(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt
