"""Several tables on one terminal: the most urgent first, what is asked of the supervisor, and never a crash."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from firmware_bridge.core import changes as c
from firmware_bridge.core.records import Entry
from firmware_bridge.core.words import IncidentKind, Procedure, Session
from firmware_bridge.journal import SqliteStore
from firmware_bridge.readers.follow import Status
from firmware_bridge.readers.tables import Tables, render_tables, watch_tables
from firmware_bridge.service.cli import main
from tests.view.states import BEGAN, LOADED, SECOND, UTC, bodies, linked, moved

NOW = UTC + 60 * SECOND
READY: list[c.AnyChange] = [moved(Session.READY)]
JAM = c.Raised(IncidentKind.JAM, "shuffler", "exit")
CALL = c.Raised(IncidentKind.SUPERVISOR_CALLED, "", "the dealer calls the floor supervisor")
SEEN = c.Acknowledged(1, 201)
CLAIM = moved("open", Procedure.CLAIM)

Paths = tuple[Path, Path]
Made = Callable[..., Paths]


@pytest.fixture
def table(tmp_path: Path) -> Made:
    """Makes a table's journal and its status file, by name and what happened there between two rounds."""

    def made(name: str, *happened: c.AnyChange, heard: bool = True) -> Paths:
        folder = tmp_path / name
        folder.mkdir()
        began = msgspec.structs.replace(BEGAN, table=name)
        records = bodies([began, *linked()], LOADED, READY, list(happened))
        with SqliteStore.open(
            folder / "journal", table=name, key_path=folder / "key", entropy=lambda n: bytes(n)
        ) as store:
            store.append([Entry(number, utc, utc, body) for number, utc, body in records], sign=True)
        if heard:
            status = Status("b1", len(records), NOW, "number", "", 0, "")
            (folder / "status.json").write_bytes(msgspec.json.encode(status))
        return folder / "journal", folder / "status.json"

    return made


def names(*paths: Paths) -> list[str]:
    return [one.name for one in Tables(paths).look(NOW)]


def screen(*paths: Paths, width: int = 100, height: int = 50) -> str:
    return render_tables(Tables(paths).look(NOW), width, height, colour=False)


def test_the_most_urgent_table_stands_first(table: Made) -> None:
    """An alarm nobody has seen, the worse first; a table not heard; an alarm under way; a step awaited; the rest."""
    paths = [
        table("quiet"),
        table("claim", CLAIM),
        table("seen", JAM, SEEN),
        table("silent", heard=False),
        table("call", CALL),
        table("jam", JAM),
    ]
    assert names(*paths) == ["jam", "call", "silent", "seen", "claim", "quiet"]


SCREEN = """\

####    ###    #####      ###  ###  #   #
#   #    #         #       #  #   # ## ##
####     #        #        #  ##### # # #
#   # #  #       #      #  #  #   # #   #
####   ##        #       ##   #   # #   #

BJ 7 | DO NOT DEAL | between rounds | SIMULATED
  ALARM 1: jam at the exit: a card sticks on its way to the shoe, shuffler [PT-A2], since 04:00:04Z;
    not acknowledged yet; unanswered for 56 s; in 4 min 4 s the room manager is called [house:
    escalate_after_s]
  > Supervisor: step 42 - release the lid
BJ 8 | DO NOT DEAL | between rounds | SIMULATED
  > Supervisor: step 30 - close the claim: 1 upheld, 2 rejected, 3 withdrawn
BJ 9 | DEAL | between rounds | SIMULATED"""


@pytest.mark.clause("SB-2")
def test_a_block_says_whether_cards_are_dealt_the_alarm_who_is_called_and_what_the_supervisor_does_next(
    table: Made,
) -> None:
    assert screen(table("BJ 9"), table("BJ 8", CLAIM), table("BJ 7", JAM)) == SCREEN


def test_on_a_narrow_and_low_terminal_it_fits_too(table: Made) -> None:
    lines = screen(table("BJ 9"), table("BJ 8", CLAIM), table("BJ 7", JAM), width=30, height=8).split("\n")
    assert len(lines) == 8
    assert all(len(line) <= 30 for line in lines)
    assert "*** BJ 7 JAM ***" in lines
    assert lines[-1].endswith("more lines")


@pytest.mark.clause("SB-1")
def test_a_table_whose_controller_is_not_heard_never_shows_deal(table: Made) -> None:
    shown = screen(table("BJ 7", heard=False))
    assert "BJ 7 | DO NOT DEAL" in shown
    assert "controller not heard" in shown


@pytest.mark.clause("SB-2")
def test_an_alarm_that_nobody_has_seen_stands_first_though_its_controller_is_not_heard(table: Made) -> None:
    """Silence hides no alarm: it comes before a table that is only silent, whose own alarm was seen."""
    paths = [table("silent", heard=False), table("seen", JAM, SEEN, heard=False), table("unseen", JAM, heard=False)]
    assert names(*paths)[0] == "unseen"
    assert "*** unseen JAM ***" in screen(*paths, width=30)


@pytest.mark.clause("SB-1")
def test_a_table_that_is_not_heard_stands_first_in_large_letters(table: Made, tmp_path: Path) -> None:
    silent, busy = table("BJ 7", heard=False), table("BJ 8", CLAIM)
    assert screen(busy, silent, width=40).split("\n")[:3] == ["", "*** BJ 7 NOT HEARD ***", ""]
    assert "*** gone NOT HEARD ***" in screen(busy, (tmp_path / "gone", tmp_path), width=40)
    assert "NOT HEARD" not in screen(busy, table("BJ 9"), width=40)


def test_files_that_cannot_be_read_are_lines_that_say_so(table: Made, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no journal")
    (tmp_path / "empty").touch()
    SqliteStore.open(tmp_path / "unused", table="BJ 5", key_path=tmp_path / "key", entropy=lambda n: bytes(n)).close()
    paths = [(tmp_path / name, tmp_path) for name in ("text", "empty", "none", "unused", ".")]
    lines = screen(*paths, table("BJ 9"), width=200).split("\n")
    for name in ("text", "empty", "none", "unused"):
        assert len([line for line in lines if line.startswith(f"{name} | NOT KNOWN: ")]) == 1
    assert len([line for line in lines if "| NOT KNOWN: " in line]) == 5
    assert "BJ 9 | DEAL | between rounds | SIMULATED" in lines


def test_a_journal_that_goes_away_is_said_and_one_that_comes_is_shown(table: Made, tmp_path: Path) -> None:
    journal, status = table("BJ 7")
    tables = Tables([(journal, status)])
    assert tables.look(NOW)[0].view is not None
    journal.rename(tmp_path / "away")
    gone = tables.look(NOW)[0]
    assert (gone.name, gone.view) == ("BJ 7", None)
    (tmp_path / "away").rename(journal)
    assert tables.look(NOW)[0].view is not None


def test_it_is_drawn_again_only_when_a_table_changed(table: Made) -> None:
    looks = [False, False, True]
    stream = io.StringIO()
    paths = [table("BJ 7"), table("BJ 8")]
    watch_tables(paths, stream, lambda: looks.pop(0), utc_ns=lambda: NOW, size=lambda: (80, 24))
    assert stream.getvalue().count("BJ 7 | DEAL") == 1
    assert not looks


@pytest.mark.clause("SB-2")
def test_it_is_no_screen_of_any_table(table: Made) -> None:
    journal, status = table("BJ 7")
    watch_tables([(journal, status)], io.StringIO(), lambda: True, utc_ns=lambda: NOW, size=lambda: (80, 24))
    assert not (status.parent / "screen.json").exists()


def test_the_command_takes_each_table_s_status_from_a_folder_named_as_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Paths] = []
    monkeypatch.setattr("firmware_bridge.readers.tables.watch_tables", lambda paths, *_, **__: given.extend(paths))
    files = [tmp_path / "bj7.journal", tmp_path / "bj8.journal"]
    result = CliRunner().invoke(main, ["watch", *map(str, files), "--status", str(tmp_path)])
    assert result.exit_code == 0
    assert given == [(file, tmp_path / file.stem / "status.json") for file in files]
