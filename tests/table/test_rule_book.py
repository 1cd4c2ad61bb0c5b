"""Each value that the procedures ask for changes a run: the same deeds, by two books that differ in it alone."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import Capability, DealerKey, JamPlace
from firmware_bridge.core.decide import decide
from firmware_bridge.core.events import EntryDropped, FlushWasSlow
from firmware_bridge.core.outputs import due
from firmware_bridge.core.words import OPENS, Place, Session, Trigger
from firmware_bridge.rulebooks import RuleBook
from firmware_bridge.rulebooks.loader import FIELDS
from firmware_bridge.rulebooks.played import AWAITED, PLAYED
from tests.service import test_config
from tests.table.byways import force_lid
from tests.table.dealing import a_deal_that_is_void, fourteen_cards, the_bank_after_its_players
from tests.table.evening import PORTUGAL, ROOM_MANAGER, SUPERVISOR, Evening, Run, otherwise
from tests.table.hand_fed_runs import BY_HAND
from tests.table.test_damaged_card import lay_replacement, spare, typed
from tests.table.test_jam import jam
from tests.table.test_sequence import UP, stack
from tests.table.told import asked

KEYS = frozenset(key for section in FIELDS.values() for key in section)


# ---- deeds, each with what it leads to


def opened(book: RuleBook) -> Evening:
    evening = Evening(book=book)
    evening.open_table()
    return evening


def ready(book: RuleBook) -> Evening:
    evening = Evening(book=book)
    evening.open_and_load()
    return evening


def in_round(book: RuleBook, cards: int = 3) -> Evening:
    evening = ready(book)
    evening.deal(cards)
    return evening


def yes_before_the_loading(book: RuleBook) -> object:
    evening, answered = opened(book), []
    while evening.session is not Session.AWAITING_PACK:
        answered.append((evening.session, asked(evening)))
        assert evening.key(DealerKey.YES) is None
    return answered


def a_table_of_four_decks(book: RuleBook) -> object:
    return Evening(book=book).act(SUPERVISOR, Trigger.OPEN_TABLE)


def a_pack_of_twenty(book: RuleBook) -> object:
    evening = opened(book)
    evening.show_and_mix()
    evening.load_pack(20)
    return evening.end_pack()


def all_in_one_pack(book: RuleBook) -> object:
    evening = opened(book)
    evening.show_and_mix()
    evening.load_pack(208)
    return evening.end_pack(), evening.act(SUPERVISOR, Trigger.DECLARE_LOADED)


def fifty_seconds_of_loading(book: RuleBook) -> object:
    evening = opened(book)
    evening.show_and_mix()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.table.run(50)
    return evening.session


def the_first_card(book: RuleBook) -> object:
    return in_round(book, cards=1).session


def a_round_of_thirty(book: RuleBook) -> object:
    evening = ready(book)
    evening.table.run(30, lambda: evening.hands.pull_card() is None and evening.state.account.out >= 30)
    return evening.session


def what_is_asked_in_a_round(book: RuleBook) -> object:
    return asked(in_round(book))


def between_rounds(book: RuleBook) -> object:
    return asked(ready(book))


def a_call_in_a_round(book: RuleBook) -> object:
    evening = in_round(book)
    assert evening.key(DealerKey.CALL_SUPERVISOR) is None
    return asked(evening)


def a_machine_that_takes_no_card(book: RuleBook) -> object:
    evening = in_round(book)
    evening.hands.mechanism.intake_tripped = True
    assert evening.key(DealerKey.ROUND_OVER) is None
    return evening.key(DealerKey.YES), evening.session


def half_a_minute_of_returning(book: RuleBook) -> object:
    evening = in_round(book)
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.table.run(30)
    return evening.kinds()


def two_rounds(book: RuleBook) -> object:
    evening = ready(book)
    evening.play_round()
    evening.play_round() if not evening.reasons() else None
    return evening.reasons()


def a_jam(book: RuleBook) -> Evening:
    evening = in_round(book)
    jam(evening, JamPlace.EXIT)
    return evening


def a_jam_in_a_round(book: RuleBook) -> object:
    return a_jam(book).reasons()


def the_bets_of_a_void_round(book: RuleBook) -> object:
    return asked(a_jam(book))


def a_break_of_the_host(book: RuleBook) -> object:
    evening = in_round(book)
    evening.table.start_controller()
    evening.table.run(5)
    return evening.state.round_void


def a_lost_lamp(book: RuleBook) -> object:
    evening = in_round(book)
    evening.table.unplug("lamp")
    evening.table.run(1)
    return evening.state.round_void


def a_forced_lid(book: RuleBook) -> object:
    evening = in_round(book)
    force_lid(evening)
    return evening.state.round_void


def a_damaged_card(book: RuleBook) -> object:
    evening = in_round(book)
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(evening.hands.on_table[0])) is None
    return asked(evening), len(evening.state.notices)


def half_a_minute_without_a_lamp(book: RuleBook) -> object:
    evening = ready(book)
    evening.table.unplug("lamp")
    evening.table.run(30)
    return [one.escalated for one in evening.state.incidents.values()]


def an_alarm_that_nobody_answers(book: RuleBook) -> object:
    evening = a_jam(book)
    evening.table.run(60)
    return [one.escalated for one in evening.state.incidents.values()]


def a_count_that_never_comes(book: RuleBook) -> object:
    evening = ready(book)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    evening.table.unplug("shuffler")
    evening.table.run(30)
    return evening.session


def cards_drawn_that_nobody_fed(book: RuleBook) -> object:
    evening = ready(book)
    evening.state.timers["split"] = evening.state.at
    return due(evening.state, book)["split"] - evening.state.at


def a_shoe_that_only_talks(book: RuleBook) -> object:
    evening = ready(book)
    shoe = evening.state.devices["shoe"]
    shoe.capabilities |= Capability.SEND_ONLY
    return due(evening.state, book)["silence/shoe"] - shoe.heard_at


def a_flush_of_a_second(book: RuleBook) -> object:
    state = ready(book).state
    decide(state, FlushWasSlow(1000), number=state.record + 1, table_ns=state.at, utc_ns=state.utc_ns, book=book)
    return [one.kind for one in state.incidents.values()]


def an_entry_left_open(book: RuleBook) -> object:
    evening = ready(book)
    evening.press(2, 0, 1)
    evening.table.run(20)
    return [record.event for record in evening.logged() if isinstance(record.event, EntryDropped)]


def three_wrong_entries(book: RuleBook) -> object:
    evening = ready(book)
    for _ in range(3):
        evening.identify(SUPERVISOR, "999999")
    return list(evening.state.locked_out)


def a_lock_out(book: RuleBook) -> object:
    evening = ready(book)
    for _ in range(book.house.wrong_entries):
        evening.identify(SUPERVISOR, "999999")
    assert list(evening.state.locked_out) == [SUPERVISOR]
    evening.table.run(90)
    return list(evening.state.locked_out)


def a_claim_after_the_round(book: RuleBook) -> object:
    evening = in_round(book)
    assert evening.key(DealerKey.ROUND_OVER) is None
    return evening.key(DealerKey.CLAIM)


def the_first_card_of_a_later_round(book: RuleBook) -> object:
    evening = ready(book)
    evening.play_round()
    evening.deal(1)
    return evening.session, evening.state.account.at(Place.DISCARD)


def a_marked_deck_at_the_opening(book: RuleBook) -> object:
    evening = Evening(book=book)
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    return "open the table" in asked(evening), evening.act(SUPERVISOR, Trigger.OPEN_TABLE)


def the_first_pack(book: RuleBook) -> object:
    evening = opened(book)
    evening.show_and_mix()
    return evening.act(SUPERVISOR, Trigger.START_PACK), asked(evening)


def the_unloading(book: RuleBook) -> object:
    evening = ready(book)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    return evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING), asked(evening)


def a_jam_that_the_supervisor_clears(book: RuleBook) -> object:
    evening = a_jam(book)
    return asked(evening), evening.act(SUPERVISOR, Trigger.RELEASE_LID)


def a_jam_that_nobody_clears(book: RuleBook) -> object:
    evening = a_jam(book)
    return asked(evening), evening.act(SUPERVISOR, Trigger.CALL_TECHNICIAN)


def a_replacement(book: RuleBook) -> object:
    evening = in_round(book)
    card = evening.hands.on_table[0]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    lay_replacement(evening, spare(card))
    assert evening.key(DealerKey.YES) is None
    return asked(evening), evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 77)


def a_difference(book: RuleBook) -> object:
    evening = ready(book)
    evening.unload()
    evening.look()
    evening.sort()
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    return asked(evening), evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE)


def mixed_cards(book: RuleBook) -> object:
    evening = opened(book)
    while evening.session in OPENS - {Session.CUTTING}:
        assert evening.key(DealerKey.YES) is None
    return evening.session, evening.act(SUPERVISOR, Trigger.CUT)


def yes_after_a_round(book: RuleBook) -> object:
    evening = in_round(book)
    assert evening.key(DealerKey.ROUND_OVER) is None
    return asked(evening), evening.key(DealerKey.YES), evening.session


def cards_in_sequence(book: RuleBook, cards: int) -> object:
    evening = ready(book)
    stack(evening, UP[:cards])
    evening.deal(cards)
    held = evening.kinds()
    assert evening.key(DealerKey.ROUND_OVER) is None
    return held, evening.kinds()


def four_cards_in_sequence(book: RuleBook) -> object:
    return cards_in_sequence(book, 4)


def six_cards_in_sequence(book: RuleBook) -> object:
    return cards_in_sequence(book, 6)


def yes_between_rounds(book: RuleBook) -> object:
    evening = ready(book)
    evening.play_round()
    return asked(evening), evening.key(DealerKey.YES), evening.session


VOID = "void_round_and_shuffle"
VOIDED = otherwise(PORTUGAL, "after_error.jam", VOID)
FOLLOWED = otherwise(PORTUGAL, "house.unmarked_places", "all_in_play")
LATE = otherwise(FOLLOWED, "deal.procedure", "bank_second_late")
JACKPOT = otherwise(PORTUGAL, "jackpot.offered", True)

RUNS = (
    Run("opening.show_cards", False, yes_before_the_loading),
    Run("opening.check_backs", False, yes_before_the_loading),
    Run("opening.mix_by_hand", False, yes_before_the_loading),
    Run("equipment.decks_allowed", (6, 8), a_table_of_four_decks),
    Run("loading.min_packs", 1, all_in_one_pack),
    Run("house.min_pack", 10, a_pack_of_twenty),
    Run("house.presence_interval_s", 40, fifty_seconds_of_loading),
    Run("burn.with_shuffler", "one", the_first_card),
    Run("burn.before_each_later_round", True, the_first_card_of_a_later_round),
    Run("claims.until", "round_over", a_claim_after_the_round),
    Run("decks.imperfect_needs_authorisation", False, a_marked_deck_at_the_opening),
    Run("house.round_card_limit", 20, a_round_of_thirty),
    Run("rounds.used_cards_to_discard_at_once", False, what_is_asked_in_a_round),
    Run("house.unmarked_places", "all_in_play", what_is_asked_in_a_round),
    Run("equipment.places", 6, fourteen_cards, FOLLOWED),
    Run("deal.player_card_closed", "first", what_is_asked_in_a_round, FOLLOWED),
    Run("burn.before_bank_second_card", True, the_bank_after_its_players, LATE),
    Run("deal.totals_called", True, what_is_asked_in_a_round),
    Run("deal.only_dealer_holds_cards_when_all_stand", True, what_is_asked_in_a_round),
    Run("deal.busted_hands_collected_at_once", False, what_is_asked_in_a_round),
    Run("deal.bank_looks", True, what_is_asked_in_a_round),
    Run("insurance.offered", "before_bank_looks", what_is_asked_in_a_round),
    Run("jackpot.offered", True, between_rounds),
    Run("jackpot.collection", "by_hand", between_rounds, JACKPOT),
    Run("jackpot.collected_before_deal", False, between_rounds, JACKPOT),
    Run("jackpot.winning_cards_stay_open", False, what_is_asked_in_a_round, JACKPOT),
    Run("wrong_deal.remedy", "put_right_else_void", a_call_in_a_round),
    Run("deal.procedure", "bank_second_late", a_call_in_a_round),
    Run("wrong_deal.exposed_card", "void", a_call_in_a_round),
    Run("wrong_deal.first_card_exposed", "void", a_call_in_a_round),
    Run("wrong_deal.bank_second_card_turned", "played", a_call_in_a_round),
    Run("wrong_deal.unwanted_card_unseen", "void", a_call_in_a_round),
    Run("wrong_deal.unwanted_card_seen", "round_void", a_call_in_a_round),
    Run("wrong_deal.bank_card_too_many", "valid_while_closed", a_call_in_a_round),
    Run("wrong_deal.void_round_shuffled", False, a_deal_that_is_void),
    Run("rounds.may_leave_in_discard", False, a_machine_that_takes_no_card),
    Run("house.return_window_s", 20, half_a_minute_of_returning),
    Run("house.rounds_between_counts", 1, two_rounds),
    Run("house.sequence_warns_at", 4, four_cards_in_sequence),
    Run("house.sequence_holds_at", 7, six_cards_in_sequence),
    Run("after_error.jam", VOID, a_jam_in_a_round),
    Run("after_error.host_break", VOID, a_break_of_the_host),
    Run("after_error.system_error", VOID, a_lost_lamp),
    Run("after_error.human_error", VOID, a_forced_lid),
    Run("after_error.bets_of_void_round", "stand", the_bets_of_a_void_round, VOIDED),
    Run("notices.damaged_card", "nobody", a_damaged_card),
    Run("loading.present", "room_manager", the_first_pack),
    Run("closing.unloading_present", "table_inspector", the_unloading),
    Run("jam.lid_opened_by", "room_manager", a_jam_that_the_supervisor_clears),
    Run("jam.technician_may_be_called", False, a_jam_that_nobody_clears),
    Run("damaged_card.replaced_by", "room_manager", a_replacement),
    Run("house.difference_signed_by", "table_inspector", a_difference),
    Run("cut.with_shuffler", True, mixed_cards),
    Run("rounds.discards_return_after_each", False, yes_after_a_round),
    Run("shuffle.at_dealers_wish", True, yes_between_rounds),
    Run("house.call_supervisor_after_s", 20, half_a_minute_without_a_lamp),
    Run("house.escalate_after_s", 30, an_alarm_that_nobody_answers),
    Run("house.inventory_time_s", 20, a_count_that_never_comes),
    Run("house.split_lag_s", 5, cards_drawn_that_nobody_fed),
    Run("house.unheard_limit_s", 60, a_shoe_that_only_talks),
    Run("house.flush_limit_ms", 500, a_flush_of_a_second),
    Run("house.entry_timeout_s", 10, an_entry_left_open),
    Run("house.wrong_entries", 3, three_wrong_entries),
    Run("house.lock_out_s", 60, a_lock_out),
    *BY_HAND,
)

AT_THE_START = {
    "equipment.mixed_backs": test_config.test_what_the_rule_book_does_not_allow_is_refused_by_its_clause,
    "equipment.machines_allowed": test_config.test_what_the_rule_book_does_not_allow_is_refused_by_its_clause,
}
"""Values that a controller asks for before it starts, each with the test that has a configuration for it."""


@pytest.mark.parametrize("run", RUNS, ids=[run.key for run in RUNS])
def test_a_value_of_the_book_changes_a_run(run: Run) -> None:
    assert run.base.value_of(run.key) != run.other
    played = run.plays(run.base)
    assert played == run.plays(run.base)  # else any two runs would differ
    assert played != run.plays(otherwise(run.base, run.key, run.other))


def test_each_value_that_is_asked_for_has_its_run() -> None:
    assert {run.key for run in RUNS} | set(AT_THE_START) == KEYS - set(PLAYED) - set(AWAITED)
    for key, test in AT_THE_START.items():
        [cases] = [mark for mark in test.pytestmark if mark.name == "parametrize"]
        assert key.partition(".")[2] in [case[0] for case in cases.args[1]]


@pytest.mark.clause("PT-A4", "PT-E2")
def test_where_a_book_asks_for_nothing_the_table_opens_to_its_first_pack() -> None:
    book = PORTUGAL
    for key in ("opening.show_cards", "opening.check_backs", "opening.mix_by_hand"):
        book = otherwise(book, key, False)
    evening = opened(book)
    assert evening.session is Session.AWAITING_PACK
    evening.load()
    evening.play_round()
    evening.close()
    assert evening.session is Session.ALL_REGULAR
