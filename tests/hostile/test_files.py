"""Every file that the product reads, spoiled at random: it is used, or one message says what is wrong; no traceback."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.core.records import Entry
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.words import Role
from firmware_bridge.errors import BridgeError
from firmware_bridge.journal import SqliteStore, verify
from firmware_bridge.readers.follow import read_status
from firmware_bridge.readers.presence import NAME, read_shown
from firmware_bridge.rulebooks import load_rulebook, loader
from firmware_bridge.service.cli import main
from firmware_bridge.service.config import load_config
from firmware_bridge.service.people import add_person, read_people
from firmware_bridge.service.snapshots import Snapshots
from sim_hardware import commands
from sim_hardware.config import ConfigError as SimConfigError
from sim_hardware.config import load as load_sim_config
from tests.hostile.spoiled import BY_A_DISK, BY_A_HAND, Spoil, several
from tests.hostile.streams import FULL
from tests.service import live
from tests.table.evening import Evening

EXAMPLES = settings(max_examples=5_000 if FULL else 60)

pytestmark = pytest.mark.timeout(3_600 if FULL else 60)

TABLE = "BJ-07"
LONGEST = 4_000
"""Characters of a message that somebody reads."""


def refusal(read: Callable[[], object], *, of: type[Exception] = BridgeError) -> str:
    """Why something is not read, in words; nothing if it is."""
    try:
        read()
    except of as error:
        return str(error)
    return ""


def spoil_by_hand(path: Path, original: bytes, spoil: Spoil, read: Callable[[Path], object]) -> None:
    """Write a spoiled file and read it: it is taken, or one message names it."""
    path.write_bytes(spoil(original))
    path.chmod(0o600)
    told = refusal(lambda: read(path))
    assert not told or str(path) in told, "the message names the file"
    assert len(told) < 20 * LONGEST


# ---- what people write


@pytest.fixture(scope="module")
def folder() -> object:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@EXAMPLES
@given(spoil=several(BY_A_HAND))
def test_a_configuration(folder: Path, spoil: Spoil) -> None:
    path = live.write_config(folder)
    spoil_by_hand(path, path.read_bytes(), spoil, load_config)


@EXAMPLES
@given(spoil=several(BY_A_HAND))
def test_a_rule_book(folder: Path, spoil: Spoil) -> None:
    original = Path(loader.__file__).with_name("portugal.toml").read_bytes()
    spoil_by_hand(folder / "book.toml", original, spoil, lambda path: load_rulebook(str(path)))


@EXAMPLES
@given(spoil=several(BY_A_HAND))
def test_a_houses_own_rule_book(folder: Path, spoil: Spoil) -> None:
    original = Path(commands.__file__).with_name("house_in_macau.toml").read_bytes()
    spoil_by_hand(folder / "house.toml", original, spoil, lambda path: load_rulebook(str(path)))


@EXAMPLES
@given(spoil=several(BY_A_HAND))
def test_a_people_file(folder: Path, people: bytes, spoil: Spoil) -> None:
    spoil_by_hand(folder / "people.json", people, spoil, read_people)


@EXAMPLES
@given(spoil=several(BY_A_HAND))
def test_a_simulators_configuration(folder: Path, spoil: Spoil) -> None:
    path = folder / "sim.toml"
    path.write_bytes(spoil(b'folder = "ports"\nseed = 1\nquick = true\nspeed = 2.0\ndecks = 4\n'))
    assert len(refusal(lambda: load_sim_config(path), of=SimConfigError)) < LONGEST


@pytest.fixture(scope="module")
def people(folder: Path) -> bytes:
    path = folder / "enrolled.json"
    add_person(path, 12, Role.SUPERVISOR, Pin(live.PIN))
    return path.read_bytes()


# ---- what the product itself writes


SEGMENTS = ("table.journal", "table.journal.1")
SNAPSHOT, KEY = "table.journal.snapshot", "table.journal.key"
FILES = (*SEGMENTS, SNAPSHOT, KEY)
TECHNICIAN, TECHNICIANS_PIN = 41, "860317"


class Written:
    """A journal of two segments, of an evening that was played, with the state of its last record as a snapshot."""

    def __init__(self, folder: Path) -> None:
        evening = Evening()
        evening.open_and_load()
        evening.play_round()
        self.path, key = folder / "table.journal", folder / "table.journal.key"
        entries = [Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in evening.table.store.records()]
        live.enrol(folder)
        add_person(folder / "people.json", TECHNICIAN, Role.TECHNICIAN, Pin(TECHNICIANS_PIN))
        live.write_config(folder)
        with SqliteStore.open(self.path, table=TABLE, key_path=key) as store:
            store.append(entries[: len(entries) // 2], sign=True)
            store.begin_segment()
            store.append(entries[len(entries) // 2 :], sign=True)
            Snapshots(store).restored()
            store.keep_snapshot(evening.state, "sabot test")
        self.files = {name: self.path.with_name(name).read_bytes() for name in FILES}

    def write(self, spoiled: str, spoil: Spoil) -> None:
        """Lay the files where a controller finds them, one of them spoiled, and nothing else of an earlier opening."""
        for left in self.path.parent.glob("table.journal*"):
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()
        for name, content in self.files.items():
            path = self.path.with_name(name)
            path.write_bytes(spoil(content) if name == spoiled else content)
            path.chmod(0o600)

    def start(self) -> None:
        """What a controller does with its journal before it opens any device."""
        with SqliteStore.open(self.path, table=TABLE, key_path=self.path.with_name("table.journal.key")) as store:
            Snapshots(store).restored()


@pytest.fixture(scope="module")
def written(folder: Path) -> Written:
    below = folder / "journal"
    below.mkdir()
    return Written(below)


COMMANDS = (
    ("journal", "verify"),
    ("journal", "show"),
    ("journal", "show", "--last", "5"),
    ("journal", "export"),
    ("replay",),
    ("report", "session"),
    ("report", "session", "--format", "json"),
    ("report", "repeats"),
)
"""All that reads a journal and comes to an end."""


def look_at_the_commands(path: Path) -> None:
    """Each command ends with 0, or with 1 and words."""
    for command in COMMANDS:
        ends_in_words(*command, str(path))


def ends_in_words(*command: str, typed: str = "") -> int:
    """How a command ends: with 0, or with 1 and words."""
    found = CliRunner().invoke(main, command, input=typed)
    assert found.exception is None or isinstance(found.exception, SystemExit), (command, found.exception)
    assert found.exit_code in (0, 1)
    assert found.output or found.exit_code == 0
    assert "Traceback" not in found.output
    return found.exit_code


BEGIN_ANEW = ("journal", "begin-anew", "--supervisor", str(live.SUPERVISOR), "--technician", str(TECHNICIAN))
BOTH_PINS = f"{live.PIN}\n{TECHNICIANS_PIN}\n"


@pytest.mark.field("BR-036")
@pytest.mark.parametrize("segment", SEGMENTS)
@settings(max_examples=2_000 if FULL else 8)
@given(spoil=several(BY_A_DISK))
def test_a_journal_is_read_or_refused_in_words_and_is_laid_aside_if_it_does_not_hold(
    written: Written, segment: str, spoil: Spoil
) -> None:
    written.write(segment, spoil)
    look_at_the_commands(written.path)
    told = refusal(written.start)
    assert not told or str(written.path) in told
    assert len(told) < LONGEST
    holds = verify(written.path).ok and not told
    config = str(written.path.with_name("table.toml"))
    done = ends_in_words(*BEGIN_ANEW, "--config", config, "--pin-from-stdin", typed=BOTH_PINS)
    assert done == (1 if holds else 0), "none that holds is got rid of, and any other can be"


@EXAMPLES
@given(spoil=several(BY_A_DISK))
def test_a_snapshot_is_used_or_not_and_the_state_is_the_journals(written: Written, spoil: Spoil) -> None:
    written.write(SNAPSHOT, spoil)
    written.start()


@EXAMPLES
@given(spoil=several(BY_A_HAND))
def test_a_signing_key(written: Written, spoil: Spoil) -> None:
    written.write(KEY, spoil)
    told = refusal(written.start)
    assert not told or str(written.path) in told
    assert written.files[KEY].strip().decode(errors="replace") not in told, "a key is shown to nobody"


@EXAMPLES
@given(spoil=several(BY_A_HAND))
def test_a_status_file_and_a_screens_word(folder: Path, spoil: Spoil) -> None:
    """What is none is taken for none: nobody is heard."""
    status = b'{"boot":"1","record":3,"utc_ns":5,"asking":"","role":"","digits":0,"message":"","presented":0}'
    (folder / "status.json").write_bytes(spoil(status))
    (folder / NAME).write_bytes(spoil(b'{"table":"BJ-07","record":3,"utc_ns":5}'))
    read_status(folder)
    read_shown(folder)


@EXAMPLES
@given(body=st.binary(max_size=300))
def test_a_file_that_was_never_any_of_them(folder: Path, body: bytes) -> None:
    path = folder / "anything"
    path.write_bytes(body)
    path.chmod(0o600)
    look_at_the_commands(path)
    for read in (load_config, read_people, lambda path: load_rulebook(str(path))):
        with pytest.raises(BridgeError):
            read(path)
