"""A screen tells the controller of its table that it is there: a small file in the status folder, each second."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware_bridge.core.state import State
from firmware_bridge.plain_file import read_plain

NAME = "screen.json"
PERIOD_NS = 10**9
LONGEST = 1000
"""Bytes that are read at most: whoever may write into the folder must not be able to fill our memory."""


class Shown(Struct, frozen=True):
    """Which table a screen shows, up to which record, and when."""

    table: str
    record: int
    utc_ns: int


class Presence:
    """Tells that a screen shows a table. ``place`` is the status folder, or a file in it."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._told: int | None = None

    def tell(self, state: State, utc_ns: int) -> None:
        """Tell which record is shown, unless that was told less than a second ago."""
        if self._told is not None and 0 <= utc_ns - self._told < PERIOD_NS:
            return
        self._told = utc_ns
        folder = self._place if self._place.is_dir() else self._place.parent
        new = folder / f".{NAME}.{os.getpid()}"  # each screen's own: several may show one table
        try:
            new.write_bytes(msgspec.json.encode(Shown(state.table, state.record, utc_ns)))
            new.replace(folder / NAME)
        except OSError:
            # There is no such folder yet, or this user may not write there. A table that needs a screen then says
            # itself, on this one, that none shows it.
            return


def read_shown(folder: Path) -> Shown | None:
    """Return what a screen told last; None where none did, or where it cannot be read."""
    try:
        return msgspec.json.decode(read_plain(folder / NAME, LONGEST), type=Shown)
    except (OSError, msgspec.MsgspecError):
        return None
