"""Something else in the place of each file that is read: one message that names it, or nobody heard; never a hang."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_bridge.errors import BridgeError, JournalError
from firmware_bridge.journal import SqliteStore
from firmware_bridge.readers import presence
from firmware_bridge.readers.follow import Follower, read_status
from firmware_bridge.readers.presence import read_shown
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.service import links_file
from firmware_bridge.service.cli import main
from firmware_bridge.service.config import load_config
from firmware_bridge.service.links_file import read_links
from firmware_bridge.service.people import read_people
from firmware_bridge.service.snapshots import Snapshots
from firmware_bridge.service.status import LOCK, NAME, StatusFile, controller_of
from tests.hostile.test_files import COMMANDS, SNAPSHOT, TABLE, Written, ends_in_words

pytestmark = pytest.mark.timeout(30)


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path, 0o600)


def endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


KINDS = {made.__name__: made for made in (folder, pipe, endless_device, link_to_itself)}
Make = Callable[[Path], None]

each_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
each_kind_that_is_there = pytest.mark.parametrize("make", [folder, pipe, endless_device])
"""A link that leads nowhere is no file yet: a controller that begins one puts its own there."""


@pytest.fixture(autouse=True)
def no_link_to_a_device_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    for path in tmp_path.iterdir():
        if path.is_symlink():
            path.unlink()


READERS: dict[str, Callable[[Path], object]] = {
    "configuration": load_config,
    "rule book": lambda path: load_rulebook(str(path)),
    "people": read_people,
}


@each_kind
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_what_people_write(tmp_path: Path, make: Make, read: Callable[[Path], object]) -> None:
    path = tmp_path / "file"
    make(path)
    with pytest.raises(BridgeError, match="correct the path") as told:
        read(path)
    assert str(path) in str(told.value)
    assert "rights" not in str(told.value), "its rights are not what is wrong"


@each_kind_that_is_there
def test_a_journal(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "table.journal"
    make(path)
    for command in (*COMMANDS, ("watch",)):
        assert ends_in_words(*command, str(path)) == 1, command
    with pytest.raises(JournalError, match=r"table\.journal"):
        SqliteStore.open(path, table=TABLE, key_path=tmp_path / "key")


@each_kind_that_is_there
def test_what_comes_into_a_journals_place_while_it_is_followed(tmp_path: Path, make: Make) -> None:
    written = Written(tmp_path)
    written.write("", bytes)
    follower = Follower(written.path)
    follower.refresh()
    written.path.rename(tmp_path / "away")
    make(written.path)
    with pytest.raises(JournalError):
        follower.refresh()


@each_kind_that_is_there
@pytest.mark.parametrize("name", ["table.journal.key", "table.journal.lock"])
def test_what_belongs_to_a_journal(tmp_path: Path, make: Make, name: str) -> None:
    make(tmp_path / name)
    with pytest.raises(JournalError, match=name):
        SqliteStore.open(tmp_path / "table.journal", table=TABLE, key_path=tmp_path / "table.journal.key")


@each_kind
def test_a_snapshot_is_not_used(tmp_path: Path, make: Make) -> None:
    written = Written(tmp_path)
    written.write("", bytes)
    (tmp_path / SNAPSHOT).unlink()
    make(tmp_path / SNAPSHOT)
    with SqliteStore.open(written.path, table=TABLE, key_path=tmp_path / "table.journal.key") as store:
        assert Snapshots(store).restored().record == store.last_number


@each_kind
def test_what_shows_how_things_stand_is_nobodys_word(tmp_path: Path, make: Make) -> None:
    for name in (NAME, presence.NAME, links_file.NAME, LOCK):
        make(tmp_path / name)
    assert read_status(tmp_path) is read_status(tmp_path / NAME) is None
    assert read_shown(tmp_path) is None
    assert read_links(tmp_path) is None
    assert controller_of(tmp_path) is None


@each_kind
def test_the_lock_of_a_status_folder_is_named(tmp_path: Path, make: Make) -> None:
    make(tmp_path / LOCK)
    with pytest.raises(BridgeError, match="the status file cannot be written there"):
        StatusFile(tmp_path).lock()


def test_a_file_that_is_longer_than_its_kind_ever_is_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with path.open("wb") as file:
        file.truncate(10**9)
    assert read_status(path) is None
    found = CliRunner().invoke(main, ["people", "list", str(path)])
    assert found.exit_code == 1
