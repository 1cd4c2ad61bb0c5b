"""A short journal on disk, written by the product itself on a stepped clock."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from drivers.protocol.notices import LinkLost, Notice, StrokeTold
from firmware_bridge.core.console import CheckWanted
from firmware_bridge.core.controller import Checked, FromDevice, Now
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role
from firmware_bridge.journal import SqliteStore
from firmware_bridge.service.assembly import Assembly
from firmware_bridge.service.config import load_config
from firmware_bridge.service.run import key_of
from tests.service import live

SECOND = 10**9
EPOCH = 1_767_225_600 * SECOND


def journal_in(folder: Path) -> Path:
    """Write a journal in which the supervisor is identified and tries to open a table whose devices are absent."""
    config = load_config(live.write_config(folder))
    path = Path(config.table.journal)
    clock, nonces = count(SECOND, SECOND), count(1)
    checks: list[CheckWanted] = []

    def now() -> Now:
        moment = next(clock)
        return Now(moment, moment, EPOCH + moment)

    with SqliteStore.open(path, table=config.table.name, key_path=key_of(path)) as store:
        table = Assembly(
            config,
            store=store,
            state=State(),
            clock=now,
            check=checks.append,
            renew=lambda wanted: None,  # noqa: ARG005 - nobody renews
            nonces=lambda: next(nonces),
            boot="1",
        )
        table.start()
        for device in config.devices:
            table.controller.turn([FromDevice(device.name, [LinkLost("no such port")])])
        table.controller.turn([FromDevice("keypad", strokes("12e739154e"))])
        table.controller.turn([Checked(checks[0].entry, Role.SUPERVISOR)])
        table.controller.turn([FromDevice("keypad", strokes("10e"))])
    return path


def strokes(keys: str) -> list[Notice]:
    """Return what a keypad's core tells of these keys; ``e`` is Enter."""
    return [StrokeTold(10 if key == "e" else int(key), 0) for key in keys]
