"""A wrong rule book is refused with everything that is wrong with it, in words that say what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.rulebooks.contradictions import CONTRADICTIONS
from firmware_bridge.rulebooks.schema import SECTIONS
from firmware_bridge.toml_file import allowed, written
from tests.rulebooks.book_file import PORTUGAL, entry_at, key_of, place_of, places, portugal, refusal, source_of, write

PLACES = places(portugal())


@pytest.mark.parametrize("place", PLACES)
def test_each_value_left_out_is_named(tmp_path: Path, place: str) -> None:
    tables = portugal()
    above, _, key = place.rpartition(".")
    del entry_at(tables, above)[key]
    [line] = refusal(tmp_path, tables)
    assert line.startswith(f"{key_of(place)} is missing; write it under [")


@pytest.mark.parametrize("place", [place for place in PLACES if not place.startswith("house.")])
def test_a_value_of_the_law_without_a_clause_is_refused(tmp_path: Path, place: str) -> None:
    for spoilt in (
        {},
        {"reason": "we like it so"},
        {"clause": " "},
        {"clause": 5},
        {"clause": "XX-1"},
        {"clause": "PT"},
    ):
        tables = portugal()
        entry = entry_at(tables, place)
        entry.pop("clause")
        entry.update(spoilt)
        [line] = refusal(tmp_path, tables)
        assert line.startswith(place)
        assert "clause" in line


@pytest.mark.parametrize("place", [place for place in PLACES if place.startswith("house.")])
def test_a_value_of_the_house_needs_a_reason_and_never_stands_as_law(tmp_path: Path, place: str) -> None:
    for spoilt in ({}, {"clause": "PT-A5"}, {"reason": ""}, {"reason": "so", "clause": "PT-A5"}):
        tables = portugal()
        entry = entry_at(tables, place)
        entry.pop("reason")
        entry.update(spoilt)
        [line] = refusal(tmp_path, tables)
        assert line.startswith(place)
        assert "reason" in line


def test_a_clause_may_be_one_of_our_integrity_rules(tmp_path: Path) -> None:
    tables = portugal()
    tables["loading"]["present"]["clause"] = "SB-3"
    assert load_rulebook(write(tmp_path, tables)).clause_of("loading.present") == "SB-3"


def test_what_one_law_is_silent_on_the_house_may_say(tmp_path: Path) -> None:
    tables = portugal()
    del tables["loading"]["present"]
    tables["house"]["loading"] = {"present": {"value": "supervisor", "reason": "this law names nobody"}}
    book = load_rulebook(write(tmp_path, tables))
    assert book.loading.present == "supervisor"
    assert book.clause_of("loading.present") == "house.loading.present"
    assert book.sources["loading.present"].reason == "this law names nobody"


def test_a_clause_that_is_in_no_book_is_refused(tmp_path: Path) -> None:
    tables = portugal()
    tables["loading"]["present"]["clause"] = "PT-" + "A99"
    assert "A99" in " ".join(refusal(tmp_path, tables))


CONTRADICTORY: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
    ("lists a number of decks twice", {"equipment.decks_allowed": [4, 4]}, ("equipment.decks_allowed",)),
    ("lists the decks in disorder", {"equipment.decks_allowed": [6, 4]}, ("equipment.decks_allowed",)),
    (
        "asks for larger packs than the smallest set can give",
        {"house.min_pack": 105},
        ("loading.min_packs", "house.min_pack", "equipment.decks_allowed"),
    ),
    (
        "asks for more packs than the smallest set can give",
        {"loading.min_packs": 8, "house.min_pack": 27},
        ("loading.min_packs", "house.min_pack", "equipment.decks_allowed"),
    ),
    (
        "has a limit for a round that the smallest set cannot reach",
        {"equipment.decks_allowed": [1, 4]},
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
        {"warning_card.cards_behind_least": 51},
        ("warning_card.cards_behind_least", "warning_card.cards_behind_most"),
    ),
    (
        "leaves no card before the warning card",
        {"warning_card.cards_behind_least": 208, "warning_card.cards_behind_most": 208},
        ("warning_card.used", "warning_card.cards_behind_least", "equipment.decks_allowed"),
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
        "deals no single deck from the metal box",
        {"equipment.machines_allowed": ["metal_box", "hand_fed_shoe"]},
        ("equipment.machines_allowed", "equipment.decks_allowed"),
    ),
    (
        "burns before later rounds from a box of one round",
        {"equipment.machines_allowed": ["metal_box"], "burn.before_each_later_round": True},
        ("equipment.machines_allowed", "burn.before_each_later_round", "deal.procedure"),
    ),
    (
        "burns a card before a second card of the bank that comes with the players'",
        {"burn.before_bank_second_card": True},
        ("burn.before_bank_second_card", "deal.procedure"),
    ),
]


@pytest.mark.parametrize(
    ("values", "keys"),
    [(values, keys) for _, values, keys in CONTRADICTORY],
    ids=[name for name, _, _ in CONTRADICTORY],
)
def test_a_book_that_contradicts_itself_is_refused_with_all_values_and_clauses_concerned(
    tmp_path: Path, values: dict[str, object], keys: tuple[str, ...]
) -> None:
    tables = portugal()
    for key in ("bettors.most_on_one_place", "hands.original_bet_only_against_blackjack"):
        if key in values:  # tied to another choice only where the law speaks of it
            section, field = key.split(".")
            del tables["house"][section][field]
            tables[section][field] = {"value": None, "clause": "PT-B2"}
    for key, value in values.items():
        entry = entry_at(tables, place_of(tables, key))
        entry["value"] = value
        entry.pop("allowed", None)
    lines = refusal(tmp_path, tables)
    assert all(line.startswith("contradiction: ") for line in lines)
    there = {place: entry_at(tables, place) for place in (place_of(tables, key) for key in keys)}
    said = [f"{place} = {written(entry['value'])} ({source_of(entry)})" for place, entry in there.items()]
    assert any(line.startswith(f"contradiction: {' and '.join(said)}: ") for line in lines)


def test_there_is_a_book_for_every_contradiction_that_is_looked_for() -> None:
    assert {row.keys for row in CONTRADICTIONS} == {keys for _, _, keys in CONTRADICTORY}


def test_all_contradictions_are_told_at_once(tmp_path: Path) -> None:
    tables = portugal()
    tables["loading"]["loadings_per_session"]["value"] = 2
    tables["house"]["entry_timeout_s"]["value"] = 100
    assert len(refusal(tmp_path, tables)) == 2


def test_a_value_that_stands_both_as_law_and_as_the_houses_is_a_contradiction(tmp_path: Path) -> None:
    tables = portugal()
    tables["house"]["loading"] = {"min_packs": {"value": 3, "reason": "three are safer"}}
    [line] = refusal(tmp_path, tables)
    assert line.startswith("contradiction: loading.min_packs stands both as law and as house.loading.min_packs")


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    tables = portugal()
    tables["loading"]["min_packs"]["value"] = 0
    tables["house"]["min_pack"]["value"] = "half a deck"
    tables["cut"]["with_shufler"] = tables["cut"].pop("with_shuffler")
    tables["house"]["bonus"] = {"value": 1, "reason": "more is more"}
    tables["house"]["loading"] = {"packs": {"value": 1, "reason": "more is more"}}
    tables["claims"] = "none"
    tables["unknown"] = {}
    del tables["title"]
    told = "\n".join(refusal(tmp_path, tables))
    for what in (
        "loading.min_packs = 0 (PT-A5)",
        'house.min_pack = "half a deck"',
        "unknown key cut.with_shufler",
        "cut.with_shuffler is missing",
        "unknown key house.bonus",
        "unknown key house.loading.packs",
        "claims = ",
        "unknown key unknown",
        "title is missing",
    ):
        assert what in told


def test_a_file_that_cannot_be_read_as_a_book_is_named_with_its_remedy(tmp_path: Path) -> None:
    for data, words in (
        (b"id = 'x'\nid = 'y'\n", "toml:2: this rule book is not TOML"),
        (b"\xff\xfe", "UTF-8"),
        (b"", "id is missing"),
    ):
        path = tmp_path / "book.toml"
        path.write_bytes(data)
        with pytest.raises(ConfigError, match=re.escape(str(path))) as raised:
            load_rulebook(path)
        assert words in str(raised.value)
    for path in (tmp_path, tmp_path / "absent.toml"):
        with pytest.raises(ConfigError, match="correct the path or its rights"):
            load_rulebook(path)


def test_a_book_that_nobody_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"'atlantis'; allowed: .*portugal"):
        load_rulebook("atlantis")


def test_a_path_and_a_name_lead_to_the_same_book() -> None:
    assert load_rulebook(str(PORTUGAL)).digest == load_rulebook(PORTUGAL).digest == load_rulebook("portugal").digest


def test_everything_that_a_book_may_say_can_be_told_in_words() -> None:
    for section in SECTIONS.values():
        for field in structs.fields(section):
            assert "None" not in allowed(field.type)


@pytest.mark.parametrize(
    ("place", "beside", "told"),
    [
        ("loading.min_packs", {"also": "PT-A4"}, 'loading.min_packs has also = "PT-A4"; allowed: a list of clauses'),
        ("loading.min_packs", {"also": ["MO-2c"]}, 'loading.min_packs names the clause "MO-2c"; allowed: a clause of'),
        ("loading.min_packs", {"needs": 1}, "loading.min_packs has a needs that is no text"),
        (
            "loading.loadings_per_session",
            {"needs": "PT-J1"},
            "loading.loadings_per_session needs a permission and allows no choice",
        ),
        (
            "loading.loadings_per_session",
            {"unless": 2},
            "loading.loadings_per_session needs a permission and allows no choice",
        ),
        ("loading.min_packs", {"unless": "two"}, 'loading.min_packs has unless = "two"; allowed: a whole number from'),
        (
            "loading.min_packs",
            {"allowed": {"from": 8, "to": 2}},
            "loading.min_packs has allowed = { from = 8, to = 2 }",
        ),
        ("loading.min_packs", {"allowed": [2]}, "loading.min_packs has allowed = [2]; write a list of two or more"),
        ("loading.min_packs", {"allowed": {"from": 2}}, "loading.min_packs has allowed = { from = 2 }; write a list"),
        ("loading.min_packs", {"allowed": [2, 9]}, "loading.min_packs has 9 among what it allows; allowed: a whole"),
        ("loading.min_packs", {"allowed": {"from": 2, "to": 9}}, "loading.min_packs has 9 among what it allows"),
        ("loading.min_packs", {"allowed": [3, 4]}, "loading.min_packs = 2 (PT-A5); allowed: 3 or 4"),
        ("equipment.decks_allowed", {"allowed": {"from": 4, "to": 5}}, "equipment.decks_allowed = [4, 6] (PT-E2)"),
        ("loading.min_packs", {"reading": "PT-" + "X99", "reason": "so"}, "loading.min_packs names the reading"),
        ("loading.min_packs", {"reading": "PT-X12"}, "loading.min_packs takes the reading PT-X12 without a reason"),
        ("loading.min_packs", {"reason": "so"}, "loading.min_packs has a reason beside its clause"),
        ("house.min_pack", {"reading": "PT-" + "X99"}, "house.min_pack names the reading"),
        ("house.min_pack", {"allowed": [26, 52]}, "house.min_pack = { value = 26, "),
    ],
)
def test_what_stands_beside_a_value_is_checked_too(
    tmp_path: Path, place: str, beside: dict[str, object], told: str
) -> None:
    tables = portugal()
    entry_at(tables, place).update(beside)
    [line] = refusal(tmp_path, tables)
    assert line.startswith(told)


def test_a_permission_is_one_of_the_books_own_clauses(tmp_path: Path) -> None:
    tables = portugal()
    entry_at(tables, "jackpot.offered")["needs"] = "MO-21a"
    tables["permissions"]["MO-21a"] = {"days": ["approved"]}
    [line] = refusal(tmp_path, tables)
    assert line.startswith('jackpot.offered names the clause "MO-21a"; allowed: a clause of this book')


@pytest.mark.parametrize(
    "rule",
    [
        1,
        {},
        {"days": []},
        {"days": "approved"},
        {"days": [1]},
        {"days": ["approved"], "working_days_between": 3},
        {"days": ["applied", "first_day"], "working_days_between": 31},
        {"days": ["applied", "first_day"], "working_days_between": True},
    ],
)
def test_a_rule_on_permissions_that_is_not_whole_is_refused(tmp_path: Path, rule: object) -> None:
    tables = portugal()
    tables["permissions"]["PT-J1"] = rule
    lines = refusal(tmp_path, tables)
    assert lines[0].startswith(f"permissions.PT-J1 = {written(rule)} is not of the form {{ days = ")
    assert lines[1].startswith("jackpot.offered needs a permission (PT-J1) of which nobody knows what it names; ")
    tables["permissions"] = rule
    assert refusal(tmp_path, tables)[-1] == lines[1]
