"""A disk on which nothing can be kept any more, until it is well again: SQLite's own errors, at the journal's calls."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from firmware_bridge.journal.database import connect_sqlite


class SickDisk:
    """``full`` from some moment on: every commit fails, of the open segment and of any new one.

    ``committing`` is called at each commit, with the writer's transaction open: as long as it takes, the flush hangs.
    """

    def __init__(self) -> None:
        self.full = False
        self.committing: Callable[[], None] = lambda: None

    def connect(self, path: Path) -> _Connection:
        """Open a connection for the journal's writer."""
        return _Connection(connect_sqlite(path), self)


class _Connection:
    def __init__(self, connection: sqlite3.Connection, disk: SickDisk) -> None:
        self._connection = connection
        self._disk = disk

    def execute(self, statement: str, values: Any = (), /) -> Any:
        if statement == "COMMIT":
            self._disk.committing()
        if self._disk.full and statement == "COMMIT":
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return self._connection.execute(statement, values)

    def executemany(self, statement: str, values: Any, /) -> Any:
        return self._connection.executemany(statement, values)

    def close(self) -> None:
        self._connection.close()
