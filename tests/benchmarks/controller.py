"""The controller as ``sabot run`` starts it, its flushes counted and, if asked, each of them slowed.

``python -m tests.benchmarks.controller CONFIG COUNT SECONDS``: COUNT is a file of eight bytes that holds the number of
flushes; SECONDS is how much longer each takes, as on a slower disk. A configuration may name any devices: no table has
eight that tell events, but what many of them cost is measured all the same.
"""

from __future__ import annotations

import mmap
import sqlite3
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from firmware_bridge.journal import SqliteStore
from firmware_bridge.service import config as config_of_table
from firmware_bridge.service.run import run

SIZE = 8


def counted(file: Path, slowed_s: float) -> type[sqlite3.Connection]:
    """Return a connection whose commits are counted in a file and take so much longer."""
    with file.open("r+b") as opened:
        count = mmap.mmap(opened.fileno(), SIZE)

    class Counted(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            cursor = super().execute(sql, *values)
            if sql == "COMMIT":
                if slowed_s:
                    time.sleep(slowed_s)
                count[:] = (int.from_bytes(count[:], "little") + 1).to_bytes(SIZE, "little")
            return cursor

    return Counted


def opened_with(connection: type[sqlite3.Connection]) -> partial[SqliteStore]:
    """Return what opens a journal by such connections."""
    connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False, factory=connection)
    return partial(SqliteStore.open, connect=connect)


def main(config: str, count: str, slowed_s: str) -> None:
    """Run the controller until SIGTERM."""
    any_number = {what: (kinds, 0, 8) for what, (kinds, _, _) in config_of_table.NEEDED.items()}
    with (
        patch.dict(config_of_table.NEEDED, any_number),
        patch.object(SqliteStore, "open", opened_with(counted(Path(count), float(slowed_s)))),
    ):
        run(Path(config))


if __name__ == "__main__":
    main(*sys.argv[1:])
