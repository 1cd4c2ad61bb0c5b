"""The report and the receipts of a table with two sets: each count, deck and shuffle names its set (SB-6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware_bridge.core.words import FIRST, SECOND, Course, Place, Trigger
from firmware_bridge.readers.receipts import receipts_of, receipts_written
from firmware_bridge.readers.report import session_of
from firmware_bridge.readers.report import written as page_of
from firmware_bridge.readers.summary import summary
from firmware_bridge.view import Receipt, ReceiptKind, SessionReport, clock, receipts
from sim_hardware import commands
from sim_hardware.batch_faults import BatchFault
from tests.readers.papers import lines, signers, squeezed
from tests.readers.test_report import written
from tests.table.batch_evening import SLOW, BatchEvening, TwoSets
from tests.table.evening import PORTUGAL, SUPERVISOR
from tests.table.test_batch_closing import close, empty_the_shoe_by_hand

BOOKS = [Path(commands.__file__).with_name("house_with_batch.toml")]


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sets by turns; a first shuffle of the blue one was broken off."""
    evening = TwoSets()
    evening.open_table()
    evening.shuffle_set(FIRST)
    evening.until_at(FIRST, Course.IN_SHOE)
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.IN_CYCLE)
    evening.hands.press_stop()
    evening.until_at(SECOND, Course.UNSHUFFLED)
    evening.take_out_of_machine_set(SECOND)
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.SHUFFLED)
    evening.play_round()
    evening.take_out(FIRST)
    evening.until_at(SECOND, Course.IN_SHOE)
    evening.shuffle_set(FIRST)
    evening.until_at(FIRST, Course.SHUFFLED)
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    return written(evening, tmp_path_factory.mktemp("two_sets"))


@pytest.fixture(scope="module")
def session(journal: Path) -> SessionReport:
    _, told = session_of(journal, None, BOOKS)
    assert told is not None
    return told


def papers(journal: Path, kind: ReceiptKind) -> tuple[Receipt, ...]:
    return receipts_of(journal, kind, books=BOOKS).receipts


@pytest.mark.clause("SB-5", "SB-6")
def test_each_shuffle_names_its_set_who_had_it_made_and_whether_it_was_one(session: SessionReport) -> None:
    told = [(one.set, one.shuffled, one.person) for one in session.cycles]
    assert told == [(FIRST, True, 201), (SECOND, False, 201), (SECOND, True, 201), (FIRST, True, 201)]


@pytest.mark.clause("SB-6", "SB-7")
def test_each_count_and_deck_names_its_set_and_the_books_are_told_set_by_set(session: SessionReport) -> None:
    counts = [(one.set, one.found, one.agrees) for one in session.counts]
    assert counts == [(FIRST, 104, True), (SECOND, 104, True), (FIRST, 104, True), ("", 0, True)]
    assert [(one.deck, one.set, one.back) for one in session.decks] == [
        (1, FIRST, "red"),
        (2, FIRST, "red"),
        (3, SECOND, "blue"),
        (4, SECOND, "blue"),
    ]
    assert session.set_cards == 208
    assert session.accounts == {Place.VERIFIED: 208}
    assert [(one.name, one.accounts) for one in session.sets] == [
        (name, {Place.VERIFIED: 104}) for name in (FIRST, SECOND)
    ]


@pytest.mark.clause("SB-6")
def test_the_page_tells_the_sets_apart(journal: Path) -> None:
    page = squeezed(page_of(*session_of(journal, None, BOOKS), "text"))
    assert "counted 104 as the books say; set 2: " in page
    assert "set 2: NOT SHUFFLED " in page
    assert "set 1 (red): verified 104 set 2 (blue): verified 104" in page
    assert "208 of 208 cards verified: no difference" in page
    assert summary(journal)["cards"] == {Place.VERIFIED: 208}


@pytest.mark.clause("SB-5")
def test_a_shuffle_that_did_not_end_is_none_on_the_page(journal: Path) -> None:
    verified, told = session_of(journal, None, BOOKS)
    assert told is not None
    under_way = replace(told.cycles[0], ended=None, shuffled=False)
    page = squeezed(page_of(verified, replace(told, cycles=(under_way,)), "text"))
    assert f"set 1: a shuffle began {clock(under_way.began.utc_ns)}" in page
    assert "by supervisor 201, NOT ENDED" in page


@pytest.mark.clause("PT-A6", "SB-6")
def test_there_is_a_paper_of_the_unloading_for_each_set_with_its_own_cards_alone(journal: Path) -> None:
    first, second = papers(journal, ReceiptKind.UNLOAD)
    assert (first.set, second.set) == (FIRST, SECOND)
    assert lines(first, "taken_out") == ["104 cards of the 104 came out at the machine's door, as a whole pack"]
    assert lines(second, "taken_out") == ["104 cards of the 104 came out through the shoe"]
    assert [text.split(";")[0] for text in lines(second, "decks")] == [
        "deck 3: regular, 52 cards",
        "deck 4: regular, 52 cards",
    ]
    for one in (first, second):
        assert lines(one, "whole_set") == ["104 of 104 cards verified: no difference"]
        assert lines(one, "books") == ["verified: 104 cards"]
        assert lines(one, "counts")[-1] == "counted in full: 0 cards, as the books say"
        assert [person for _, person, _ in signers(one)] == [101, 201]


@pytest.mark.clause("PT-A6", "SB-6")
def test_an_earlier_reading_of_a_deck_stands_on_its_own_set_s_paper_alone(session: SessionReport) -> None:
    read_again = replace(session, earlier_readings=session.decks[2:3])
    first, second = receipts(ReceiptKind.UNLOAD, read_again, PORTUGAL)
    earlier = "an earlier reading: deck 3: regular, 52 cards"
    assert [lines(one, "decks").count(earlier) for one in (first, second)] == [0, 1]


@pytest.mark.clause("PT-A5", "SB-6")
def test_there_is_a_paper_of_the_load_for_each_set_by_the_cycle_that_made_it_dealable(journal: Path) -> None:
    _, second = papers(journal, ReceiptKind.LOAD)
    assert lines(second, "set") == [
        "set 2: 2 decks of 52, 104 cards",
        "backs by the table's configuration: deck 3 blue, deck 4 blue",
        "sessions served since each was new: deck 3: 1, deck 4: 1",
    ]
    assert lines(second, "packs") == [
        "supervisor 201 had the set shuffled: the cycle begins",
        "NOT SHUFFLED: sorted, broken off, or not counted whole",
        "supervisor 201 had the set shuffled: the cycle begins",
        "the set was counted whole in every pass, and shuffled",
    ]
    assert lines(second, "faces") == ["read by the machine in its cycle, each as the set has it; 0 unread"]
    assert lines(second, "machine")[0].startswith("Sabot Shelves 10")
    told = receipts_of(journal, ReceiptKind.LOAD, books=BOOKS)
    assert "LOAD OF TABLE BJ 7, SESSION 1, SET 2" in receipts_written(told)
    assert [one["set"] for one in json.loads(receipts_written(told, "json"))["receipts"]] == [FIRST, SECOND]


@pytest.mark.clause("SB-6", "SB-7")
def test_of_a_card_that_crossed_each_paper_tells_its_own_set_s_part(tmp_path: Path) -> None:
    evening = TwoSets()
    evening.open_table()
    evening.shuffle_set(FIRST)
    evening.until_at(FIRST, Course.IN_SHOE)
    evening.unload()
    evening.look()
    piles = list(evening.sort().values())
    piles[0][5], piles[2][9] = piles[2][9], piles[0][5]
    for cards in piles:
        evening.read_deck(cards)
    path = written(evening, tmp_path)
    ages = [lines(one, "set")[-1] for one in papers(path, ReceiptKind.UNLOAD)]
    assert [one.removeprefix("sessions served since each was new: ") for one in ages] == [
        "deck 1: 1, deck 2: 1",
        "deck 3: 0, deck 4: 0",
    ]
    first, second = (lines(one, "whole_set") for one in papers(path, ReceiptKind.UNLOAD))
    for told in (first, second):
        assert any(line.startswith("the whole set lacks") for line in told)
        assert not any(line.startswith(("set 1", "set 2")) for line in told)
    assert first != second


@pytest.mark.clause("PT-A6")
def test_a_table_with_one_set_has_one_paper_of_it_that_names_none(tmp_path: Path) -> None:
    evening = BatchEvening()
    evening.open_and_load()
    [load] = papers(written(evening, tmp_path), ReceiptKind.LOAD)
    assert load.set == ""
    assert lines(load, "result") == [
        "the load is exactly the set: 104 cards; it was shuffled, and may be dealt from here on"
    ]


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_the_look_into_a_shoe_that_gives_no_card_stands_on_the_paper_of_the_unloading(tmp_path: Path) -> None:
    evening = BatchEvening()
    evening.open_and_load()
    close(evening)
    empty_the_shoe_by_hand(evening)
    [unload] = papers(written(evening, tmp_path), ReceiptKind.UNLOAD)
    [looked] = lines(unload, "looked")
    assert "looked into the shoe, took out what was left there, and confirmed it empty" in looked
    assert str(SUPERVISOR) in looked


@pytest.mark.clause("PT-A5")
def test_a_card_of_which_the_cycle_read_no_face_is_counted_on_the_paper_of_the_load(tmp_path: Path) -> None:
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    evening.lay_in()
    assert evening.shuffle() is None
    assert evening.table.run(60, lambda: len(evening.state.played.passes) == 1)
    evening.hands.faults.arm(BatchFault.UNREADABLE)  # in the last pass: what an earlier one read is read anew
    evening.until(Course.IN_SHOE)
    [load] = papers(written(evening, tmp_path), ReceiptKind.LOAD)
    assert lines(load, "faces") == ["read by the machine in its cycle, each as the set has it; 1 unread"]


@pytest.mark.clause("SB-7")
def test_the_report_names_every_face_that_a_cycle_did_not_read(tmp_path: Path) -> None:
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    evening.hands.put_in_intake_tray(evening.hands.box[52:])
    evening.table.run(0.3)
    assert evening.shuffle() is None
    evening.until(Course.UNSHUFFLED)
    path = written(evening, tmp_path)
    verified, told = session_of(path, None, BOOKS)
    assert told is not None
    assert len(told.cycles[0].missing) == 52
    page = squeezed(page_of(verified, told, "text"))
    assert "read too seldom: ace of clubs, 2 of clubs," in page
    assert "king of spades" in page


@pytest.mark.clause("PT-A3")
def test_no_paper_says_of_a_pack_that_a_machine_laid_into_the_shoe_that_it_was_cut_or_lacks_a_card(
    tmp_path: Path,
) -> None:
    evening = BatchEvening()
    evening.open_and_load()
    evening.play_round(30)  # 74 are left: it was the last
    path = written(evening, tmp_path)
    verified, told = session_of(path, None, BOOKS)
    assert told is not None
    assert told.shoes == ()
    page = squeezed(page_of(verified, told, "text"))
    assert "cut by" not in page
    assert "WARNING CARD" not in page
