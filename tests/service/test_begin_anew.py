"""A damaged journal: supervisor and technician lay it aside as it is, and the table goes on with another (BR-036)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firmware_bridge.core.events import JournalBegunAnew, Started
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.words import Role
from firmware_bridge.journal import damaged, read_records, verify
from firmware_bridge.service import begin_anew as command
from firmware_bridge.service.cli import main
from firmware_bridge.service.people import add_person
from firmware_bridge.service.run import key_of
from tests.service import live, recorded

TECHNICIAN, TECHNICIANS_PIN = 41, "860317"
BOTH = f"{live.PIN}\n{TECHNICIANS_PIN}\n"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A table's journal, with the people who may do something about it."""
    live.enrol(tmp_path)
    add_person(tmp_path / "people.json", TECHNICIAN, Role.TECHNICIAN, Pin(TECHNICIANS_PIN))
    return recorded.journal_in(tmp_path)


def spoil(journal: Path) -> None:
    """Damage the file as a failing disk would: a page in its middle is none any more."""
    content = bytearray(journal.read_bytes())
    content[4096:8192] = bytes(4096)
    journal.write_bytes(content)


def begin_anew(
    journal: Path, typed: str = BOTH, supervisor: int = live.SUPERVISOR, technician: int = TECHNICIAN
) -> Result:
    arguments = ["--config", journal.parent / "table.toml", "--supervisor", supervisor, "--technician", technician]
    return CliRunner().invoke(main, ["journal", "begin-anew", *map(str, arguments), "--pin-from-stdin"], input=typed)


def events(journal: Path) -> list[object]:
    """What a journal holds."""
    return [one.event for one in live.logged(journal)]


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder as they are."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.field("BR-036")
@pytest.mark.clause("SB-3", "SB-11")
def test_a_damaged_journal_is_laid_aside_as_it_is_and_the_new_one_says_by_whom(journal: Path) -> None:
    spoil(journal)
    before = journal.read_bytes()
    refused = live.sabot("run", "--config", journal.parent / "table.toml")
    assert refused.returncode == 1
    assert "sabot journal begin-anew" in refused.stderr
    done = begin_anew(journal)
    assert done.exit_code == 0, done.output
    laid_aside = journal.with_name("table.journal.damaged-1")
    assert str(laid_aside) in done.output
    assert (laid_aside / "table.journal").read_bytes() == before
    assert not verify(laid_aside / "table.journal").ok
    assert verify(journal).ok
    started, begun = events(journal)
    assert isinstance(started, Started)
    assert isinstance(begun, JournalBegunAnew)
    assert (begun.supervisor, begun.technician) == (live.SUPERVISOR, TECHNICIAN)
    assert begun.folder == laid_aside.name
    assert "damaged" in begun.reason
    shown = live.sabot("journal", "show", journal)
    assert (
        "begun anew by supervisor 12 and technician 41; the damaged one lies in table.journal.damaged-1" in shown.stdout
    )
    assert live.sabot("replay", journal).returncode == 0


@pytest.mark.field("BR-036")
def test_the_table_goes_on_with_the_new_journal_and_a_second_damaged_one_lies_beside_the_first(journal: Path) -> None:
    for number in (1, 2):
        spoil(journal)
        assert begin_anew(journal).exit_code == 0
        assert (journal.with_name(f"table.journal.damaged-{number}") / "table.journal").exists()
    with live.devices(journal.parent), live.Running(journal.parent / "table.toml") as running:
        running.wait_for("controller_started")
        live.eventually(
            lambda: len([one for one in events(journal) if isinstance(one, Started)]) == 2, "it is recorded"
        )


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize(
    ("typed", "supervisor", "technician"),
    [
        (f"{live.PIN}\n000000\n", live.SUPERVISOR, TECHNICIAN),
        (f"000000\n{TECHNICIANS_PIN}\n", live.SUPERVISOR, TECHNICIAN),
        (f"{live.PIN}\n{live.PIN}\n", live.SUPERVISOR, live.SUPERVISOR),
        (f"{TECHNICIANS_PIN}\n{TECHNICIANS_PIN}\n", TECHNICIAN, TECHNICIAN),
        (f"{live.PIN}\n", live.SUPERVISOR, TECHNICIAN),
        ("", live.SUPERVISOR, TECHNICIAN),
    ],
)
def test_nobody_does_it_alone_or_without_his_pin(journal: Path, typed: str, supervisor: int, technician: int) -> None:
    spoil(journal)
    before = files(journal.parent)
    refused = begin_anew(journal, typed, supervisor, technician)
    assert refused.exit_code == 1
    assert "nothing was changed" in refused.stderr
    assert live.PIN not in refused.output
    assert TECHNICIANS_PIN not in refused.output
    assert files(journal.parent) == before


@pytest.mark.clause("SB-2")
def test_a_sound_journal_is_not_got_rid_of(journal: Path) -> None:
    before = files(journal.parent)
    refused = begin_anew(journal)
    assert refused.exit_code == 1
    assert "it is sound, and nothing was changed" in refused.stderr
    assert files(journal.parent) == before


@pytest.mark.clause("SB-2")
def test_where_a_controller_is_at_work_or_no_journal_is_nothing_is_done(journal: Path) -> None:
    with live.devices(journal.parent), live.Running(journal.parent / "table.toml") as running:
        running.wait_for("controller_started")
        assert "writes it already" in begin_anew(journal).stderr
    for path in (journal, journal.with_name("table.journal.key")):
        path.unlink()
    assert "there is none" in begin_anew(journal).stderr


@pytest.mark.field("BR-036")
def test_a_journal_whose_file_or_key_is_lost_is_laid_aside_too(journal: Path) -> None:
    journal.rename(journal.with_name("table.journal.1"))
    assert begin_anew(journal).exit_code == 0
    assert (journal.with_name("table.journal.damaged-1") / "table.journal.1").exists()
    journal.with_name("table.journal.key").unlink()
    assert begin_anew(journal).exit_code == 0
    assert verify(journal).ok


@pytest.mark.field("BR-036")
@pytest.mark.clause("SB-11")
def test_a_journal_of_which_the_key_alone_is_left_is_not_begun_without_a_word(journal: Path) -> None:
    for path in journal.parent.glob("table.journal*"):
        if path.suffix != ".key":
            path.unlink()
    refused = live.sabot("run", "--config", journal.parent / "table.toml")
    assert refused.returncode == 1
    assert f"its signing key {journal}.key is there" in refused.stderr
    assert "sabot journal begin-anew" in refused.stderr
    assert not journal.exists()
    assert begin_anew(journal).exit_code == 0
    (begun,) = [one for one in events(journal) if isinstance(one, JournalBegunAnew)]
    assert f"its signing key {journal}.key is there" in begun.reason
    assert list(journal.with_name(begun.folder).iterdir()) == []
    with live.devices(journal.parent), live.Running(journal.parent / "table.toml") as running:
        running.wait_for("controller_started")


@pytest.mark.field("BR-036")
@pytest.mark.parametrize("moved", [0, 1, 2])
def test_interrupted_it_says_so_starts_nothing_and_goes_on_where_it_stopped(
    journal: Path, moved: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (journal.with_name("table.journal.snapshot")).write_text("{}")
    spoil(journal)
    damage = damaged.what_is_damaged(journal, table="BJ-07", key_path=key_of(journal))
    assert damage
    before = {name: content for name, content in files(journal.parent).items() if name.startswith("table.journal")}
    with monkeypatch.context() as interrupted:
        rename, left = damaged.os.rename, iter(range(moved))

        def renamed(source: Path, target: Path) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            rename(source, target)

        interrupted.setattr(damaged.os, "rename", renamed)
        with pytest.raises(KeyboardInterrupt):
            command.begin_anew(journal.parent / "table.toml", live.SUPERVISOR, TECHNICIAN, answers())
    refused = live.sabot("run", "--config", journal.parent / "table.toml")
    assert refused.returncode == 1
    assert "interrupted" in refused.stderr
    assert begin_anew(journal).exit_code == 0
    laid_aside = files(journal.with_name("table.journal.damaged-1"))
    assert laid_aside == {name: before[name] for name in ("table.journal", "table.journal.snapshot")}
    (begun,) = [one for one in events(journal) if isinstance(one, JournalBegunAnew)]
    assert begun.reason == damage, "what was wrong, not that somebody was interrupted"
    assert len(list(read_records(journal))) == 2
    assert not list(journal.parent.glob("*.reason"))


@pytest.mark.field("BR-036")
def test_interrupted_at_the_very_end_the_new_journal_is_the_one_that_was_begun(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(journal)
    with monkeypatch.context() as interrupted:
        interrupted.setattr(command, "close_folder", lambda _folder: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            command.begin_anew(journal.parent / "table.toml", live.SUPERVISOR, TECHNICIAN, answers())
    begun = [record.body for record in read_records(journal)]
    assert begin_anew(journal).exit_code == 0
    assert [record.body for record in read_records(journal)] == begun
    assert [path.name for path in journal.with_name("table.journal.damaged-1").iterdir()] == ["table.journal"]


def answers() -> command.AskPin:
    """Both people type their PINs, one after the other."""
    pins = iter((Pin(live.PIN), Pin(TECHNICIANS_PIN)))
    return lambda _words: next(pins)
