"""``sabot journal begin-anew``: a damaged journal is laid aside as it is, and the table goes on with another (BR-036).

Two people decide that, not the program: a supervisor and a technician, each by number and PIN. The fresh journal's
first records say who they were, what was wrong, and where the damaged one lies.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.core.events import JournalBegunAnew
from firmware_bridge.core.records import Logged
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal import Record, SqliteStore, read_records
from firmware_bridge.journal.damaged import close_folder, lay_aside, left_open, what_is_damaged, why_left_open
from firmware_bridge.service.assembly import Assembly
from firmware_bridge.service.clocks import Clocks
from firmware_bridge.service.config import Config, load_config
from firmware_bridge.service.people import Credentials, read_people
from firmware_bridge.service.run import key_of

AskPin = Callable[[str], Pin]
"""Asks for a PIN in these words."""


def begin_anew(path: Path, supervisor: int, technician: int, ask: AskPin) -> Path:
    """Lay a table's damaged journal aside and begin another; return the folder in which the damaged one lies.

    Raises ``ConfigError`` where one of the two may not, ``JournalError`` where the journal is sound or cannot be moved.
    """
    config = load_config(path)
    journal = Path(config.table.journal)
    folder = left_open(journal)
    if folder is not None:
        reason = why_left_open(folder)
    elif not (reason := what_is_damaged(journal, table=config.table.name, key_path=key_of(journal))):
        raise JournalError(f"journal {journal}: it is sound, and nothing was changed; the table goes on with it")
    credentials = Credentials(read_people(Path(config.table.people)))
    for number, role in ((supervisor, Role.SUPERVISOR), (technician, Role.TECHNICIAN)):
        if credentials.check(number, ask(f"PIN of {role} {number}: ").digits()) is not role:
            raise ConfigError(f"person {number} is no {role} with this PIN; nothing was changed")
    if folder is None or not _is_begun(config, journal):
        folder = lay_aside(journal, reason)
        _record(config, journal, JournalBegunAnew(reason, folder.with_suffix("").name, supervisor, technician))
    return close_folder(folder)


def _is_begun(config: Config, journal: Path) -> bool:
    """Whether the interruption came so late that the fresh journal tells of it all."""
    whole = journal.exists() and not what_is_damaged(journal, table=config.table.name, key_path=key_of(journal))
    return whole and any(isinstance(_event(record), JournalBegunAnew) for record in read_records(journal))


def _event(record: Record) -> object:
    return Logged.from_body(record.body).event


def _record(config: Config, journal: Path, begun: JournalBegunAnew) -> None:
    """Begin the journal with a start of a controller that has no devices, and with what was done."""
    state = State()
    with SqliteStore.open(journal, table=config.table.name, key_path=key_of(journal), anew=True) as store:
        Assembly(
            config,
            store=store,
            state=state,
            clock=Clocks(state, config.time.speed).now,
            check=_nobody,
            renew=_nobody,
            nonces=lambda: secrets.randbits(64),
            boot=secrets.token_hex(8),
        ).start(begun)


def _nobody(_wanted: object) -> None:
    raise AssertionError("nobody stands at a keypad while a journal is begun")
