"""Following a journal on disk: as it grows, across segments, and beside a status that may be old."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.controller import Status as Told
from firmware_bridge.core.fold import digest, fold
from firmware_bridge.core.records import Entry
from firmware_bridge.core.words import Claim, IncidentKind, Procedure, Session
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal import SqliteStore
from firmware_bridge.readers.follow import Follower, Status, read_status
from firmware_bridge.readers.summary import summary
from firmware_bridge.readers.terminal import watch
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.rulebooks.subjects import source
from tests.view.states import BEGAN, LOADED, SECOND, UTC, bodies, linked, moved

NOW = UTC + 60 * SECOND


class Journal:
    """A journal on disk that tests add to."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "table.journal"
        self.store = SqliteStore.open(self.path, table="BJ 7", key_path=folder / "key", entropy=lambda n: bytes(n))
        self.records: list[list[c.AnyChange]] = []

    def add(self, *records: list[c.AnyChange]) -> None:
        self.records += records
        new = bodies(*self.records)[self.store.last_number :]
        self.store.append([Entry(number, utc, utc, body) for number, utc, body in new], sign=True)

    def status(self, age_s: float = 0.5) -> Status:
        return Status("b1", self.store.last_number, NOW - int(age_s * SECOND), "pin", "", 3, "")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path)
    made.add([BEGAN, *linked()])
    yield made
    made.store.close()


def test_the_state_is_folded_as_the_journal_grows(journal: Journal) -> None:
    follower = Follower(journal.path)
    assert follower.refresh()
    assert not follower.refresh()
    journal.add(LOADED, [moved(Session.READY)])
    assert follower.refresh()
    assert digest(follower.state) == digest(fold(bodies(*journal.records)))
    assert follower.recent[-1] == "04:00:03Z between rounds"


def test_a_new_segment_is_followed(journal: Journal) -> None:
    follower = Follower(journal.path)
    follower.refresh()
    journal.add(LOADED)
    journal.store.begin_segment()
    journal.add([moved(Session.READY)])
    journal.store.begin_segment()
    assert follower.refresh()
    assert not follower.refresh()
    journal.add([moved(Claim.OPEN, Procedure.CLAIM)])
    assert follower.refresh()
    assert digest(follower.state) == digest(fold(bodies(*journal.records)))
    assert follower.view(journal.status(), NOW).duties == (
        "Claim open since 04:00:04Z: the supervisor closes it [SB-8]",
    )


def test_another_journal_in_its_place_is_read_from_its_beginning(journal: Journal, tmp_path: Path) -> None:
    journal.add(LOADED, [moved(Session.READY)])
    follower = Follower(journal.path)
    follower.refresh()
    (tmp_path / "other").mkdir()
    other = Journal(tmp_path / "other")
    other.add([BEGAN, *linked()], LOADED, [moved(Session.MIXING)], [moved(Session.AWAITING_PACK)])
    follower.path = other.path
    assert follower.refresh()
    assert digest(follower.state) == digest(fold(bodies(*other.records)))
    other.store.close()


# ---- freshness


@pytest.mark.clause("SB-1")
def test_a_stale_status_never_lets_deal(journal: Journal) -> None:
    journal.add(LOADED, [moved(Session.READY)])
    follower = Follower(journal.path)
    follower.refresh()
    assert follower.view(journal.status(), NOW).headline == "DEAL"
    stale = follower.view(journal.status(age_s=17), NOW)
    assert (stale.headline, stale.reasons) == ("DO NOT DEAL", ("controller not heard for 17 s [SB-1]",))
    assert stale.keypad.dots == 0
    assert "nothing can be done at the keypad until the controller runs" in stale.keypad.message
    assert follower.view(journal.status(age_s=-17), NOW).headline == "DO NOT DEAL"
    assert follower.view(None, NOW).headline == "DO NOT DEAL"


@pytest.mark.clause("SB-1")
def test_a_controller_ahead_of_the_journal_that_is_read_never_lets_deal(journal: Journal) -> None:
    journal.add(LOADED, [moved(Session.READY)])
    follower = Follower(journal.path)
    ahead = msgspec.structs.replace(journal.status(), record=99)
    assert "this screen is behind" in follower.view(ahead, NOW).reasons[0]


def test_a_view_catches_up_with_the_status_it_is_given(journal: Journal) -> None:
    follower = Follower(journal.path)
    follower.refresh()
    journal.add(LOADED, [moved(Session.READY)])
    assert follower.view(journal.status(), NOW).headline == "DEAL"


def test_a_status_is_read_by_its_folder_or_its_file_and_garbage_is_none(journal: Journal, tmp_path: Path) -> None:
    file = tmp_path / "status.json"
    assert read_status(tmp_path) is None
    file.write_bytes(msgspec.json.encode(journal.status()))
    assert read_status(tmp_path) == read_status(file) == journal.status()
    file.write_bytes(b"{")
    assert read_status(file) is None


def test_a_status_is_what_the_controller_tells() -> None:
    assert Status.__struct_fields__ == Told.__struct_fields__


def test_an_incident_is_told_among_the_events_by_the_book_that_the_journal_names(journal: Journal) -> None:
    called = c.Raised(IncidentKind.SUPERVISOR_CALLED, "", "")
    journal.add([c.SessionBegan(201, 208), called])
    spain = load_rulebook("spain")
    journal.add([msgspec.structs.replace(BEGAN, rulebook="spain", rulebook_digest=spain.digest)], [called])
    journal.add([msgspec.structs.replace(BEGAN, rulebook_digest="not here")], [called])
    follower = Follower(journal.path)
    follower.refresh()
    told = [line.partition("supervisor called")[2] for line in follower.recent if "INCIDENT" in line]
    assert told == [" [PT-A2]", f" [{source(spain.clause_of('jam.lid_opened_by'))}]", ""]


# ---- what cannot be followed


def test_a_journal_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no such file"):
        Follower(tmp_path / "nothing").refresh()


def test_another_edition_of_the_rule_book_is_refused(journal: Journal) -> None:
    journal.add([msgspec.structs.replace(BEGAN, rulebook_digest="other")])
    follower = Follower(journal.path)
    follower.refresh()
    with pytest.raises(ConfigError, match="another edition"):
        follower.view(journal.status(), NOW)


def test_a_table_under_a_houses_own_book_is_followed_with_its_file(journal: Journal, tmp_path: Path) -> None:
    ours = tmp_path / "ours.toml"
    ours.write_text('id = "ours"\ntitle = "Our house"\nextends = "portugal"\n', encoding="utf-8")
    digest = load_rulebook(ours).digest
    journal.add([msgspec.structs.replace(BEGAN, rulebook="ours", rulebook_digest=digest)])
    follower = Follower(journal.path, [ours])
    follower.refresh()
    assert follower.view(journal.status(), NOW).rulebook == "Our house"
    without = Follower(journal.path)
    without.refresh()
    with pytest.raises(ConfigError, match="Give the file of that book with --rulebook"):
        without.view(journal.status(), NOW)


# ---- the loop and the summary


def test_watch_waits_for_a_journal_that_no_controller_has_begun_and_says_so_once(tmp_path: Path) -> None:
    stream, looks, made = io.StringIO(), 0, []

    def until() -> bool:
        nonlocal looks
        looks += 1
        if looks == 2:
            made.append(Journal(tmp_path))
        if looks == 4:
            made[0].add([BEGAN, *linked()], LOADED)
        return looks == 6

    watch(tmp_path / "table.journal", tmp_path, stream, until, utc_ns=lambda: NOW, size=lambda: (60, 40))
    made[0].store.close()
    first, _, rest = stream.getvalue().partition("\n")
    assert first.endswith("no controller has begun this journal yet; waiting for one (Ctrl-C ends this)")
    assert "waiting" not in rest
    assert rest.startswith("BJ 7 |")


def test_a_watch_that_waits_can_be_ended_and_one_that_can_never_begin_is_refused(tmp_path: Path) -> None:
    watch(tmp_path / "table.journal", tmp_path, io.StringIO(), lambda: True)
    with pytest.raises(JournalError, match="no such file"):
        watch(tmp_path / "no folder" / "table.journal", tmp_path, io.StringIO(), lambda: True)


def test_watch_draws_when_something_changed_and_tells_when_the_journal_fails(journal: Journal, tmp_path: Path) -> None:
    journal.add(LOADED, [moved(Session.READY)])
    stream, looks = io.StringIO(), 0
    (tmp_path / "status.json").write_bytes(msgspec.json.encode(journal.status()))

    def until() -> bool:
        nonlocal looks
        looks += 1
        if looks == 2:
            journal.add([moved(Session.MIXING)])
        if looks == 4:
            journal.store.close()
            for path in tmp_path.glob("table.journal*"):
                path.unlink()
        return looks == 6

    watch(journal.path, tmp_path, stream, until, utc_ns=lambda: NOW, size=lambda: (60, 40))
    screens = stream.getvalue().strip().split("\n\n\n")
    assert stream.getvalue().count("BJ 7 |") == 3
    assert "the journal cannot be read" in screens[-1]


def test_a_summary_tells_the_last_session_and_whether_the_journal_holds(journal: Journal) -> None:
    judged = [c.DeckJudged(deck, 52, (), (), 0, by_person=False) for deck in range(1, 5)]
    journal.add(LOADED, [c.RoundBegan()], [*judged, moved(Session.VERIFIED)])
    told = summary(journal.path)
    assert (told["verified"], told["session"], told["rounds"], told["cards"]) == (True, "verified", 1, {"machine": 208})
    assert told["journal"]["head"].startswith("4:")
    assert msgspec.json.encode(told)


@pytest.mark.clause("PT-A6")
def test_a_summary_names_a_difference_and_is_not_verified(journal: Journal) -> None:
    journal.add(LOADED, [c.DeckJudged(1, 51, (c.Face(9),), (), 0, by_person=False), moved(Session.DIFFERENCE)])
    told = summary(journal.path)
    assert not told["verified"]
    assert told["difference"][0] == "deck 1: 9 of clubs missing, 51 cards read"


def test_a_journal_that_does_not_hold_is_not_folded(journal: Journal, tmp_path: Path) -> None:
    told = summary(tmp_path / "nothing")
    assert (told["verified"], told["session"]) == (False, "unknown")
    assert told["journal"]["problem"]
    with pytest.raises(JournalError):
        summary(journal.path, head="nonsense")
