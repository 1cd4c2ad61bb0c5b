"""Opening and loading: shown, mixed, in two packs, once, with the supervisor present (PT-A4, PT-A5, PT-E2)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Place, Session, Trigger
from tests.table.byways import loading
from tests.table.evening import DEALER, SUPERVISOR, Evening


@pytest.mark.clause("PT-A4")
def test_no_card_is_loaded_before_the_cards_were_shown_their_backs_checked_and_mixed() -> None:
    evening = Evening()
    evening.open_table()
    for _ in range(3):
        assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
        evening.hands.put_in_intake_tray(evening.hands.box[:4])
        evening.table.run(2)
        assert len(evening.hands.take_from_intake_tray()) == 4, "the intake is shut"
        assert evening.key(DealerKey.YES) is None
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None


@pytest.mark.clause("PT-A4", "SB-3")
def test_the_dealers_confirmations_count_only_while_a_dealer_is_signed_in() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert evening.key(DealerKey.YES) == "SB-3"
    assert evening.session is Session.SHOWING


@pytest.mark.clause("SB-3")
def test_a_supervisor_cannot_sign_in_as_the_dealer() -> None:
    evening = Evening()
    evening.open_table()
    assert evening.act(SUPERVISOR, Trigger.SIGN_IN) == "SB-3"


@pytest.mark.clause("PT-A5")
def test_the_dealer_can_open_load_and_close_nothing() -> None:
    evening = Evening()
    assert evening.act(DEALER, Trigger.OPEN_TABLE) == "SB-3"
    evening.open_table()
    evening.show_and_mix()
    assert evening.act(DEALER, Trigger.START_PACK) == "PT-A5"
    assert evening.act(DEALER, Trigger.DECLARE_CLOSED) == "PT-A8"


@pytest.mark.clause("PT-A5")
def test_cards_laid_in_the_tray_without_the_supervisor_stay_in_the_tray() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.hands.put_in_intake_tray(evening.hands.box[:100])
    evening.table.run(10)
    assert len(evening.hands.mechanism.intake_tray) == 100
    assert evening.state.account.at(Place.MACHINE) == 0


@pytest.mark.clause("PT-A5")
def test_one_pack_can_never_be_the_whole_load() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(208)
    left = len(evening.hands.mechanism.intake_tray)
    assert left >= evening.table.config.book.house.min_pack - 1  # a card may be under way when the intake shuts
    assert evening.end_pack() == "PT-A5"  # cards lie in the tray
    evening.hands.take_from_intake_tray()
    evening.table.run(0.2)
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) == "PT-A5"  # a single pack


@pytest.mark.clause("PT-A5")
def test_a_pack_of_a_few_cards_is_no_pack() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(3)
    assert evening.end_pack() == "house.min_pack"


@pytest.mark.clause("PT-A5")
def test_a_pack_without_the_supervisors_word_is_not_ended() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(104)
    assert evening.key(DealerKey.YES) == "SB-1"
    assert evening.act(DEALER, Trigger.END_PACK) == "PT-A5"
    assert evening.session is Session.LOADING_PACK


@pytest.mark.clause("PT-A5")
def test_a_supervisor_who_no_longer_answers_stops_the_intake_until_he_does() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    assert evening.table.run(70, lambda: evening.session is Session.ASKING_PRESENCE)
    evening.hands.put_in_intake_tray(evening.hands.box[:60])
    evening.table.run(10)
    assert len(evening.hands.mechanism.intake_tray) == 60
    assert evening.act(DEALER, Trigger.CONFIRM_PRESENCE) == "PT-A5"
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
    evening.table.run(5)
    assert not evening.hands.mechanism.intake_tray


@pytest.mark.clause("PT-A5")
def test_a_supervisor_who_says_unasked_that_he_is_there_is_not_asked_for_as_long_again() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    interval = evening.table.config.book.house.presence_interval_s
    evening.table.run(interval - 5)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
    evening.table.run(interval - 5)
    assert evening.session is Session.LOADING_PACK


@pytest.mark.clause("PT-A5")
def test_a_second_loading_in_the_session_is_refused() -> None:
    evening = Evening()
    evening.open_and_load()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) == "PT-A5"
    assert evening.session is Session.READY


@pytest.mark.clause("PT-E2", "PT-A5")
@pytest.mark.parametrize("missing", [1, 30])
def test_a_load_that_is_not_the_set_does_not_open_the_session(missing: int) -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.hands.move(evening.hands.box[:missing], evening.hands.set_aside)
    evening.load_pack(104)
    assert evening.end_pack() is None
    evening.load_pack(len(evening.hands.box))
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.session is Session.WRONG_LOAD
    assert evening.hands.pull_card() is None
    evening.unload_cards()
    evening.look()
    assert evening.session is Session.EMPTIED
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("PT-E2")
def test_a_card_too_many_is_a_wrong_load_too() -> None:
    evening = Evening()
    extra = Evening(seed=2).hands.box[:1]
    evening.hands.box += extra
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(104)
    assert evening.end_pack() is None
    evening.load_pack(len(evening.hands.box))
    assert evening.state.account.at(Place.OVER) == 1
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.session is Session.WRONG_LOAD


@pytest.mark.clause("PT-E2")
def test_a_number_of_decks_that_the_book_does_not_know_opens_no_table() -> None:
    evening = Evening(decks=5)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E2"


@pytest.mark.clause("PT-A3")
def test_the_cut_is_refused_at_every_step_from_opening_to_closing() -> None:
    evening = Evening()
    refused = set()

    def is_refused() -> None:
        assert evening.act(SUPERVISOR, Trigger.CUT) == "PT-A3"
        refused.add(evening.session)

    is_refused()
    evening.open_table()
    for _ in range(3):  # the cards are shown, their backs checked, mixed
        is_refused()
        assert evening.key(DealerKey.YES) is None
    is_refused()
    evening.load_pack(104)
    is_refused()
    assert evening.end_pack() is None
    evening.load_pack(104)
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    evening.table.run(60, lambda: evening.session is Session.READY)
    is_refused()
    evening.deal(9)
    is_refused()
    assert evening.key(DealerKey.ROUND_OVER) is None
    is_refused()
    evening.hands.put_in_intake_tray(evening.hands.on_table)
    evening.table.run(60, lambda: evening.session is Session.READY)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    is_refused()
    evening.unload_cards()
    is_refused()
    evening.look()
    is_refused()
    assert len(refused) == 12
    assert Session.CUTTING not in refused  # this book passes it over


@pytest.mark.clause("PT-E4")
def test_a_deck_marked_imperfect_opens_no_session_without_the_authorisations_reference() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"
    assert evening.act(SUPERVISOR, Trigger.AUTHORISE_DECK, 4711) == "PT-E4"  # the room manager's alone
    assert evening.act(301, Trigger.AUTHORISE_DECK, 4711) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None


@pytest.mark.clause("PT-E4")
def test_a_replaced_deck_opens_a_session_again() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 9) == "PT-E4"
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 2) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None


@pytest.mark.clause("PT-A6")
def test_a_table_may_be_closed_before_a_card_is_loaded() -> None:
    evening = Evening()
    evening.open_table()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("SB-4")
def test_a_loading_broken_off_is_unloaded_and_not_opened() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(104)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.WRONG_LOAD
    evening.unload_cards()
    evening.look()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("PT-A5")
def test_a_pack_of_exactly_the_houses_smallest_size_is_one() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    smallest = evening.table.config.book.house.min_pack
    evening.load_pack(smallest - 1)
    assert evening.end_pack() == "house.min_pack"
    evening.hands.put_in_intake_tray(evening.hands.box[:1])
    evening.table.run(2)
    assert evening.end_pack() is None


@pytest.mark.clause("PT-A5")
def test_the_loading_is_not_declared_complete_while_cards_lie_in_the_tray() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    for _ in range(2):
        evening.load_pack(104)
        assert evening.end_pack() is None
    extra = Evening(seed=2).hands.box[:1]
    evening.hands.box += extra
    evening.hands.put_in_intake_tray(extra)
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) == "PT-A5"


@pytest.mark.clause("PT-E2")
def test_a_load_whose_last_card_lies_in_the_tray_is_not_taken_for_a_wrong_one() -> None:
    evening = loading()
    for cards in (104, 103):
        evening.load_pack(cards)
        assert evening.end_pack() is None
    evening.hands.put_in_intake_tray(evening.hands.box)
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) == "PT-A5"
    assert evening.session is Session.AWAITING_PACK


@pytest.mark.clause("PT-A5")
def test_the_pin_that_ends_a_pack_answers_for_the_presence_that_was_asked() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(104)
    assert evening.table.run(70, lambda: evening.session is Session.ASKING_PRESENCE)
    assert evening.end_pack() is None
    assert evening.session is Session.AWAITING_PACK


@pytest.mark.clause("PT-E4")
def test_an_authorisation_without_its_reference_is_none() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    assert evening.act(301, Trigger.AUTHORISE_DECK, 0) == "PT-E4"
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"
