"""What came back, over a year and over tables: grouped by kind, table and who was on duty (BR-013)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.fold import apply
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Incident, IncidentKind, Role, Session
from firmware_bridge.journal import SqliteStore
from firmware_bridge.readers.repeats import Journal, repeats_of, repeats_written
from firmware_bridge.service.cli import main
from firmware_bridge.view import Repeat, Repeats, When
from tests.view.states import BEGAN, LOADED, SECOND, UTC, linked, moved

pytestmark = pytest.mark.field("BR-013")

MONTH_NS = 30 * 24 * 3600 * SECOND
MISTAKE = IncidentKind.COUNT_MISMATCH


def started(software: str) -> e.Started:
    """A controller of this version starts: a restart, and perhaps new software."""
    return e.Started(
        "b1", software, BEGAN.rulebook, BEGAN.rulebook_digest, BEGAN.table, 1.0, BEGAN.devices, 4, BEGAN.backs, True
    )


def session(supervisor: int, dealer: int, number: int) -> list[c.AnyChange]:
    """An evening with one incident, numbered over all, and its end."""
    return [
        *LOADED,
        c.TookOver(supervisor),
        c.DealerSigned(dealer),
        moved(Session.READY),
        c.Raised(MISTAKE, "", "104 cards were counted in the machine, the books say 105"),
        c.IncidentClosed(number, supervisor, 0),
        moved(Incident.CONFIRMED, f"incident/{number}"),
        moved(Session.VERIFIED),
    ]


def a_year(folder: Path, table: str = "BJ 7", corrected_after: int = 4) -> Path:
    """Nine evenings in a year, a restart with new software before each, a corrective action after some of them."""
    records: list[tuple[int, e.AnyEvent, list[c.AnyChange]]] = []
    began = c.Began(**{name: getattr(BEGAN, name) for name in BEGAN.__struct_fields__} | {"table": table})
    for number in range(1, 10):
        now = UTC + number * MONTH_NS
        records.append((now, started(f"sabot 0.{number}"), [began, *linked()]))
        people = (201, 101) if number % 3 else (202, 102)
        records.append((now + SECOND, e.DeviceCaughtUp("shoe"), session(*people, number)))
        if number == corrected_after:
            corrected: list[c.AnyChange] = [c.Corrected(MISTAKE, 301)]
            records.append((now + 2 * SECOND, e.DeviceCaughtUp("shoe"), corrected))
    path = folder / f"{table.replace(' ', '').lower()}.journal"
    entries = [
        Entry(number, utc, utc, Logged(utc - UTC, event, c.Decision(tuple(changes))).to_body())
        for number, (utc, event, changes) in enumerate(records, start=1)
    ]
    with SqliteStore.open(path, table=table, key_path=folder / f"{table}.key", entropy=lambda n: bytes(n)) as store:
        store.append(entries, sign=True)
    return path


@pytest.fixture
def year(tmp_path: Path) -> Journal:
    return repeats_of(a_year(tmp_path))


def test_five_of_nine_came_since_the_corrective_action_whatever_restarts_and_versions_lie_between(
    year: Journal,
) -> None:
    [repeat] = year.repeats
    assert (repeat.kind, repeat.table, repeat.total, repeat.sessions) == (MISTAKE, "BJ 7", 9, 9)
    assert (repeat.since, repeat.corrected_by) == (5, 301)
    assert "5 since the corrective action of 2026-05-01 #9, entered by room manager 301" in repeats_written([year])


def test_they_are_grouped_by_who_was_on_duty_when_they_were_raised(year: Journal) -> None:
    [repeat] = year.repeats
    assert [(one.role, one.person, one.count, one.since) for one in repeat.on_duty] == [
        (Role.SUPERVISOR, 201, 6, 3),
        (Role.SUPERVISOR, 202, 3, 2),
        (Role.DEALER, 101, 6, 3),
        (Role.DEALER, 102, 3, 2),
    ]
    assert "supervisor on duty: 201 at 6 (3 since then); 202 at 3 (2 since then)" in repeats_written([year])


def test_tables_stand_side_by_side_under_their_kind(tmp_path: Path) -> None:
    tables = [repeats_of(a_year(tmp_path)), repeats_of(a_year(tmp_path, "BJ 8", corrected_after=7))]
    text = repeats_written(tables)
    assert text.splitlines().count("COUNTS DISAGREE") == 1
    first, second = text.index("table BJ 7: 9 in 9 sessions"), text.index("table BJ 8: 9 in 9 sessions")
    assert first < second, "most since its corrective action first"
    assert "2 since the corrective action of 2026-07-30" in text


def test_without_a_corrective_action_all_are_counted(tmp_path: Path) -> None:
    year = repeats_of(a_year(tmp_path, corrected_after=0))
    assert year.repeats[0].since == 9
    assert "no corrective action was entered" in repeats_written([year])


def test_the_command_prints_text_or_json(tmp_path: Path) -> None:
    path = str(a_year(tmp_path))
    text = CliRunner().invoke(main, ["report", "repeats", path])
    assert (text.exit_code, "5 since the corrective action" in text.output) == (0, True)
    told = json.loads(CliRunner().invoke(main, ["report", "repeats", path, "--format", "json"]).output)
    [journal] = told["journals"]
    assert journal["repeats"][0]["corrected"]["utc"].startswith("2026-05-01T")
    assert journal["repeats"][0]["since"] == 5


def test_a_journal_that_does_not_hold_is_told_as_that_and_the_others_all_the_same(tmp_path: Path) -> None:
    good, bad = a_year(tmp_path), a_year(tmp_path, "BJ 8")
    connection = sqlite3.connect(bad)
    connection.execute("UPDATE record SET utc_ns = utc_ns + 1 WHERE number = 3")
    connection.commit()
    connection.close()
    result = CliRunner().invoke(main, ["report", "repeats", str(bad), str(good), str(tmp_path / "none")])
    assert result.exit_code == 1
    assert "the journal does not hold: record 3" in result.output.replace("\n  ", " ")
    assert "no such file" in result.output.replace("\n  ", " ")
    assert "table BJ 7: 9 in 9 sessions" in result.output
    assert "table BJ 8" not in result.output


def test_a_journal_without_incidents_says_so(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    body = Logged(0, started("sabot 1"), c.Decision((BEGAN, *linked()))).to_body()
    with SqliteStore.open(path, table="BJ 7", key_path=tmp_path / "key", entropy=lambda n: bytes(n)) as store:
        store.append([Entry(1, UTC, UTC, body)], sign=True)
    assert repeats_written([repeats_of(path)]).endswith("No incident was ever raised.")


def repeats_after(*evenings: list[IncidentKind], corrected: IncidentKind | None = None) -> tuple[Repeat, ...]:
    """What was raised in each session, one after the other; after the first a corrective action, if any."""
    repeats, state = Repeats(), State()
    number = 0
    for place, kinds in enumerate(evenings):
        changes = [[BEGAN, *linked()], LOADED, *([c.Raised(kind, "", "")] for kind in kinds), [moved(Session.VERIFIED)]]
        if place == 0 and corrected is not None:
            changes.append([c.Corrected(corrected, 301)])
        for one in changes:
            number += 1
            logged = Logged(number * SECOND, e.ScreenSeen(True), c.Decision(tuple(one)))
            apply(state, logged, number, UTC + number * SECOND)
            repeats.add(logged, state, When(number, UTC + number * SECOND))
    return repeats.found(state)


def test_what_came_back_most_since_its_corrective_action_stands_first_and_a_session_counts_once() -> None:
    jam, call = IncidentKind.JAM, IncidentKind.SUPERVISOR_CALLED
    found = repeats_after([jam, jam, jam], [call, call], corrected=jam)
    assert [(one.kind, one.since, one.total, one.sessions) for one in found] == [(call, 2, 2, 1), (jam, 0, 3, 1)]


def test_where_the_later_table_has_more_since_its_corrective_action_it_stands_first(tmp_path: Path) -> None:
    text = repeats_written([repeats_of(a_year(tmp_path, corrected_after=7)), repeats_of(a_year(tmp_path, "BJ 8"))])
    assert text.index("table BJ 8: 9 in") < text.index("table BJ 7: 9 in")


def test_two_journals_of_one_tables_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    text = repeats_written([repeats_of(a_year(folder)) for folder in folders])
    told = " ".join(text.split())
    assert all(f"table BJ 7 ({folder / 'bj7.journal'})" in told for folder in folders)
