"""Ctrl-C, whenever it comes: one line and status 130, never a traceback, and no second one while the first is obeyed.

This module imports nothing of size: it stands guard while everything else is still being imported.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""

SAID = "Interrupted."

_IMPORTING = "<frozen importlib._bootstrap>"
"""The file of the interpreter's own frames while it imports."""


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
    before, sys.unraisablehook = sys.unraisablehook, _hear_again
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is to end, with the status that is due
        sys.unraisablehook = before


def _leave(*_: object) -> None:
    os.write(2, f"{SAID}\n".encode())
    os._exit(INTERRUPTED)


def _raise_once(_number: int, frame: FrameType | None) -> None:
    """Raise, but not into an import: Python drops what comes in its callbacks there, and a command that is still being
    imported has begun nothing to tidy up."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            _leave()
        frame = frame.f_back
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _hear_again(dropped: sys.UnraisableHookArgs) -> None:
    """Where Python had to drop it (in a destructor, in a weak reference's callback) the next Ctrl-C raises it."""
    if dropped.exc_type is KeyboardInterrupt:
        signal.signal(signal.SIGINT, _raise_once)
    else:
        sys.__unraisablehook__(dropped)
