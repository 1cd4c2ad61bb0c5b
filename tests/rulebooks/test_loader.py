"""A wrong rule book is refused with everything that is wrong with it, in words that say what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import BOOKS, load_rulebook
from firmware_bridge.rulebooks.catalogue import catalogue
from firmware_bridge.rulebooks.schema import SECTIONS
from firmware_bridge.toml_file import allowed, written
from tests.rulebooks.book_file import PORTUGAL, book, entry_at, key_of, places, portugal, refusal, write

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


def test_where_the_law_is_silent_only_the_house_says_a_value_and_where_it_speaks_only_the_law(tmp_path: Path) -> None:
    tables = portugal()
    tables["loading"].pop("present")
    tables["house"]["loading"] = {"present": {"value": "supervisor", "reason": "this law names nobody"}}
    tables["burn"]["with_shuffler"] = {"value": "one", "clause": "PT-S5"}
    tables["house"]["burn"].pop("with_shuffler")
    tables["extra_bets"] = {"sevens": {"value": True, "clause": "PT-H7"}}
    told = [line for line in refusal(tmp_path, tables) if not line.startswith("extra_bets.") or "sevens" in line]
    assert told == [
        "house.loading.present is no silence: the book says it (PT-A5); remove it",
        'burn.with_shuffler is not said by the book; write it under [house] as { value = ..., reason = "..." }',
        "extra_bets.sevens is nothing that this book knows "
        "(Portugal: black jack with an automatic continuous shuffler); remove it",
    ]


@pytest.mark.parametrize(
    ("place", "beside", "told"),
    [
        ("loading.present", {"clause": "PT-A4"}, 'the clause "PT-A4"; allowed: "PT-A5" (PT-A5)'),
        ("loading.present", {"also": ["PT-A4"]}, 'the further clauses "PT-A4"; allowed: none (PT-A5)'),
        ("insurance.most_percent", {"also": ["PT-H7"]}, 'the further clauses "PT-H7"; allowed: none (PT-H6)'),
        (
            "loading.present",
            {"allowed": ["supervisor", "table_inspector"]},
            'the choice "supervisor" or "table_inspector"; allowed: none (PT-A5)',
        ),
        (
            "loading.min_packs",
            {"allowed": {"from": 1, "to": 8}},
            "the choice from 1 to 8; allowed: from 2 to 8 (PT-A5)",
        ),
        ("equipment.places", {"needs": "PT-J1"}, 'the permission\'s clause "PT-J1"; allowed: none (PT-E1)'),
        ("jackpot.offered", {"unless": True}, "the choice without a permission true; allowed: false (PT-J1)"),
    ],
)
def test_what_stands_behind_a_value_of_the_law_is_what_the_law_says_there(
    tmp_path: Path, place: str, beside: dict[str, object], told: str
) -> None:
    tables = portugal()
    entry_at(tables, place).update(beside)
    assert refusal(tmp_path, tables) == [f"{place} has {told}"]


def test_open_words_may_be_read_otherwise_for_a_reason_and_what_a_clause_says_may_not(tmp_path: Path) -> None:
    tables = portugal()
    tables["warning_card"]["cards_behind_least"] |= {"value": 50, "reason": "it lies before the fiftieth card"}
    book = load_rulebook(write(tmp_path, tables))
    assert (book.warning_card.cards_behind_least, book.is_own) == (50, True)
    tables["warning_card"]["middle_for_one_player"]["value"] = False
    assert refusal(tmp_path, tables) == ["warning_card.middle_for_one_player = false (PT-S4); allowed: true"]


@pytest.mark.parametrize(
    ("name", "place", "value", "told"),
    [
        ("macau", "hands.bank_soft_17", "stands", '"stands" (MO-6a); allowed: "draws_on_ace_and_six" or "draws"'),
        ("portugal", "warning_card.cards_behind_least", 0, "0 (PT-S4); allowed: 49 or 50"),
        ("portugal", "hands.split_hands_most", 1, "1 (PT-H4); allowed: 0"),
        ("spain", "hands.split_hands_most", 8, "8 (ES-6); allowed: 2 or 0"),
        ("general", "warning_card.cards_behind_least", 0, "0 (GN-2); allowed: 60 or 75"),
        (
            "live",
            "hands.double_on",
            "eleven",
            '"eleven" (LD-5); allowed: "any_first_two" or "any_first_two_and_after_split"',
        ),
    ],
)
def test_no_reading_of_open_words_is_taken_that_they_do_not_have(
    tmp_path: Path, name: str, place: str, value: object, told: str
) -> None:
    tables = book(name)
    entry_at(tables, place)["value"] = value
    assert refusal(tmp_path, tables) == [f"{place} = {told}"]


def test_whatever_open_words_can_mean_a_whole_file_may_take_them_to_mean(tmp_path: Path) -> None:
    taken = set()
    for name in BOOKS:
        for key, source in load_rulebook(name).sources.items():
            means = [value for one in source.readings for value in catalogue().readings[one].about[key]]
            if source.is_house or source.allowed is not None:
                continue
            for value in means:
                tables = book(name)
                entry_at(tables, key)["value"] = value
                if name == "general" and value == 75:  # the two are one span
                    tables["warning_card"]["cards_behind_most"]["value"] = 75
                if name == "general" and value == 60:
                    tables["warning_card"]["cards_behind_least"]["value"] = 60
                assert load_rulebook(write(tmp_path, tables)).value_of(key) == value
                taken.add((name, key, value))
    assert len(taken) > 20


def test_a_book_is_of_a_law_that_we_know(tmp_path: Path) -> None:
    tables = portugal() | {"clauses": "XX"}
    [line] = refusal(tmp_path, tables)
    assert line == 'clauses = "XX"; allowed: "PT" or "MO" or "ES" or "LD" or "GN", the laws that we know'


def test_a_clause_that_is_in_no_book_is_refused(tmp_path: Path) -> None:
    tables = portugal()
    tables["loading"]["present"]["clause"] = "PT-" + "A99"
    assert "A99" in " ".join(refusal(tmp_path, tables))


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
        with pytest.raises(ConfigError, match="correct the path"):
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
        ("loading.min_packs", {"reading": "PT-" + "X99", "reason": "so"}, "loading.min_packs names the reading"),
        (
            "loading.min_packs",
            {"reading": "PT-X12", "reason": "so"},
            'loading.min_packs names the reading "PT-X12"; allowed: none',
        ),
        ("loading.min_packs", {"reading": 5}, "loading.min_packs has reading = 5; allowed: a reading, or a list of"),
        ("house.deal.bank_looks", {"reason": " "}, "house.deal.bank_looks has an empty reason"),
        (
            "jackpot.offered",
            {"reading": ["PT-X9", "PT-X2"], "reason": "so"},
            'jackpot.offered names the reading "PT-X9"',
        ),
        ("cut.by", {"reading": "PT-X3"}, 'cut.by names the reading "PT-X3"; allowed: none'),
        ("hands.split_hands_most", {"reason": " "}, "hands.split_hands_most takes the reading PT-X2 without a reason"),
        ("loading.min_packs", {"reason": "so"}, "loading.min_packs has a reason beside its clause"),
        ("house.min_pack", {"reading": "PT-" + "X99"}, "house.min_pack names the reading"),
        ("house.min_pack", {"reading": "PT-X12"}, 'house.min_pack names the reading "PT-X12"; allowed: none'),
        (
            "house.burn.with_shuffler",
            {"reading": "PT-X3"},
            'house.burn.with_shuffler names the reading "PT-X3"; allowed: PT-X12',
        ),
        ("loading.min_packs", {"reading": "MO-X12", "reason": "so"}, 'loading.min_packs names the reading "MO-X12"'),
        ("house.min_pack", {"allowed": [26, 52]}, "house.min_pack has allowed, which has no place there; allowed: "),
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
