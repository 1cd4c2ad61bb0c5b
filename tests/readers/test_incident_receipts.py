"""Receipts of what went wrong: the envelope, the machine that leaves the table, the incident."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from drivers.cards import face_name
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Trigger
from firmware_bridge.readers.receipts import receipts_of
from firmware_bridge.view import ReceiptKind
from tests.readers.papers import LEFT_IN, facts, lines, one, page, signers
from tests.readers.test_report import OTHER_DEALER, finish, written
from tests.table.byways import begin_to_empty_by_hand, count, force_lid, give_up_the_machine, stands
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_foreign_card import exchange, seal
from tests.view.newcomer import Newcomer


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_a_machine_out_of_service_is_told_with_who_it_said_it_is_and_the_sixteen_cards_in_it(
    carried_away: tuple[Evening, Path],
) -> None:
    evening, path = carried_away
    machine = one(path, "machine")
    shuffler = evening.state.devices["shuffler"]
    for name in ("model", "serial", "firmware", "digest", "simulated"):
        assert facts(machine, "machine", name) == [getattr(shuffler.told, name)]
    assert facts(machine, "cards_then", "inside") == [LEFT_IN]
    assert lines(machine, "counts") == ["not known: no full count was made"]
    assert "16 cards taken out by hand, by that person's word: no sensor saw it" in lines(machine, "emptied")
    inside = sorted(face_name(card.face) for card in evening.hands.mechanism.cards())
    [named] = facts(machine, "cards_left", "faces")
    assert len(named) == LEFT_IN
    assert sorted(named) == sorted(inside)
    assert lines(machine, "returned") == ["STILL OUT OF SERVICE: it opens no session"]
    assert signers(machine) == [("technician", TECHNICIAN, "SB-4"), ("supervisor", SUPERVISOR, "SB-4")]


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_a_machine_out_of_service_that_was_emptied_says_so_and_when_it_came_back(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    give_up_the_machine(evening)
    evening.table.replug("shuffler")
    evening.table.run(3)
    begin_to_empty_by_hand(evening)
    evening.look_inside(lambda: (evening.hands.take_from_machine(), evening.hands.take_from_mouth()))
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.verify()
    evening.confirm_all()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.act(TECHNICIAN, Trigger.RETURN_TO_SERVICE) is None
    machine = one(written(evening, tmp_path), "machine")
    assert facts(machine, "cards_then", "inside") == [208]
    assert lines(machine, "cards_left")[-1] == "none: every card of the set was read outside of it"
    assert lines(machine, "returned") == ["technician 401 returned it to service"]


@pytest.mark.clause("PT-A1", "PT-E4")
@pytest.mark.field("BR-010")
def test_an_envelope_is_told_with_card_replacement_who_when_and_how_long_it_took(
    evening: Evening, journal: Path
) -> None:
    envelope = one(journal, "envelope")
    card = next(card for card in evening.hands.set_aside if face_name(card.face) == facts(envelope, "card", "face")[0])
    assert facts(envelope, "envelope", "envelope") == [7781]
    assert (facts(envelope, "card", "deck"), facts(envelope, "card", "back")) == ([card.deck], [card.back])
    assert facts(envelope, "named", "person") == [SUPERVISOR]
    assert [text.rpartition(": ")[2] for text in lines(envelope, "replacement") if "reader saw" in text] == [
        "NOT the card that is wanted",
        "the card that is wanted",
    ]
    assert lines(envelope, "sealed")[0] == "supervisor 201 sealed the card in envelope 7781"
    assert 0 < facts(envelope, "sealed", "seconds")[0] < 60
    assert lines(envelope, "notice")[-1] == "NOT REPORTED to the inspectorate"
    assert lines(envelope, "deck")[0].endswith("[PT-E4]")
    assert signers(envelope) == [("dealer", OTHER_DEALER, "PT-A1"), ("supervisor", SUPERVISOR, "PT-A1")]


@pytest.mark.field("BR-010")
def test_an_envelope_that_waits_58_minutes_says_that_it_is_not_sealed_and_then_how_long_it_took(
    tmp_path: Path,
) -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(5)
    evening.key(DealerKey.DAMAGED_CARD)
    evening.table.wait(58 * 60)
    (tmp_path / "open").mkdir()
    waits = one(written(evening, tmp_path / "open"), "envelope")
    assert lines(waits, "envelope") == ["NOT SEALED YET"]
    assert lines(waits, "card") == ["not known: it was not named yet"]
    assert (waits.ended, signers(waits)[1][1]) == (None, 0)
    Newcomer(evening).clear()
    sealed = one(written(evening, tmp_path), "envelope")
    assert facts(sealed, "sealed", "seconds")[0] >= 58 * 60
    assert facts(sealed, "found", "round") == [1]
    assert lines(sealed, "rounds") == ["no card came while this was open"], "dealing was held throughout"


@pytest.mark.clause("PT-A1")
def test_where_no_card_was_damaged_there_is_no_envelope(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(3)
    evening.key(DealerKey.DAMAGED_CARD)
    assert evening.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    path = written(evening, tmp_path)
    assert receipts_of(path, ReceiptKind.ENVELOPE).receipts == ()
    assert page(path, "envelope").startswith("No card was damaged in session 1 of table BJ 7.")


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-009")
def test_an_alarm_that_was_ignored_tells_whom_it_went_to_the_rounds_and_that_nothing_ended_it(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(3)
    evening.hands.open_lid(force=True)
    evening.hands.pull_card()  # it was at the mouth already, and the hold is still on its way
    evening.table.wait(30 * 60)
    evening.table.start_controller()
    evening.table.run(3)
    told = one(written(evening, tmp_path), "incident", number=1)
    assert lines(told, "called") == ["called: supervisor", "called: room manager"]
    assert lines(told, "rounds") == ["a card of round 1 came while this was open"]
    assert lines(told, "moments")[-2:] == [
        "NOT ACKNOWLEDGED",
        "not reported; no notice to the inspectorate is owed",
    ]
    assert lines(told, "action") == ["NOT CONFIRMED: no action towards players is recorded"]
    assert lines(told, "stands")[-1].startswith("next: Supervisor: ")
    assert signers(told) == [("supervisor", 0, "SB-2")]


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-011")
def test_an_incident_is_told_with_each_moment_as_a_line_with_its_record_and_a_later_report(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    force_lid(evening)
    evening.table.wait(360)
    assert evening.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    count(evening)
    assert stands(evening, IncidentKind.LID_OPENED, Incident.CLEARED)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 1) is None
    finish(evening)
    evening.hands.move(evening.hands.set_aside, evening.hands.box)
    evening.open_table()
    assert evening.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is None
    told = one(written(evening, tmp_path), "incident", session=1)
    [moments] = [field.lines for field in told.fields if field.name == "moments"]
    records = [line.when.record for line in moments if line.when]
    assert [line.text.split()[0] for line in moments] == ["DISCOVERY", "STOP", "ACKNOWLEDGEMENT", "REPORT"]
    assert (records, len(records)) == (sorted(records), 4)
    assert lines(told, "action") == ["stakes returned"]
    assert signers(told) == [
        ("supervisor", SUPERVISOR, "SB-2"),
        ("room_manager", ROOM_MANAGER, "PT-A1"),
    ]


ENVELOPE = """\
ENVELOPE OF A DAMAGED CARD, TABLE BJ 7, SESSION 2, INCIDENT 3
*** SIMULATED DEVICES: THESE ARE NO CARDS OF A CASINO ***
2026-01-01, T #N to T #N. Times are UTC; #N is record N of the journal.

TABLE         T #N BJ 7, session 2
              T #N as of this record: closed: all decks verified
RULE BOOK     Portugal: black jack with an automatic continuous shuffler (portugal), digest
                958a0bf6f5dc
SET           4 decks of 52, 208 cards
              backs by the table's configuration: deck 1 red, deck 2 blue, deck 3 green,
                deck 4 black
              sessions served since each was new: deck 1: 2, deck 2: 2, deck 3: 2, deck 4: 2
ENVELOPE      number 7781
INCIDENT      T #N incident 3: damaged card (the dealer showed a damaged card)
FOUND         T #N DISCOVERY by dealer 102
              T #N in round 3
CARD          4 of clubs, deck 1, back red
              the books held it: table
NAMED         T #N supervisor 201 named the damaged card, 4 of clubs, deck 1
ROUNDS        no card came while this was open
REPLACEMENT   T #N dealer 102 laid a replacement in the shoe's tray
              T #N replacement: the reader saw the ace of clubs: NOT the card that is
                wanted
              T #N dealer 102 laid another replacement in the shoe's tray
              T #N replacement: the reader saw the 4 of clubs: the card that is wanted
              T #N dealer 102 said that the replacement has the same back
SEALED        T #N supervisor 201 sealed the card in envelope 7781
              T #N 8 s after it was found
COUNTS        not known: no full count was made
WHOLE SET     208 of 208 cards verified: no difference
DECK          deck 1 is marked imperfect: all its cards are replaced before another session [PT-E4]
NOTICE        T #N a report to the inspectorate is owed from here on [PT-A1]
              NOT REPORTED to the inspectorate
TOLD          surveillance, security and pit: not known; who was told is not entered at this table

SIGNED        dealer 102 [PT-A1]
              signature ______________________________  date, time ____________________

SIGNED        supervisor 201 [PT-A1]
              signature ______________________________  date, time ____________________
"""


def test_an_envelope_s_paper_reads_like_this(journal: Path) -> None:
    """The moments and the rule book's digest are masked: they are whatever the journal holds."""
    text = re.sub(r"\d\d:\d\d:\d\dZ #\d+", "T #N", page(journal, "envelope").partition("\nJOURNAL")[0])
    digest = re.search(r"^ +([0-9a-f]{12})$", text, re.MULTILINE)
    assert digest
    assert text == ENVELOPE.replace("958a0bf6f5dc", digest[1])


@pytest.mark.clause("SB-1")
@pytest.mark.field("BR-005")
def test_a_card_that_is_none_of_the_set_has_an_envelope_of_its_own(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    [card, *_] = evening.deal(5)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_FOREIGN) is None
    (tmp_path / "open").mkdir()
    waits = one(written(evening, tmp_path / "open"), "foreign")
    assert lines(waits, "envelope") == ["NOT SEALED YET"]
    assert seal(evening, card) is None
    sealed = one(written(evening, tmp_path), "foreign")
    assert facts(sealed, "envelope", "envelope") == [71]
    assert facts(sealed, "found", "round") == [1]
    assert len(facts(sealed, "sealed", "seconds")) == 1
    assert [person for _, person, _ in signers(sealed)] == [DEALER, SUPERVISOR]


@pytest.mark.clause("SB-1", "PT-A6")
@pytest.mark.field("BR-015")
def test_the_envelope_of_a_card_that_was_exchanged_names_what_the_whole_set_has_over_and_lacks(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    card = exchange(evening)
    evening.load()
    evening.close()
    assert seal(evening, card) is None
    sealed = one(written(evening, tmp_path), "foreign")
    assert lines(sealed, "whole_set")[:2] == [
        "the whole set lacks 9 of clubs",
        "the whole set has too many: 7 of hearts",
    ]
    assert lines(sealed, "counts") == ["not known: no full count was made"], "since it was sealed"
    assert "set aside, sealed: 1 card" in lines(sealed, "books")


@pytest.mark.clause("SB-1")
def test_where_every_card_is_the_sets_there_is_no_envelope_of_a_foreign_one(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    path = written(evening, tmp_path)
    assert page(path, "foreign").startswith("No card that is none of the set was found in session 1 of table BJ 7.")
