"""The links file: what the controller's links have seen, beside the status file; for ``sabot devices`` alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from drivers.link import LinkStatistics, LinkThread
from firmware_bridge.core.state import State
from firmware_bridge.plain_file import read_plain
from firmware_bridge.service.shown_file import ShownFile

NAME = "links.json"
PERIOD_NS = 10**9
LONGEST = 100_000
"""Bytes that are read at most; a link has some hundreds."""
FRESH_NS = 5 * 10**9
"""How old the file may be before nobody is thought to write it any more."""


class LinkSeen(Struct, frozen=True):
    """One link: whether it is open and why not, what the device says that it is, what passed over it, its stage."""

    open: bool
    reason: str
    identity: str
    firmware: str
    simulated: bool
    statistics: LinkStatistics


class LinksSeen(Struct, frozen=True):
    """All links of a table, at a moment of the wall's clock."""

    utc_ns: int
    links: dict[str, LinkSeen]

    def age_ns(self, utc_ns: int) -> int:
        """How long ago it was written; what a clock set back makes of the future is not younger than now."""
        return abs(utc_ns - self.utc_ns)


class LinksFile:
    """Its one writer."""

    def __init__(self, folder: Path) -> None:
        self._file = ShownFile(folder / NAME, "links")
        self._written_ns = 0

    def show(self, utc_ns: int, state: State, links: Mapping[str, LinkThread]) -> None:
        """Write what there is, once a second at most."""
        if 0 <= utc_ns - self._written_ns < PERIOD_NS:
            return
        self._written_ns = utc_ns
        seen = {name: _seen(state, name, link.statistics) for name, link in links.items()}
        self._file.write(msgspec.json.encode(LinksSeen(utc_ns, seen)) + b"\n")

    def remove(self) -> None:
        """Take the file away: nobody is at work any more."""
        self._file.remove()


def read_links(folder: Path) -> LinksSeen | None:
    """Return what a controller wrote last, however long ago; nothing where none wrote, or ended in order."""
    try:
        return msgspec.json.decode(read_plain(folder / NAME, LONGEST), type=LinksSeen)
    except (OSError, msgspec.MsgspecError):
        return None


def _seen(state: State, name: str, statistics: LinkStatistics) -> LinkSeen:
    device = state.devices[name]
    return LinkSeen(device.open, device.reason, device.told.name, device.firmware, device.simulated, statistics)
