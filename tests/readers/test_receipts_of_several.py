"""Receipts where several people took part: each stands in what he did, and whoever answers for a thing signs for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers.cards import face_name
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.readers.report import read_session
from firmware_bridge.view import ReceiptKind, receipts
from tests.readers.papers import LEFT_IN, facts, lines, one, signers
from tests.readers.test_report import OTHER_DEALER, OTHER_SUPERVISOR, written
from tests.table.byways import give_up_the_machine, lose_a_card, unload_the_rest, unloading, verify_and_find_no_more
from tests.table.evening import DEALER, PORTUGAL, SUPERVISOR, Evening


@pytest.fixture(scope="module")
def by_turns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two supervisors by turns, and a relief of the dealer after the load; both presences are asked for."""
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(104)
    assert evening.table.run(70, lambda: evening.session is Session.ASKING_PRESENCE)
    assert evening.act(OTHER_SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
    assert evening.act(OTHER_SUPERVISOR, Trigger.END_PACK) is None
    assert evening.act(OTHER_SUPERVISOR, Trigger.START_PACK) is None
    evening.hands.put_in_intake_tray(evening.hands.box[:])
    evening.table.run(30, lambda: not evening.hands.mechanism.intake_tray)
    evening.table.run(0.2)
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.table.run(60, lambda: evening.session is Session.READY)
    assert evening.act(OTHER_DEALER, Trigger.SIGN_IN) is None
    evening.table.run(1)
    evening.play_round()
    unloading(evening)
    assert evening.table.run(70, lambda: evening.session is Session.ASKING_UNLOAD_PRESENCE)
    assert evening.act(OTHER_SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
    unload_the_rest(evening)
    evening.look()
    evening.verify()
    assert evening.act(OTHER_SUPERVISOR, Trigger.SIGN_RESULT) is None
    return written(evening, tmp_path_factory.mktemp("by_turns"))


@pytest.mark.clause("PT-A5")
def test_each_end_of_a_pack_names_who_was_there_and_the_last_of_them_signs_with_the_dealer_of_the_load(
    by_turns: Path,
) -> None:
    load = one(by_turns, "load")
    assert facts(load, "packs", "person") == [SUPERVISOR, OTHER_SUPERVISOR, OTHER_SUPERVISOR, SUPERVISOR]
    assert facts(load, "present", "person") == [OTHER_SUPERVISOR], "what was proven at the unloading is none of it"
    assert signers(load) == [("dealer", DEALER, "PT-A4"), ("supervisor", SUPERVISOR, "PT-A5")]


@pytest.mark.clause("PT-A6")
def test_whoever_signed_the_result_signs_its_receipt_beside_the_one_who_was_present(by_turns: Path) -> None:
    unload = one(by_turns, "unload")
    assert facts(unload, "present", "person") == [SUPERVISOR, OTHER_SUPERVISOR]
    assert signers(unload) == [
        ("dealer", OTHER_DEALER, "PT-A6"),
        ("supervisor", SUPERVISOR, "PT-A6"),
        ("supervisor", OTHER_SUPERVISOR, "PT-A6"),
    ]


@pytest.mark.clause("PT-A5", "PT-A6")
def test_a_load_that_was_short_is_no_difference_that_a_room_manager_signs(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    for cards in (104, 103):
        evening.load_pack(cards)
        assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.session is Session.WRONG_LOAD
    evening.unload_cards()
    evening.look()
    path = written(evening, tmp_path)
    assert lines(one(path, "load"), "result")[:2] == [
        "the table did not open on this load",
        "207 of 208 cards were loaded",
    ]
    assert {role for role, _, _ in signers(one(path, "unload"))} == {"dealer", "supervisor"}


@pytest.mark.clause("PT-A6")
def test_the_dealer_who_sorted_last_signs_and_each_sorting_is_told(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    lose_a_card(evening)
    unloading(evening, 207)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.table.run(60, lambda: evening.session is Session.LOOKING)
    evening.look()
    verify_and_find_no_more(evening)
    assert evening.session is Session.DIFFERENCE
    assert evening.act(OTHER_DEALER, Trigger.SIGN_IN) is None
    evening.look()
    evening.sort()
    unload = one(written(evening, tmp_path), "unload")
    assert facts(unload, "sorted", "person") == [DEALER, OTHER_DEALER]
    assert signers(unload)[0] == ("dealer", OTHER_DEALER, "PT-A6")


@pytest.mark.clause("PT-A6")
def test_only_what_came_out_since_the_table_was_declared_closed_was_taken_out(journal: Path) -> None:
    _, told = read_session(journal, None)
    assert told
    session = told[0]
    [unloaded] = [each for each in session.movements if each.cause == "unloading"]
    in_play = replace(unloaded, cause="went in unseen", count=1, first=session.began, last=session.began)
    [unload] = receipts(ReceiptKind.UNLOAD, replace(session, movements=(in_play, *session.movements)), PORTUGAL)
    assert lines(unload, "taken_out") == ["208 cards of the 208 came out through the shoe"]


# ---- machines


@pytest.mark.clause("PT-A5")
@pytest.mark.field("BR-001")
def test_a_load_names_the_machine_that_it_went_into_and_the_unloading_the_one_that_stood_there_then(
    tmp_path: Path,
) -> None:
    evening = Evening()
    evening.open_and_load()
    assert evening.state.machine is not None
    loaded_into = evening.state.machine.serial
    evening.hands.replace_device("shuffler", "SC38-0002")
    evening.table.run(5)
    path = written(evening, tmp_path)
    assert facts(one(path, "load"), "machine", "serial") == [loaded_into]
    assert facts(one(path, "unload"), "machine", "serial") == ["SC38-0002"]


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_a_card_that_was_read_in_a_wrong_deck_is_none_of_those_left_in_the_machine(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    unloading(evening, evening.state.account.cards - LEFT_IN)
    give_up_the_machine(evening)
    assert evening.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    left = sorted(face_name(card.face) for card in evening.hands.mechanism.cards())
    piles = list(evening.sort().values())
    mine, other = next(
        (mine, other) for mine in piles[0] for other in piles[1] if face_name(mine.face) != face_name(other.face)
    )
    piles[0][piles[0].index(mine)], piles[1][piles[1].index(other)] = other, mine
    for pile in piles:
        evening.read_deck(pile)
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    [named] = facts(one(written(evening, tmp_path), "machine"), "cards_left", "faces")
    assert sorted(named) == left


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_what_was_seen_and_counted_of_a_machine_before_it_went_out_of_service_is_no_proof_after(tmp_path: Path) -> None:
    evening = Evening()
    evening.open_and_load()
    evening.unload()
    evening.look()
    give_up_the_machine(evening)
    machine = one(written(evening, tmp_path), "machine")
    assert lines(machine, "emptied") == ["NOT EMPTIED YET"]
    assert lines(machine, "counts") == ["not known: no full count was made"]
    assert signers(machine)[1] == ("supervisor", 0, "SB-4")


# ---- an incident


@pytest.mark.clause("PT-A1")
def test_a_report_that_is_owed_is_the_room_manager_s_to_sign_before_he_has_made_it(journal: Path) -> None:
    damaged = one(journal, "incident", number=3)
    assert lines(damaged, "notice")[-1] == "NOT REPORTED to the inspectorate"
    assert signers(damaged)[1] == ("room_manager", 0, "PT-A1")
