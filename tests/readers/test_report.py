"""A session's report: what an inspector asks, on one page and as JSON, of a journal that holds."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from drivers.cards import ALL_FACES, face_name
from drivers.protocol.messages import Capability, DealerKey, JamPlace
from firmware_bridge.core.events import LinkUp
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import SqliteStore, read_records
from firmware_bridge.journal.verify import VerifyReport
from firmware_bridge.readers.report import report_session, session_of
from firmware_bridge.readers.report_page import journal_section, page
from firmware_bridge.service.software import SOFTWARE, software_digest
from firmware_bridge.view.session_parts import ClockLine, DeckReport
from tests.table.evening import DEALER, PEOPLE, ROOM_MANAGER, SUPERVISOR, Evening
from tests.view.newcomer import Newcomer

OTHER_SUPERVISOR, OTHER_DEALER = 202, 102


def written(evening: Evening, folder: Path) -> Path:
    """The evening's journal on disk."""
    path = folder / "table.journal"
    with SqliteStore.open(path, table="BJ 7", key_path=folder / "key", entropy=lambda n: bytes(range(n))) as store:
        entries = [Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in evening.table.store.records()]
        store.append(entries, sign=True)
    return path


def troubled() -> Evening:
    """Two sessions: a jam in each, in the second a damaged card, a claim, two refusals and a relief."""
    evening = Evening()
    evening.open_and_load()
    jammed(evening)
    finish(evening)
    evening.hands.move(evening.hands.set_aside, evening.hands.box)
    evening.open_and_load()
    jammed(evening)
    evening.play_round(7)
    assert evening.act(OTHER_DEALER, Trigger.SIGN_IN) is None
    assert evening.act(OTHER_SUPERVISOR, Trigger.TAKE_OVER) is None
    assert evening.act(SUPERVISOR, Trigger.CUT) == "PT-A3"
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    evening.deal(5)
    evening.key(DealerKey.CLAIM)
    assert evening.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 2) is None
    evening.key(DealerKey.DAMAGED_CARD)
    Newcomer(evening, wrong_first=True).clear()
    evening.key(DealerKey.ROUND_OVER)
    replacement = evening.hands.take_shoe_output()
    assert len(replacement) == 1
    evening.put_back()
    finish(evening)
    return evening


def jammed(evening: Evening) -> None:
    evening.deal(4)
    evening.hands.jam(JamPlace.EXIT)
    for _ in range(40):
        evening.hands.pull_card()
        evening.table.run(0.05)
    Newcomer(evening).clear()
    evening.key(DealerKey.ROUND_OVER)
    evening.put_back()
    assert evening.session is Session.READY


def finish(evening: Evening) -> None:
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.VERIFIED


@pytest.fixture(scope="module")
def told(journal: Path) -> dict[str, Any]:
    return json.loads(report_session(journal, format="json"))  # type: ignore[no-any-return]


def test_without_a_number_it_is_the_last_session_and_with_one_that_one(journal: Path, told: dict[str, Any]) -> None:
    first = json.loads(report_session(journal, 1, "json"))["session"]
    assert (told["session"]["session"], first["session"]) == (2, 1)
    assert (first["state"], len(first["incidents"]), first["claims"]) == ("verified", 1, [])
    with pytest.raises(JournalError, match="sessions 1 to 2"):
        report_session(journal, 3)


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-011")
def test_each_incident_has_its_four_moments_and_the_action_towards_players(told: dict[str, Any]) -> None:
    for incident in told["session"]["incidents"]:
        moments = [incident[name]["record"] for name in ("discovered", "stopped", "acknowledged", "confirmed")]
        assert moments[0] == min(moments)
        assert moments[3] == max(moments)
        assert all(incident[name]["utc"].startswith("2026-01-01T") for name in ("discovered", "confirmed"))
        assert (incident["acknowledged_by"], incident["confirmed_by"]) == (SUPERVISOR, SUPERVISOR)
        assert incident["action"] == "none needed"
        assert all(number in range(1, 4) for number in incident["rounds_meanwhile"])


@pytest.mark.clause("PT-A1", "PT-E4")
@pytest.mark.field("BR-010")
def test_a_damaged_card_is_told_with_its_replacements_and_its_envelope(
    evening: Evening, told: dict[str, Any], journal: Path
) -> None:
    incident = told["session"]["incidents"][1]
    card = next(card for card in evening.hands.set_aside if face_name(card.face) in incident["damaged"])
    assert incident["damaged"] == f"{face_name(card.face)}, deck {card.deck}"
    offered = [line["text"] for line in incident["course"] if line["text"].startswith("replacement: the reader saw")]
    assert [text.rpartition(": ")[2] for text in offered] == [
        "NOT the card that is wanted",
        "the card that is wanted",
    ]
    assert incident["envelope"] == 7781
    assert "supervisor 201 sealed the card in envelope 7781" in report_session(journal)


@pytest.mark.clause("PT-A6")
def test_the_cards_of_a_set_are_told_in_the_same_order_of_places_as_the_table_s(told: dict[str, Any]) -> None:
    [one] = told["session"]["sets"]
    assert list(one["accounts"].items()) == list(told["session"]["accounts"].items())


@pytest.mark.clause("PT-A1")
def test_a_notice_is_owed_until_it_was_sent_also_after_the_session(evening: Evening, tmp_path: Path) -> None:
    owed = report_session(written(evening, tmp_path))
    assert owed.count("NOT REPORTED") == 1
    assert owed.count("no notice to the inspectorate is owed") == 1
    assert "Notice to the inspectorate about incident 3 owed" in owed
    later = troubled()
    assert later.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 3) is None
    (tmp_path / "later").mkdir()
    text = report_session(written(later, tmp_path / "later"))
    assert "REPORT to the inspectorate by room manager 301" in text
    assert "NOT REPORTED" not in text
    assert "Notice to the inspectorate" not in text


@pytest.mark.field("BR-013")
def test_repeats_are_counted_over_earlier_sessions(told: dict[str, Any], journal: Path) -> None:
    repeats = {one["kind"]: one for one in told["session"]["repeats"]}
    assert (repeats["jam"]["here"], repeats["jam"]["total"], repeats["jam"]["sessions"]) == (1, 2, 2)
    assert repeats["damaged_card"]["total"] == 1
    text = report_session(journal)
    assert "jam: 1 in this session, 1 in 1 session before" in text
    assert "damaged card: 1 in this session" not in text, "once is no repeat"


@pytest.mark.field("BR-013")
def test_a_kind_that_came_again_after_a_corrective_action_says_so(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    evening.key(DealerKey.CALL_SUPERVISOR)
    evening.confirm_all()
    assert evening.act(ROOM_MANAGER, Trigger.CORRECTIVE_ACTION, 1) is None
    action = evening.state.record
    evening.key(DealerKey.CALL_SUPERVISOR)
    text = report_session(written(evening, tmp_path)).replace("\n" + " " * 16, " ")
    assert "supervisor called: 2 in this session; 1 since the corrective action" in text
    assert f"of 2026-01-01 (room manager 301, #{action})" in text


def test_people_are_told_by_number_and_role_with_who_took_which_seat_and_when(told: dict[str, Any]) -> None:
    seats = [(one["person"], one["what"]) for one in told["session"]["seats"]]
    assert seats == [
        (SUPERVISOR, "opened the table"),
        (101, "signed in"),
        (OTHER_DEALER, "signed in"),
        (OTHER_SUPERVISOR, "took the table over"),
    ]
    assert (201, "supervisor") in {(one["person"], one["role"]) for one in told["session"]["people"]}


def test_load_rounds_claims_and_refusals_are_told(told: dict[str, Any]) -> None:
    session = told["session"]
    assert sum(pack["cards"] for pack in session["packs"]) == 208
    assert session["counts"][0]["agrees"]
    assert [one["cards"] for one in session["rounds"]][1:] == [7, 5]
    assert [(one["outcome"], one["person"]) for one in session["claims"]] == [("rejected", SUPERVISOR)]
    assert (session["refusals"]["PT-A3"], session["refusals"]["PT-A5"]) == (1, 1)


@pytest.mark.clause("PT-A6")
def test_the_verification_is_told_deck_by_deck(journal: Path, told: dict[str, Any]) -> None:
    assert [(one["deck"], one["regular"], one["by_person"]) for one in told["session"]["decks"]] == [
        (deck, True, False) for deck in range(1, 5)
    ]
    assert "208 of 208 cards verified: no difference" in report_session(journal)


@pytest.mark.field("BR-048")
def test_simulated_devices_are_said_loudly(journal: Path, told: dict[str, Any]) -> None:
    lines = report_session(journal).splitlines()
    assert lines[1] == "*** SIMULATED DEVICES: THESE ARE NO CARDS OF A CASINO ***"
    assert told["session"]["simulated"]
    assert all(device["simulated"] for device in told["session"]["devices"])
    events = [Logged.from_body(record.body).event for record in read_records(journal)]
    hellos = [event.hello for event in events if isinstance(event, LinkUp)]
    assert hellos
    assert all(hello.simulated for hello in hellos), "the journal has it from each device, at each opening"


def test_the_software_is_told_with_its_digest(journal: Path, told: dict[str, Any]) -> None:
    assert told["session"]["software"] == [{"name": SOFTWARE, "digest": software_digest()}]
    assert f"software: {SOFTWARE}, digest {software_digest()[:12]}" in report_session(journal).replace("\n  ", " ")


@pytest.mark.clause("SB-10")
def test_every_device_that_stood_in_a_place_is_told_with_since_when(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_table()
    for serial in ("SS-0098", "SS-0099"):
        evening.hands.replace_device("shoe", serial)
        evening.table.run(10)
    path = written(evening, tmp_path)
    page = " ".join(report_session(path).split())
    digest = evening.state.devices["shoe"].digest[:12]
    shoes = [
        f"Sabot Shoe SS-{number}, firmware simulated 1 ({digest}), SIMULATED" for number in ("0001", "0098", "0099")
    ]
    first, second, third = (re.escape(shoe) for shoe in shoes)
    assert re.search(rf"shoe: {first}; from [\d:]+Z #\d+ {second}; from [\d:]+Z #\d+ {third}", page), page
    session = json.loads(report_session(path, format="json"))["session"]
    assert [one["serial"] for one in session["devices"]] == [
        *("SC38-0001", "SS-0001", "SK-0001", "SL-0001"),
        *("SS-0098", "SS-0099"),
    ]
    [incident] = [one for one in session["incidents"] if one["kind"] == "identity_changed"]
    assert "SS-0098 instead of SS-0001" in incident["text"]


def test_a_device_that_came_back_with_other_capabilities_is_told_with_them(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_table()
    evening.hands.replace_device("shoe", parts=Capability.READS_FACES)
    evening.table.run(10)
    path = written(evening, tmp_path)
    page = " ".join(report_session(path).split())
    assert re.search(r"from [\d:]+Z #\d+ Sabot Shoe SS-0001.*? \(can hold, counts cards, has dealer keys\)", page), page
    devices = json.loads(report_session(path, format="json"))["session"]["devices"]
    before, after = (one["capabilities"] for one in devices if one["kind"] == "shoe")
    assert before ^ after == Capability.READS_FACES


def test_the_journal_s_head_and_how_far_it_holds_are_told(journal: Path, told: dict[str, Any]) -> None:
    assert told["journal"]["ok"]
    assert told["journal"]["head"] in report_session(journal).replace("\n", " ")
    assert told["journal"]["signed_to"] == told["journal"]["complete_to"]


@pytest.mark.field("BR-011")
def test_an_ordinary_evening_is_one_page_with_its_incidents_first(tmp_path: Path) -> None:
    """Four rounds, one jam, one damaged card: 60 lines of 100 characters, as a sheet of A4 has them."""
    evening = Evening()
    evening.open_and_load()
    evening.play_round()
    jammed(evening)
    evening.play_round()
    evening.deal(6)
    evening.key(DealerKey.DAMAGED_CARD)
    Newcomer(evening).clear()
    evening.key(DealerKey.ROUND_OVER)
    evening.hands.move(evening.hands.take_shoe_output(), evening.hands.on_table)
    evening.put_back()
    finish(evening)
    lines = report_session(written(evening, tmp_path)).splitlines()
    assert len(lines) <= 60
    assert all(len(line) <= 100 for line in lines)
    headings = [line.split("  ")[0] for line in lines if line[:1].isupper() and line.split("  ")[0].isupper()]
    assert headings[:1] == ["STILL OPEN"]
    assert [place for place, line in enumerate(lines) if line.startswith("INCIDENT ")][-1] < lines.index(
        next(line for line in lines if line.startswith("STILL OPEN"))
    )
    assert not {"REPEATS", "CLAIMS", "REFUSED"} & set(headings), "what is not there takes no line"


def test_one_of_a_thing_is_told_as_one(journal: Path) -> None:
    text = report_session(journal)
    assert "1 step," in text
    assert not [words for words in ("1 steps", "1 cards", "1 sessions") if f" {words}" in text]


def test_any_terminal_shows_it(journal: Path) -> None:
    text = report_session(journal)
    assert text.isascii()
    assert all(len(line) <= 100 for line in text.splitlines())


def test_what_is_wrong_with_a_deck_is_wrapped_as_all_else(journal: Path) -> None:
    verified, session = session_of(journal, None)
    assert session is not None
    missing = "deck 1: " + ", ".join(f"{face_name(face)} missing" for face in ALL_FACES)
    decks = (DeckReport(1, missing, regular=False, by_person=False), *session.decks[1:])
    lines = page(verified, replace(session, decks=decks, difference=(missing, "the whole set lacks it")))
    assert all(len(line) <= 100 for line in lines)
    told = " ".join(line.strip() for line in lines)
    assert told.count(missing) == 1
    assert not [line for line in lines if line.rstrip().endswith(" of")], "no card's name is broken"


def part(lines: list[str], heading: str) -> str:
    """What stands beside a heading, on one line."""
    begin = next(place for place, line in enumerate(lines) if line.startswith(heading + " "))
    rest = itertools.takewhile(lambda line: line.startswith(" "), lines[begin + 1 :])
    return " ".join(" ".join([lines[begin].removeprefix(heading), *rest]).split())


def test_the_page_tells_how_many_steps_were_refused_by_each_clause(journal: Path, told: dict[str, Any]) -> None:
    refusals = told["session"]["refusals"]
    assert len(refusals) > 1
    counted = [f"{times} step{'s' if times > 1 else ''} by {clause}" for clause, times in refusals.items()]
    assert part(report_session(journal).splitlines(), "REFUSED") == ", ".join(counted)


@pytest.mark.field("BR-039")
def test_the_page_tells_when_the_clock_was_set_and_which_record_says_so(journal: Path) -> None:
    verified, session = session_of(journal, None)
    assert session is not None
    when, words = session.last_record, "this computer's clock was set back by 2 min"
    lines = page(verified, replace(session, clock=(ClockLine(when, words),)))
    assert part(lines, "CLOCK").endswith(f"#{when.record} {words}")


@pytest.mark.clause("PT-A6")
def test_the_page_tells_what_an_earlier_reading_of_the_decks_found(journal: Path) -> None:
    verified, session = session_of(journal, None)
    assert session is not None
    told = part(
        page(
            verified,
            replace(
                session, earlier_readings=(DeckReport(2, "deck 2: 51 cards read", regular=False, by_person=False),)
            ),
        ),
        "VERIFIED",
    )
    assert "an earlier reading: deck 2: 51 cards read" in told


def test_the_page_says_first_that_table_time_did_not_run_as_a_clock_and_only_then(journal: Path) -> None:
    verified, session = session_of(journal, None)
    assert session is not None
    told = "*** SPEED 10: TABLE TIME RAN FASTER OR SLOWER THAN A CLOCK ***"
    assert page(verified, replace(session, speed=10.0))[2] == told
    assert not [line for line in page(verified, session) if "SPEED" in line]


@pytest.mark.clause("SB-8")
def test_a_claim_that_is_still_open_is_told_as_open(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(3)
    evening.key(DealerKey.CLAIM)
    lines = report_session(written(evening, tmp_path)).splitlines()
    assert part(lines, "CLAIMS").endswith(f"raised by dealer {DEALER}: STILL OPEN")


def test_what_a_device_says_of_itself_cannot_steer_the_terminal_that_shows_the_page(journal: Path) -> None:
    verified, session = session_of(journal, None)
    assert session is not None
    first, *others = session.devices
    named = replace(first, model="Carousel\x1b[2J\x9b31m\u202e")
    lines = page(verified, replace(session, devices=(named, *others)))
    assert "Carousel?[2J?31m?" in part(lines, "DEVICES")
    assert all(line.isprintable() for line in lines)


def test_no_pin_is_told(journal: Path) -> None:
    assert not [pin for pin, _ in PEOPLE.values() if pin in report_session(journal)]


def test_a_session_under_way_is_told_as_it_stands(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(3)
    evening.key(DealerKey.DAMAGED_CARD)
    evening.table.run(1.0)
    text = report_session(written(evening, tmp_path))
    assert "NOT ENDED: this is how it stands at" in text
    assert "STILL OPEN: not dealt with yet" in text
    assert "next: Supervisor: step 38 - take the damaged card aside and name it" in text
    assert "NOT ACKNOWLEDGED" in text


def test_a_journal_that_does_not_hold_is_not_told(evening: Evening, tmp_path: Path) -> None:
    import sqlite3

    path = written(evening, tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE record SET utc_ns = utc_ns + 1 WHERE number = 30")
    connection.commit()
    connection.close()
    text = report_session(path)
    assert text.startswith("*** THE JOURNAL DOES NOT HOLD: record 30:")
    assert "PEOPLE" not in text
    assert json.loads(report_session(path, format="json"))["session"] is None


def test_a_journal_without_a_session_says_so(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no session has begun"):
        report_session(written(Evening(), tmp_path))


def test_nobody_vouches_for_a_journal_of_which_nothing_holds() -> None:
    nothing = VerifyReport("table.journal", "BJ-07", 1, 0, 0, "0:00", "", False, False, None, 1, "it is damaged")
    assert "verified by" not in "\n".join(journal_section(nothing))
