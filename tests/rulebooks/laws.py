"""What the laws say, book by book: each value with its clause, what that leaves to choose, and by whose permission.

Written down a second time from the clauses: a book's file alone could allow more than its law, and nobody would see it.
"""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.rulebooks.sources import Source, Span


class Says(NamedTuple):
    """A value of the law. The bounds that no law names are the schema's: 20 places, 8 decks, 416 cards.

    ``also``, ``allowed``, ``needs`` and ``unless`` as in the book's ``Source``.
    """

    key: str
    value: object
    clause: str
    also: tuple[str, ...] = ()
    allowed: tuple[object, ...] | Span | None = None
    needs: str = ""
    unless: object = None


def said(key: str, value: object, source: Source) -> Says:
    """Return what a book says at a key."""
    return Says(key, value, source.id, source.also, source.allowed, source.needs, source.unless)


MACHINES = ("continuous_shuffler", "batch_shuffler", "hand_fed_shoe")
EITHER = (True, False)

LAW: dict[str, list[Says]] = {
    "portugal": [
        Says("equipment.places", 7, "PT-E1", allowed=(6, 7)),
        Says("equipment.decks_allowed", (4, 6), "PT-E2", allowed=(4, 6)),
        Says("equipment.mixed_backs", True, "PT-E2", allowed=EITHER),
        Says("equipment.machines_allowed", MACHINES, "PT-A7", also=("PT-A2", "PT-E3"), allowed=MACHINES),
        Says("decks.imperfect_needs_authorisation", True, "PT-E4"),
        Says("opening.show_cards", True, "PT-A4", also=("PT-S1",)),
        Says("opening.mix_by_hand", True, "PT-A4", also=("PT-S2",)),
        Says("loading.min_packs", 2, "PT-A5", allowed=Span(2, 8)),
        Says("loading.loadings_per_session", 1, "PT-A5"),
        Says("loading.present", "supervisor", "PT-A5"),
        Says("cut.with_shuffler", False, "PT-A3"),
        Says("cut.by", "player_in_rotation", "PT-S3", also=("PT-S2",)),
        Says("cut.if_nobody_wants", "table_inspector", "PT-S3"),
        Says("warning_card.used", True, "PT-S4", also=("PT-E3",)),
        Says("warning_card.cards_behind_least", 49, "PT-S4"),
        Says("warning_card.cards_behind_most", 50, "PT-S4"),
        Says("warning_card.middle_for_one_player", True, "PT-S4"),
        Says("last_round.announced_with_continuous", False, "PT-A7"),
        Says("last_round.announced_with_shoe", True, "PT-S6"),
        Says("last_round.warning_card_between_rounds", "round_is_played", "PT-S7", also=("PT-S6",)),
        Says("burn.with_shoe", "one", "PT-S5"),
        Says("rounds.used_cards_to_discard_at_once", True, "PT-A9"),
        Says("rounds.discards_return_after_each", True, "PT-A10"),
        Says("rounds.may_leave_in_discard", True, "PT-A11"),
        Says("shuffle.when_play_stops", True, "PT-S8", allowed=EITHER),
        Says("deal.procedure", "hole_card", "PT-D1"),
        Says("deal.player_card_closed", "none", "PT-D1"),
        Says("deal.busted_hands_collected_at_once", True, "PT-D9"),
        Says("wrong_deal.bank_second_card_turned", "void", "PT-D2"),
        Says("wrong_deal.unwanted_card_unseen", "next_who_asks_then_bank", "PT-D4"),
        Says("wrong_deal.unwanted_card_seen", "void", "PT-D4"),
        Says("wrong_deal.bank_card_too_many", "void", "PT-D5"),
        Says("damaged_card.replaced", "at_once", "PT-A1"),
        Says("damaged_card.replaced_by", "supervisor", "PT-A1"),
        Says("jam.lid_opened_by", "supervisor", "PT-A2"),
        Says("jam.technician_may_be_called", True, "PT-A2"),
        Says("claims.until", "first_card_returned", "PT-A12"),
        Says("notices.damaged_card", "inspectorate", "PT-A1"),
        Says("closing.taken_out_only_at_close", True, "PT-A8"),
        Says("closing.unloading_present", "supervisor", "PT-A6"),
        Says("closing.sort_decks", True, "PT-A6"),
        Says("insurance.offered", "after_second_cards", "PT-H6"),
        Says("insurance.most_percent", 50, "PT-H6"),
        Says("hands.split_hands_most", 0, "PT-H4"),
        Says("hands.double_on", "nine_ten_eleven_and_after_split", "PT-H5"),
        Says("hands.special_prize", True, "PT-H7"),
        Says("hands.surrender", True, "PT-H8"),
        Says("hands.bank_soft_17", "stands", "PT-D5"),
        Says("bettors.decides", "seated_player", "PT-B2"),
        Says("jackpot.offered", False, "PT-J1", allowed=EITHER, needs="PT-J1", unless=False),
        Says("jackpot.collection", "automatic", "PT-J2", allowed=("automatic", "by_hand")),
        Says("jackpot.collected_before_deal", True, "PT-J4"),
        Says("jackpot.winning_cards_stay_open", True, "PT-J5"),
        Says("jackpot.start_in_bets", 10_000, "PT-J1", allowed=Span(10_000, 10_000_000)),
    ],
    "macau": [
        Says("equipment.places", 7, "MO-1a", allowed=Span(6, 20), needs="MO-21a"),
        Says("equipment.places_per_player", 0, "MO-3a", allowed=Span(0, 20), needs="MO-21a"),
        Says("equipment.decks_allowed", (6, 8), "MO-1a", allowed=Span(1, 8), needs="MO-21a"),
        Says("equipment.machines_allowed", MACHINES, "MO-1b", allowed=(*MACHINES, "metal_box"), needs="MO-21a"),
        Says("opening.mix_by_hand", False, "MO-2c"),
        Says("cut.with_shuffler", False, "MO-2c"),
        Says("cut.by", "any_player", "MO-2a"),
        Says("cut.if_nobody_wants", "dealer", "MO-2a"),
        Says("warning_card.used", True, "MO-2b", allowed=EITHER, needs="MO-21a"),
        Says("warning_card.cards_behind_least", 30, "MO-2b", allowed=Span(30, 416), needs="MO-21a"),
        Says("warning_card.cards_behind_most", 104, "MO-2b", allowed=Span(30, 416), needs="MO-21a"),
        Says("warning_card.taken_out", True, "MO-2d"),
        Says("last_round.warning_card_between_rounds", "round_is_played", "MO-2d"),
        Says("burn.with_shuffler", "one", "MO-4a", allowed=("one", "one_per_deck"), needs="MO-21a"),
        Says("burn.with_shoe", "one", "MO-4a", allowed=("one", "one_per_deck"), needs="MO-21a"),
        Says("burn.before_each_later_round", False, "MO-4b", allowed=EITHER, needs="MO-21a"),
        Says("burn.before_bank_second_card", False, "MO-4b", allowed=EITHER, needs="MO-21a"),
        Says("rounds.discards_return_after_each", True, "MO-2g"),
        Says("rounds.may_leave_in_discard", False, "MO-2g"),
        Says("shuffle.at_dealers_wish", True, "MO-2e", allowed=EITHER, needs="MO-21a"),
        Says("shuffle.each_round_with_metal_box", True, "MO-2f"),
        Says(
            "deal.procedure",
            "hole_card",
            "MO-5e",
            also=("MO-5c", "MO-5d", "MO-5a"),
            allowed=("players_closed", "bank_second_late", "hole_card"),
            needs="MO-21a",
        ),
        Says("deal.bank_looks", True, "MO-5e", allowed=EITHER, needs="MO-21a"),
        Says("deal.player_card_closed", "none", "MO-5f", allowed=("none", "first", "second"), needs="MO-21a"),
        Says("deal.players_turn_cards", False, "MO-5g", allowed=EITHER, needs="MO-21a"),
        Says("deal.double_card_closed", False, "MO-17b"),
        Says("deal.totals_called", True, "MO-6c"),
        Says("deal.only_dealer_holds_cards_when_all_stand", True, "MO-3b"),
        Says("wrong_deal.remedy", "put_right_else_void", "MO-5b"),
        Says("wrong_deal.exposed_card", "void", "MO-5a"),
        Says("wrong_deal.first_card_exposed", "void", "MO-5a2", allowed=("void", "played"), needs="MO-21a"),
        Says("wrong_deal.bank_second_card_turned", "void", "MO-5a"),
        Says("wrong_deal.bank_card_too_many", "void", "MO-6a", allowed=("void", "valid_while_closed"), needs="MO-21a"),
        Says("after_error.bets_of_void_round", "returned", "MO-5b"),
        Says("insurance.most_percent", 50, "MO-12", allowed=Span(50, 100), needs="MO-21a"),
        Says("hands.split_hands_most", 4, "MO-16a", also=("MO-5e",), allowed=Span(4, 8), needs="MO-21a"),
        Says(
            "hands.double_on",
            "any_first_two_and_after_split",
            "MO-17a",
            allowed=("any_first_two", "any_first_two_and_after_split", "eleven"),
            needs="MO-21a",
        ),
        Says(
            "hands.original_bet_only_against_blackjack",
            True,
            "MO-10c",
            also=("MO-17c",),
            allowed=EITHER,
            needs="MO-21a",
        ),
        Says("hands.special_prize", True, "MO-15", allowed=EITHER, needs="MO-21b", unless=True),
        Says("hands.surrender", True, "MO-18", allowed=EITHER, needs="MO-21b", unless=True),
        Says("hands.bank_soft_17", "draws_on_ace_and_six", "MO-6a"),
        Says("bettors.most_on_one_place", 0, "MO-20", allowed=Span(0, 3), needs="MO-21a"),
        Says(
            "bettors.decides",
            "seated_player",
            "MO-20",
            allowed=("seated_player", "seated_or_nearest", "highest_bet"),
            needs="MO-21a",
        ),
        Says("extra_bets.any_pair", False, "MO-13a", allowed=EITHER, needs="MO-21a", unless=False),
        Says("extra_bets.sevens", False, "MO-13b", allowed=EITHER, needs="MO-21a", unless=False),
        Says("extra_bets.over_under_13", False, "MO-13c", allowed=EITHER, needs="MO-21a", unless=False),
        Says("extra_bets.perfect_pairs", False, "MO-13d", allowed=EITHER, needs="MO-21c", unless=False),
        Says("extra_bets.streaks", False, "MO-13e", allowed=EITHER, needs="MO-21c", unless=False),
        Says("extra_bets.streak_markers", 6, "MO-1c", allowed=Span(6, 20), needs="MO-21a"),
    ],
    "spain": [
        Says("insurance.offered", "before_first_drawn_card", "ES-4"),
        Says("insurance.most_percent", 50, "ES-4"),
        Says("hands.split_hands_most", 2, "ES-6"),
        Says("hands.double_on", "nine_ten_eleven_and_after_split", "ES-5"),
        Says("hands.bank_soft_17", "stands", "ES-2"),
    ],
    "live": [
        Says("equipment.places_per_player", 1, "LD-1"),
        Says("equipment.decks_allowed", (8,), "LD-1"),
        Says("deal.procedure", "bank_second_late", "LD-2"),
        Says("deal.player_card_closed", "none", "LD-2"),
        Says("wrong_deal.remedy", "void_round", "LD-8"),
        Says("wrong_deal.unwanted_card_unseen", "round_void", "LD-8"),
        Says("wrong_deal.unwanted_card_seen", "round_void", "LD-8"),
        Says("wrong_deal.bank_card_too_many", "round_void", "LD-8"),
        Says("wrong_deal.void_round_shuffled", True, "LD-8"),
        Says("after_error.jam", "void_round_and_shuffle", "LD-8"),
        Says("after_error.host_break", "void_round_and_shuffle", "LD-7"),
        Says("after_error.system_error", "void_round_and_shuffle", "LD-8"),
        Says("after_error.human_error", "void_round_and_shuffle", "LD-8"),
        Says("after_error.bets_of_void_round", "returned", "LD-8", also=("LD-7",)),
        Says("insurance.most_percent", 50, "LD-4"),
        Says("hands.split_hands_most", 2, "LD-5"),
        Says("hands.double_on", "any_first_two", "LD-5"),
        Says("hands.surrender", True, "LD-5"),
        Says("hands.bank_soft_17", "stands", "LD-3"),
        Says("bettors.decides", "seated_player", "LD-10"),
        Says("extra_bets.any_pair", True, "LD-4"),
    ],
    "general": [
        Says("equipment.decks_allowed", (2, 4, 6), "GN-1", allowed=Span(1, 6)),
        Says("cut.by", "player_named_by_dealer", "GN-2"),
        Says("warning_card.used", True, "GN-2"),
        Says("warning_card.cards_behind_least", 60, "GN-2"),
        Says("warning_card.cards_behind_most", 75, "GN-2"),
        Says("last_round.warning_card_between_rounds", "round_is_played", "GN-9"),
        Says("deal.procedure", "hole_card", "GN-3"),
        Says("deal.bank_looks", True, "GN-4"),
        Says("deal.player_card_closed", "none", "GN-3"),
        Says("deal.double_card_closed", True, "GN-7"),
        Says("insurance.offered", "before_bank_looks", "GN-8"),
        Says("insurance.most_percent", 50, "GN-8"),
        Says("hands.split_hands_most", 2, "GN-6"),
        Says("hands.double_on", "nine_ten_eleven", "GN-7"),
        Says("hands.bank_soft_17", "stands", "GN-5"),
    ],
}
