"""When was it found, when did dealing stop, when was it seen, when was it reported, and who did what (BR-011)."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from drivers.protocol.messages import DealerKey, JamPlace, Key
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.readers.report import report_session
from firmware_bridge.view import FOUR_MOMENTS, Entry, When
from tests.readers.test_report import written
from tests.table.byways import count, force_lid, lose_a_card, stands
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_damaged_card import replace, typed
from tests.table.test_jam import clear, jam, settle
from tests.table.told import entries, incident_told, session_told

MINUTE_NS = 60 * 10**9
UNTOLD = When(0, 0)


@pytest.fixture
def short(ready: Evening) -> Evening:
    """A hand goes into the machine between two rounds, and a card with it: incident 1, and the count will be short."""
    force_lid(ready, card_goes=True)
    assert ready.kinds() == [IncidentKind.LID_OPENED]
    return ready


def put_right(evening: Evening) -> None:
    """The count is short; the card is found and laid back, and the next count agrees."""
    count(evening)
    assert stands(evening, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS)
    evening.look_inside(lambda: evening.hands.put_inside(evening.hands.set_aside[:1]))
    count(evening)
    assert stands(evening, IncidentKind.LID_OPENED, Incident.CLEARED)


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-011")
def test_a_count_error_is_told_as_discovery_stop_acknowledgement_and_report_each_with_its_record(
    short: Evening,
) -> None:
    """The dealer tries two more rounds, the supervisor comes after six minutes, the report goes out at the end."""
    for _ in range(2):
        assert short.hands.pull_card() is None
        assert short.key(DealerKey.ROUND_OVER) is not None
    short.table.wait(360)
    assert short.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    put_right(short)
    assert short.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 1) is None
    short.play_round()
    assert short.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is None
    told = incident_told(short)
    moments = [entries(told, entry) for entry in FOUR_MOMENTS]
    assert [len(found) for found in moments] == [1, 1, 1, 1]
    assert [found[0].person for found in moments] == [0, 0, SUPERVISOR, ROOM_MANAGER]
    found, stop, seen, report = (lines[0].when or UNTOLD for lines in moments)
    assert 0 < found.record < stop.record < seen.record < report.record
    assert stop.utc_ns - found.utc_ns < MINUTE_NS // 60
    assert 6 <= (seen.utc_ns - found.utc_ns) / MINUTE_NS < 6.5
    assert told.rounds_meanwhile == (), "dealing was held: no round was dealt after the discovery"
    assert told.action == "stakes returned"


@pytest.mark.field("BR-011")
def test_a_count_that_differs_between_rounds_tells_that_dealing_was_held_already(ready: Evening) -> None:
    lose_a_card(ready)
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(30, lambda: ready.kinds() == [IncidentKind.COUNT_MISMATCH])
    ready.table.run(1)
    assert entries(incident_told(ready), Entry.STOP)[0].text == "STOP OF DEALING: dealing was held already"


@pytest.mark.field("BR-011")
def test_a_round_that_cards_came_in_though_an_incident_was_open_is_an_entry_of_its_own(ready: Evening) -> None:
    ready.deal(3)
    ready.hands.open_lid(force=True)
    ready.hands.pull_card()  # it was at the mouth already, and the hold is still on its way
    ready.table.run(1)
    told = incident_told(ready)
    assert told.rounds_meanwhile == (1,)
    assert [line.text for line in entries(told, Entry.ROUND)] == ["a card of round 1 came while this was open"]


@pytest.mark.field("BR-011")
def test_none_of_the_moments_can_be_edited(short: Evening, tmp_path: Path) -> None:
    assert short.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert short.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is None
    path = written(short, tmp_path)
    for entry in FOUR_MOMENTS:
        when = entries(incident_told(short), entry)[0].when or UNTOLD
        altered = tmp_path / f"{entry}.journal"
        shutil.copy(path, altered)
        connection = sqlite3.connect(altered)
        connection.execute("UPDATE record SET utc_ns = utc_ns - 1 WHERE number = ?", (when.record,))
        connection.commit()
        connection.close()
        assert report_session(altered).startswith(f"*** THE JOURNAL DOES NOT HOLD: record {when.record}:")


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-011")
def test_no_incident_closes_while_the_action_towards_players_is_empty(short: Evening) -> None:
    put_right(short)
    short.identify(SUPERVISOR)
    short.enter(31)
    short.press(Key.ENTER)  # nothing typed
    assert short.kinds() == [IncidentKind.LID_OPENED]
    short.press(Key.CLEAR)
    assert short.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 9) == "SB-2"
    assert short.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    confirmation = entries(incident_told(short), Entry.CONFIRMATION)[0]
    assert confirmation.text == "CONFIRMATION by supervisor 201; action towards players: none needed"


@pytest.mark.field("BR-011")
def test_what_did_not_happen_is_said(short: Evening) -> None:
    last = incident_told(short).course[-2:]
    assert [line.text for line in last] == ["NOT ACKNOWLEDGED", "not reported; no notice to the inspectorate is owed"]
    assert [line.when for line in last] == [None, None]


@pytest.mark.field("BR-011")
def test_an_open_incident_says_where_it_stands_and_what_is_next(short: Evening) -> None:
    told = incident_told(short)
    assert told.stands == "not dealt with yet"
    assert told.next[0].startswith("Supervisor: step 32 - have the machine count")


@pytest.mark.clause("PT-A2")
def test_a_jam_tells_who_released_the_lid_who_answered_and_what_the_machine_did(ready: Evening) -> None:
    jam(ready, JamPlace.EXIT)
    clear(ready)
    settle(ready)
    steps = [(line.person, line.text) for line in entries(incident_told(ready), Entry.STEP)]
    assert steps == [
        (SUPERVISOR, "supervisor 201 released the lid"),
        (0, "the lid was opened"),
        (0, "the lid was closed"),
        (SUPERVISOR, "supervisor 201 said that no card is damaged"),
        (0, steps[4][1]),
        (0, "all cards were shuffled"),
    ]
    assert " cards were counted, the books said " in steps[4][1]


@pytest.mark.clause("PT-A2", "SB-4")
def test_a_technician_is_told_by_number(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    texts = [line.text for line in entries(incident_told(ready), Entry.STEP)]
    assert texts == ["supervisor 201 called the technician", "technician 401 took the machine out of service"]


@pytest.mark.clause("PT-A1")
def test_a_damaged_card_tells_the_dealer_who_showed_it_and_who_looked_at_the_back(ready: Evening) -> None:
    card = ready.deal(6)[0]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.move([card], ready.hands.set_aside)
    assert ready.act(102, Trigger.SIGN_IN) is None  # a relief in the middle of it
    replace(ready, card)
    told = incident_told(ready)
    assert told.discovered_by == DEALER
    people = {line.text: line.person for line in entries(told, Entry.STEP)}
    assert people["dealer 102 said that the replacement has the same back"] == 102
    assert people["supervisor 201 sealed the card in envelope 77"] == SUPERVISOR
    assert len(entries(told, Entry.OWED)) == 1


def test_each_key_that_counted_is_told_with_the_dealer_who_was_signed_in(ready: Evening) -> None:
    ready.play_round()
    assert ready.act(102, Trigger.SIGN_IN) is None
    ready.play_round()
    assert ready.key(DealerKey.YES) is not None  # it counts for nothing: nothing is asked
    told = session_told(ready)
    assert [(key.person, key.key, key.answered) for key in told.keys] == [
        (DEALER, "YES", "cards shown"),
        (DEALER, "YES", "backs checked"),
        (DEALER, "YES", "mixed by hand"),
        (DEALER, "ROUND OVER", ""),
        (102, "ROUND OVER", ""),
    ]
    assert [one.dealer for one in told.rounds] == [DEALER, 102]
    assert ready.session is Session.READY
