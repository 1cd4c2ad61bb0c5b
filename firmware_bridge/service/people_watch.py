"""Who may act at this table, looked up whenever the people file changes: a right that is taken ends at once."""

from __future__ import annotations

import os
from pathlib import Path

import structlog

from firmware_bridge.core.controller import MayAct
from firmware_bridge.errors import ConfigError
from firmware_bridge.service.people import read_people


def file_stamp(path: Path) -> tuple[int, ...]:
    """What differs once a file was replaced or written; nothing where it cannot be seen: reading it will say why."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class PeopleWatch:
    """Looks at each turn, which costs one ``stat``; reads the file only when it is another than before."""

    def __init__(self, people: Path) -> None:
        self._people = people
        self._seen: tuple[int, ...] = ()
        self._log = structlog.get_logger()

    def look(self) -> list[MayAct]:
        """Return who may act, if that may have changed. A file that cannot be read takes nobody's right."""
        seen = file_stamp(self._people)
        if seen == self._seen:
            return []
        self._seen = seen
        try:
            people = read_people(self._people)
        except ConfigError as error:
            self._log.error("people_unreadable", reason=str(error))
            return []
        return [MayAct(frozenset(person.number for person in people if not person.disabled))]
