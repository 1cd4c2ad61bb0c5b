"""Values that cannot stand together are refused together, each with what stands behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.rulebooks.contradictions import CONTRADICTIONS
from firmware_bridge.toml_file import written
from tests.rulebooks import book_file
from tests.rulebooks.book_file import entry_at, place_of, refusal, source_of, write

CONTRADICTORY: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
    ("lists a number of decks twice", {"equipment.decks_allowed": [4, 4]}, ("equipment.decks_allowed",)),
    ("lists the decks in disorder", {"equipment.decks_allowed": [6, 4]}, ("equipment.decks_allowed",)),
    (
        "asks for larger packs than the smallest set can give",
        {"house.min_pack": 157},
        ("loading.min_packs", "house.min_pack", "equipment.decks_allowed"),
    ),
    (
        "asks for more packs than the smallest set can give",
        {"loading.min_packs": 8, "house.min_pack": 40},
        ("loading.min_packs", "house.min_pack", "equipment.decks_allowed"),
    ),
    (
        "has a limit for a round that the smallest set cannot reach",
        {"equipment.decks_allowed": [1, 6]},
        ("house.round_card_limit", "equipment.decks_allowed"),
    ),
    (
        "warns of cards in sequence that hold the table anyway",
        {"house.sequence_warns_at": 6},
        ("house.sequence_warns_at", "house.sequence_holds_at"),
    ),
    (
        "loads twice what may not come out between",
        {"loading.loadings_per_session": 2},
        ("loading.loadings_per_session", "closing.taken_out_only_at_close"),
    ),
    (
        "announces a last round that never comes",
        {"last_round.announced_with_continuous": True},
        ("last_round.announced_with_continuous", "closing.taken_out_only_at_close"),
    ),
    (
        "has an exception without its rule",
        {"rounds.discards_return_after_each": False},
        ("rounds.may_leave_in_discard", "rounds.discards_return_after_each"),
    ),
    (
        "ends claims with a card that never goes back",
        {"rounds.discards_return_after_each": False, "rounds.may_leave_in_discard": False},
        ("claims.until", "rounds.discards_return_after_each"),
    ),
    (
        "lets an entry outlast the answer that it gives",
        {"house.entry_timeout_s": 60},
        ("house.entry_timeout_s", "house.presence_interval_s"),
    ),
    (
        "lets the one who was there sign alone",
        {"house.difference_signed_by": "supervisor"},
        ("house.difference_signed_by", "closing.unloading_present"),
    ),
    (
        "allows a machine twice",
        {"equipment.machines_allowed": ["hand_fed_shoe", "hand_fed_shoe"]},
        ("equipment.machines_allowed",),
    ),
    (
        "wants more cards behind the warning card than it allows",
        {"warning_card.cards_behind_least": 105},
        ("warning_card.cards_behind_least", "warning_card.cards_behind_most"),
    ),
    (
        "leaves no card before the warning card",
        {"warning_card.cards_behind_least": 312, "warning_card.cards_behind_most": 312},
        ("warning_card.used", "warning_card.cards_behind_most", "equipment.decks_allowed"),
    ),
    (
        "may leave no card before the warning card",
        {"warning_card.cards_behind_most": 312},
        ("warning_card.used", "warning_card.cards_behind_most", "equipment.decks_allowed"),
    ),
    (
        "lets the bank look at a card that it has not",
        {"deal.bank_looks": True, "deal.procedure": "bank_second_late"},
        ("deal.bank_looks", "deal.procedure"),
    ),
    (
        "deals one card of a player closed in a deal that deals none so",
        {"deal.player_card_closed": "first", "deal.procedure": "bank_second_late"},
        ("deal.player_card_closed", "deal.procedure"),
    ),
    (
        "has players turn cards in a deal in which they may not",
        {"deal.players_turn_cards": True, "deal.procedure": "bank_second_late"},
        ("deal.players_turn_cards", "deal.procedure"),
    ),
    (
        "burns a card before a second card of the bank that comes with the players'",
        {"burn.before_bank_second_card": True},
        ("burn.before_bank_second_card", "deal.procedure"),
    ),
    (
        "burns a card in a deal that it does not follow",
        {"burn.before_bank_second_card": True, "deal.procedure": "bank_second_late"},
        ("burn.before_bank_second_card", "house.unmarked_places"),
    ),
    (
        "has a shoe without a mark and without a shuffle at the dealer's wish",
        {"warning_card.used": False},
        ("warning_card.used", "equipment.machines_allowed", "equipment.decks_allowed", "shuffle.at_dealers_wish"),
    ),
    (
        "has one deck in a shoe, which has no mark, and no shuffle at the dealer's wish",
        {"equipment.decks_allowed": [1, 6], "house.round_card_limit": 50},
        ("warning_card.used", "equipment.machines_allowed", "equipment.decks_allowed", "shuffle.at_dealers_wish"),
    ),
    (
        "deals six decks from the metal box",
        {"equipment.machines_allowed": ["metal_box"]},
        ("equipment.machines_allowed", "equipment.decks_allowed"),
    ),
    (
        "deals one deck or six where one of its machines is the metal box",
        {"equipment.machines_allowed": ["metal_box", "continuous_shuffler"], "equipment.decks_allowed": [1, 6]},
        ("equipment.machines_allowed", "equipment.decks_allowed"),
    ),
    (
        "lets a box serve more rounds than one",
        {"equipment.machines_allowed": ["metal_box"], "equipment.decks_allowed": [1]},
        ("equipment.machines_allowed", "shuffle.each_round_with_metal_box"),
    ),
    (
        "burns before later rounds from a box of one round",
        {"equipment.machines_allowed": ["metal_box"], "burn.before_each_later_round": True},
        ("equipment.machines_allowed", "burn.before_each_later_round", "deal.procedure"),
    ),
    (
        "burns before the second card of a bank that has both from the box",
        {"equipment.machines_allowed": ["metal_box"], "burn.before_bank_second_card": True},
        ("equipment.machines_allowed", "burn.before_bank_second_card"),
    ),
]
"""What a house in Spain may say, where the law leaves nearly all to it, and must not say together."""

BY_LAW: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
    (
        "has a limit of bettors where any number may bet",
        {"bettors.decides": "seated_player", "bettors.most_on_one_place": 3},
        ("bettors.most_on_one_place", "bettors.decides"),
    ),
    (
        "takes both bets where the law takes one",
        {"hands.double_on": "any_first_two", "hands.original_bet_only_against_blackjack": False},
        ("hands.double_on", "hands.original_bet_only_against_blackjack"),
    ),
    (
        "splits into six hands where five are the most",
        {"hands.split_hands_most": 6},
        ("hands.split_hands_most", "deal.procedure"),
    ),
    (
        "marks the last round of a single deck",
        {"equipment.decks_allowed": [1]},
        ("warning_card.used", "equipment.decks_allowed"),
    ),
    (
        "offers insurance until a bank looks that never does",
        {"insurance.offered": "before_bank_looks", "deal.bank_looks": False},
        ("insurance.offered", "deal.bank_looks"),
    ),
    (
        "marks no last round of six decks",
        {"warning_card.used": False},
        ("warning_card.used", "equipment.decks_allowed"),
    ),
]
"""What a house in Macau may choose, and what the law ties to another choice."""


@pytest.mark.parametrize(
    ("name", "values", "keys"),
    [(name, values, keys) for name, some in (("spain", CONTRADICTORY), ("macau", BY_LAW)) for _, values, keys in some],
    ids=[words for words, _, _ in CONTRADICTORY + BY_LAW],
)
def test_a_book_that_contradicts_itself_is_refused_with_all_values_and_clauses_concerned(
    tmp_path: Path, name: str, values: dict[str, object], keys: tuple[str, ...]
) -> None:
    tables = book_file.book(name)
    for key, value in values.items():
        entry_at(tables, place_of(tables, key))["value"] = value
    lines = refusal(tmp_path, tables)
    assert all(line.startswith("contradiction: ") for line in lines)
    there = {place: entry_at(tables, place) for place in (place_of(tables, key) for key in keys)}
    said = [f"{place} = {written(entry['value'])} ({source_of(entry)})" for place, entry in there.items()]
    assert any(line.startswith(f"contradiction: {' and '.join(said)}: ") for line in lines)


@pytest.mark.clause("MO-1b")
@pytest.mark.parametrize(
    ("decks", "machines"), [([1], ["hand_fed_shoe"]), ([1], ["metal_box"]), ([1], ["continuous_shuffler"])]
)
def test_a_single_deck_in_macau_has_no_mark_of_its_last_round(
    tmp_path: Path, decks: list[int], machines: list[str]
) -> None:
    tables = book_file.book("macau")
    tables["equipment"]["decks_allowed"]["value"] = decks
    tables["equipment"]["machines_allowed"]["value"] = machines
    tables["warning_card"]["used"]["value"] = False
    tables["house"]["round_card_limit"]["value"] = 40
    tables["house"]["min_pack"]["value"] = 26
    tables["warning_card"]["cards_behind_most"]["value"] = 40
    assert not load_rulebook(write(tmp_path, tables)).warning_card.used
    tables["warning_card"]["used"]["value"] = True
    [line] = refusal(tmp_path, tables)
    assert line.startswith(
        "contradiction: warning_card.used = true (MO-2b) and equipment.decks_allowed = [1] (MO-1a): "
    )


def test_there_is_a_book_for_every_contradiction_that_is_looked_for() -> None:
    assert {row.keys for row in CONTRADICTIONS} == {keys for _, _, keys in CONTRADICTORY + BY_LAW}


def test_all_contradictions_are_told_at_once(tmp_path: Path) -> None:
    tables = book_file.book("spain")
    tables["house"]["loading"]["loadings_per_session"]["value"] = 2
    tables["house"]["entry_timeout_s"]["value"] = 100
    assert len(refusal(tmp_path, tables)) == 2
