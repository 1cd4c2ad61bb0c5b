"""Receipts: papers of a session that are signed and leave the table, complete or saying what they do not know."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from drivers.cards import face_name
from firmware_bridge.core.records import Entry
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import SqliteStore
from firmware_bridge.readers.receipts import receipts_of, receipts_written
from firmware_bridge.readers.report import read_session
from firmware_bridge.service.cli import RECEIPTS, main
from firmware_bridge.view import Receipt, ReceiptKind, receipts
from firmware_bridge.view.phrases import stands_on
from firmware_bridge.view.receipt_texts import LABELS, TITLES
from tests.readers.papers import facts, lines, one, page, signers, squeezed
from tests.readers.test_report import OTHER_DEALER, written
from tests.table.byways import (
    WITHOUT_READER,
    count,
    lose_a_card,
    unloading,
    verify_and_find_no_more,
)
from tests.table.evening import DEALER, PEOPLE, PORTUGAL, ROOM_MANAGER, SUPERVISOR, Evening, otherwise

INSIDE = ("machine", "shoe")


# ---- load, and unloading with verification


@pytest.mark.clause("PT-A4", "PT-A5")
def test_a_load_is_told_with_its_set_its_packs_who_prepared_and_who_was_present(journal: Path) -> None:
    load = one(journal, "load")
    assert lines(load, "set")[0] == "4 decks of 52, 208 cards"
    assert facts(load, "set", "backs") == [("deck 1 red", "deck 2 blue", "deck 3 green", "deck 4 black")]
    assert lines(load, "prepared") == [
        "dealer 101: cards shown",
        "dealer 101: backs checked",
        "dealer 101: mixed by hand",
        "cut: this rule book does not ask for it",
    ]
    assert facts(load, "packs", "cards") == [104, 104]
    assert set(facts(load, "packs", "person")) == {SUPERVISOR}
    assert lines(load, "counts") == ["counted in full: 208 cards, as the books say"]
    assert lines(load, "result") == ["the load is exactly the set: 208 cards; the table opened on it"]
    assert signers(load) == [("dealer", DEALER, "PT-A4"), ("supervisor", SUPERVISOR, "PT-A5")]


@pytest.mark.clause("PT-A5")
def test_a_pack_that_is_going_in_is_told_as_far_as_it_was_counted(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(60)
    load = one(written(evening, tmp_path), "load")
    assert lines(load, "packs")[-1] == "pack 1 was not ended; 60 cards of it counted at the intake"
    assert lines(load, "result") == ["not loaded yet: 60 of 208 cards are in"]
    assert signers(load)[1] == ("supervisor", 0, "PT-A5"), "nobody has ended a pack yet"


@pytest.mark.clause("PT-A6", "SB-4")
def test_an_unloading_is_told_to_its_last_deck_with_who_sorted_and_who_signed(journal: Path) -> None:
    unload = one(journal, "unload")
    assert lines(unload, "taken_out") == ["208 cards of the 208 came out through the shoe"]
    assert lines(unload, "counts") == ["counted in full: 0 cards, as the books say"]
    assert lines(unload, "looked")[-1] == "supervisor 201: looked, and confirmed that nothing is left inside"
    assert facts(unload, "decks", "cards") == [52] * 4
    assert facts(unload, "sorted", "person") == [OTHER_DEALER]
    assert lines(unload, "whole_set") == ["208 of 208 cards verified: no difference"]
    assert lines(unload, "result") == ["supervisor 201 signed by PIN: closed: all decks verified"]
    assert signers(unload) == [("dealer", OTHER_DEALER, "PT-A6"), ("supervisor", SUPERVISOR, "PT-A6")]


def test_the_ledger_of_a_session_adds_up_to_its_books(journal: Path) -> None:
    """Cards begin outside; what each cause moved, added up by place, is what the books hold at the end."""
    unload = one(journal, "unload")
    causes = {line.partition(":")[0] for line in lines(unload, "ledger")}
    assert {"loading", "deal", "return", "damaged", "replacement", "unloading", "verification"} <= causes
    held: Counter[str] = Counter({"not loaded yet": 208})
    for name, sign in (("source", -1), ("target", 1)):
        for place, cards in zip(facts(unload, "ledger", name), facts(unload, "ledger", "cards"), strict=True):
            held["inside" if place in INSIDE else place] += sign * cards
    books = dict(zip(facts(unload, "books", "place"), facts(unload, "books", "cards"), strict=True))
    assert {place: abs(count) for place, count in held.items() if count} == books


@pytest.mark.clause("PT-A6")
@pytest.mark.field("BR-004")
def test_a_card_that_is_missing_is_named_with_its_deck_and_the_room_manager_signs(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    gone = next(place for place in reversed(evening.hands.mechanism.compartments) if place)[-1]
    lose_a_card(evening)
    unloading(evening, 207)
    count(evening)
    assert evening.table.run(60, lambda: evening.session is Session.LOOKING)
    evening.look()
    verify_and_find_no_more(evening)
    evening.confirm_all()
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    unload = one(written(evening, tmp_path), "unload")
    assert facts(unload, "decks", "missing")[gone.deck - 1] == (face_name(gone.face),)
    assert facts(unload, "decks", "regular").count(False) == 1
    assert f"the whole set lacks {face_name(gone.face)}" in lines(unload, "whole_set")
    assert lines(unload, "whole_set")[-1].startswith("last good count: record ")
    assert lines(unload, "result") == ["room manager 301 signed by PIN: closed with a difference"]
    assert signers(unload)[-1] == ("room_manager", ROOM_MANAGER, "house: difference_signed_by")


@pytest.mark.field("BR-005")
def test_what_no_reader_saw_is_told_as_a_person_s_word(tmp_path: Path) -> None:
    evening = Evening(fittings=WITHOUT_READER)
    evening.open_and_load()
    evening.unload()
    evening.look()
    evening.sort()
    for _ in range(4):
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_DECK, 52) is None
    unload = one(written(evening, tmp_path), "unload")
    assert all(line.endswith("BY PERSON, no reader saw these cards") for line in lines(unload, "decks"))
    assert facts(unload, "decks", "by_person") == [True] * 4
    assert lines(unload, "result") == ["NOT SIGNED: all decks are regular, not signed yet"]


@pytest.mark.clause("PT-A6")
def test_a_table_that_closes_before_a_card_is_loaded_says_that_none_was(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_table()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    path = written(evening, tmp_path)
    assert lines(one(path, "load"), "result") == ["the table did not open on this load"]
    assert lines(one(path, "unload"), "taken_out") == ["no card was loaded"]


@pytest.mark.parametrize(("kind", "key"), [("load", "loading.present"), ("unload", "closing.unloading_present")])
@pytest.mark.parametrize("role", ["table_inspector", "supervisor", "room_manager"])
def test_who_signs_as_present_is_the_book_s(tmp_path: Path, kind: str, key: str, role: str) -> None:
    book = otherwise(PORTUGAL, key, role)
    evening = Evening(book=book)
    evening.open_table()
    verified, told = read_session(written(evening, tmp_path), None)
    assert verified.ok
    assert told
    [receipt] = receipts(ReceiptKind(kind), told[0], book)
    assert (role, stands_on(book, key)) in {(each.role, each.clause) for each in receipt.signatures}


# ---- of every receipt


def all_of(path: Path) -> list[Receipt]:
    return [found for kind in ReceiptKind for found in receipts_of(path, kind).receipts]


def test_nothing_is_blank_and_both_renderings_tell_every_line(
    journal: Path, carried_away: tuple[Evening, Path]
) -> None:
    for path in (journal, carried_away[1]):
        for kind in ReceiptKind:
            text = page(path, kind.value)
            told = json.loads(receipts_written(receipts_of(path, kind), "json"))
            for receipt in told["receipts"]:
                assert receipt["fields"]
                for field in receipt["fields"]:
                    assert LABELS[field["name"]] in text
                    assert field["lines"], field["name"]
                    for line in field["lines"]:
                        assert line["text"].strip()
                        assert squeezed(line["text"]) in squeezed(text)
                        assert line["when"] is None or f"#{line['when']['record']} " in text
                assert receipt["signatures"]


def test_what_is_not_known_is_marked_as_that(journal: Path) -> None:
    unsaid = [line for one in all_of(journal) for field in one.fields for line in field.lines if not line.known]
    assert all("not known" in line.text and line.when is None for line in unsaid)
    assert {"maker", "surveillance"} <= {re.split(r"[,:]", line.text)[0] for line in unsaid}


def test_a_receipt_names_no_pin_and_fits_a_sheet(journal: Path) -> None:
    for kind in ReceiptKind:
        text = page(journal, kind.value)
        assert not [pin for pin, _ in PEOPLE.values() if pin in text]
        assert text.isascii()
        assert all(len(line) <= 100 for line in text.splitlines())
    assert page(journal, "load").count("date, time ____") == 2


def test_one_incident_s_receipt_is_asked_for_by_its_number(journal: Path) -> None:
    assert [found.number for found in receipts_of(journal, ReceiptKind.INCIDENT).receipts] == [2, 3]
    assert one(journal, "incident", number=3).number == 3
    with pytest.raises(JournalError, match="session 2 has no incident receipt of incident 1; it has: 2, 3"):
        receipts_of(journal, ReceiptKind.INCIDENT, number=1)


def test_a_receipt_of_a_session_that_broke_off_says_that_it_has_not_ended(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    unloading(evening)
    path = written(evening, tmp_path)
    for kind in ("load", "unload"):
        assert "NOT ENDED: this is how it stands at" in page(path, kind)
    assert lines(one(path, "unload"), "result") == ["NOT SIGNED: the cards are taken out"]
    assert lines(one(path, "unload"), "decks")[0] == "deck 1: not known, not read"


def test_records_after_the_last_signed_one_are_said_to_be_unsigned(
    evening: Evening, journal: Path, tmp_path: Path
) -> None:
    path = tmp_path / "table.journal"
    *signed, last = [Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in evening.table.store.records()]
    with SqliteStore.open(path, table="BJ 7", key_path=tmp_path / "key", entropy=lambda n: bytes(range(n))) as store:
        store.append(signed, sign=True)
        store.append([last], sign=False)
    assert "for the 1 record after the last signed one the chain alone speaks" in squeezed(page(path, "unload"))
    assert "the chain alone" not in page(journal, "unload")


def test_a_journal_that_does_not_hold_gives_no_receipt(evening: Evening, tmp_path: Path) -> None:
    path = written(evening, tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE record SET utc_ns = utc_ns + 1 WHERE number = 30")
    connection.commit()
    connection.close()
    for kind in ReceiptKind:
        text = page(path, kind.value)
        assert text.startswith("*** THE JOURNAL DOES NOT HOLD: record 30:")
        assert "signature" not in text
        told = json.loads(receipts_written(receipts_of(path, kind), "json"))
        assert (told["journal"]["ok"], told["receipts"]) == (False, [])


def test_every_kind_is_a_command(journal: Path) -> None:
    assert {kind.value for kind in ReceiptKind} == set(RECEIPTS) == set(TITLES)
    for kind in RECEIPTS:
        chosen = ["--session", "2", *(["--number", "3"] if kind in ("envelope", "incident") else [])]
        done = CliRunner().invoke(main, ["report", kind, str(journal), *chosen, "--format", "json"])
        assert done.exit_code == 0, done.output
        assert json.loads(done.output)["journal"]["ok"]
