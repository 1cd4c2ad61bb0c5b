"""A house's own file extends a book: it chooses among what the book allows, with the permissions that this needs."""

from __future__ import annotations

import datetime
import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import load_for_table, load_rulebook
from firmware_bridge.rulebooks.permissions import without_permission, working_days_between
from sim_hardware import commands
from tests.rulebooks.book_file import FOLDER, refusal_of, told_of

HEAD = 'id = "ours"\ntitle = "Our house"\nextends = "{book}"\n'
BASE = load_rulebook("macau")
NEEDING = [key for key, source in BASE.sources.items() if source.needs == "MO-21a" and source.unless is None]
PERMITTED = """
holidays = [2026-04-06]

[[permission]]
reference = "DICJ 57/2026"
applied = 2026-04-01
first_day = 2026-04-09
choices = {choices}
"""


def macau(more: str = "", choices: list[str] | None = None, permitted: str = PERMITTED) -> str:
    """Return a house's file in Macau, permitted in all that every house needs a permission for."""
    written = "[" + ", ".join(f'"{key}"' for key in (choices or NEEDING)) + "]"
    holidays, _, table = permitted.format(choices=written).partition("\n\n")
    return HEAD.format(book="macau") + holidays + "\n" + more + "\n" + table


def write(folder: Path, text: str) -> Path:
    path = folder / "ours.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_a_house_does_not_say_is_as_the_book_says_it(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD.format(book="portugal"))
    ours, book = load_rulebook(path), load_rulebook("portugal")
    assert (ours.id, ours.title) == ("ours", "Our house")
    assert {key: ours.value_of(key) for key in ours.sources} == {key: book.value_of(key) for key in book.sources}
    assert ours.sources == book.sources
    assert load_for_table(path) == ours


def test_the_digest_proves_both_the_houses_file_and_the_book_it_extends(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD.format(book="portugal"))
    both = path.read_bytes() + (FOLDER / "portugal.toml").read_bytes()
    assert load_rulebook(path).digest == hashlib.sha256(both).hexdigest()


@pytest.mark.clause("PT-E1", "PT-E2")
def test_a_house_chooses_among_what_a_clause_allows_and_the_clause_stays_behind_it(tmp_path: Path) -> None:
    text = HEAD.format(book="portugal") + "[equipment]\nplaces = { value = 6 }\ndecks_allowed = { value = [6] }\n"
    ours = load_rulebook(write(tmp_path, text))
    assert (ours.equipment.places, ours.equipment.decks_allowed) == (6, (6,))
    assert ours.clause_of("equipment.places") == "PT-E1"


def test_a_house_sets_its_own_values_with_its_own_reason(tmp_path: Path) -> None:
    text = HEAD.format(book="portugal") + '[house.min_pack]\nvalue = 52\nreason = "we load deck by deck"\n'
    ours = load_rulebook(write(tmp_path, text))
    assert (ours.house.min_pack, ours.sources["house.min_pack"].reason) == (52, "we load deck by deck")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[equipment]\nplaces = { value = 8 }\n", "equipment.places = 8 (PT-E1); allowed: 6 or 7"),
        (
            "[equipment]\ndecks_allowed = { value = [5] }\n",
            "equipment.decks_allowed = [5] (PT-E2); "
            "allowed: a list of 1 to 8, each 4 or 6; the fewest first, none twice",
        ),
        (
            '[equipment]\nplaces = { value = 7, clause = "PT-E2" }\n',
            'equipment.places = { value = 7, clause = "PT-E2" } is not of the form { value = ... }',
        ),
        (
            "[loading]\nloadings_per_session = { value = 2 }\n",
            "loading.loadings_per_session is nothing to choose: the book fixes 1 (PT-A5); "
            "remove it: a house cannot override it",
        ),
        (
            "[loading]\nmin_packs = { value = 1 }\n",
            "loading.min_packs = 1 (PT-A5); allowed: from 2 to 8",
        ),
        (
            '[house.loading]\nmin_packs = { value = 3, reason = "three are safer" }\n',
            "house.loading.min_packs is no silence: the book says it (PT-A5); remove it",
        ),
        (
            "[burn]\nwith_shuffler = { value = 'one' }\n",
            'burn.with_shuffler is not said by the book; write it under [house] as { value = ..., reason = "..." }',
        ),
        (
            "[house.min_pack]\nvalue = 52\n",
            'house.min_pack = { value = 52 } is not of the form { value = ..., reason = "..." }',
        ),
        (
            "[extra_bets]\nsevens = { value = true }\n",
            "extra_bets.sevens is nothing that this book knows "
            "(Portugal: black jack with an automatic continuous shuffler); remove it",
        ),
        (
            '[permissions]\nPT-J1 = { days = ["said"] }\n',
            "what needs a permission is the book's to say; remove [permissions]",
        ),
    ],
)
def test_what_the_book_fixes_no_house_overrides(tmp_path: Path, text: str, told: str) -> None:
    path = write(tmp_path, HEAD.format(book="portugal") + text)
    assert refusal_of(path) == [told]


@pytest.mark.clause("LD-1")
@pytest.mark.parametrize(
    ("key", "value", "fixed"),
    [("decks_allowed", "[6]", "[8]"), ("decks_allowed", "[6, 8]", "[8]"), ("places_per_player", "2", "1")],
)
def test_a_live_table_has_eight_decks_and_a_place_for_each_player_and_no_choice(
    tmp_path: Path, key: str, value: str, fixed: str
) -> None:
    path = write(tmp_path, HEAD.format(book="live") + f"[equipment]\n{key} = {{ value = {value} }}\n")
    [line] = refusal_of(path)
    assert line.startswith(f"equipment.{key} is nothing to choose: the book fixes {fixed} (LD-1)")


def test_each_fault_of_a_houses_file_is_told_with_its_line_in_that_file(tmp_path: Path) -> None:
    text = "[equipment]\nplaces = { value = 8 }\n\n[loading]\nmin_packs = { value = 1 }\npresent = { value = 1 }\n"
    path = write(tmp_path, HEAD.format(book="portugal") + text)
    assert [line for line, _ in told_of(path)] == ["5", "8", "9"]


def test_a_house_extends_one_of_the_books_that_there_are(tmp_path: Path) -> None:
    [line] = refusal_of(write(tmp_path, HEAD.format(book="atlantis")))
    assert line.startswith('extends = "atlantis"; allowed: portugal or macau or ')


def test_choices_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    more = '[deal]\nprocedure = { value = "bank_second_late" }\n'
    lines = refusal_of(write(tmp_path, macau(more)))
    assert len(lines) == 1
    assert lines[0].startswith("contradiction: deal.bank_looks = true (MO-5e) and deal.procedure = ")


def test_a_fault_of_every_kind_is_told_at_once_and_none_follows_from_another(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEAD.format(book="macau")
        + """
[equipment]
places = { value = 30 }                              # what the clause does not allow
[deal]
procedure = { value = "bank_second_late" }           # a bank that looks at a card which it has not
[loadin]
[hands]
surrender = { value = false }                        # without a permission
[house.closing]
sort_decks = { value = false, reason = "no time" }   # what no procedure plays
[[permission]]
applied = 2026-04-01
choices = ["""
        + ", ".join(f'"{key}"' for key in NEEDING)
        + "]\n",
    )
    with pytest.raises(ConfigError) as raised:
        load_for_table(path)
    told = [line.partition("toml:")[2].partition(" ")[::2] for line in str(raised.value).splitlines()]
    begin = (
        ("9:", "unknown key loadin"),
        ("6:", "equipment.places = 30 (MO-1a); allowed: from 6 to 20"),
        ("14:", "permission 1: reference is missing"),
        ("14:", "permission 1: first_day is missing or no day"),
        ("8:", "contradiction: deal.bank_looks = true (MO-5e)"),
        ("11:", "hands.surrender = false is a choice that needs a permission (MO-21b)"),
        ("13:", "house.closing.sort_decks = false (the house's): this version plays only true"),
    )
    for line, words in begin:
        [found] = [one for one in told if one[1].startswith(words)]
        assert words.startswith("contradiction") or found[0] == line  # it stands at the first of its values
    assert len(told) == len(begin)


def test_the_readme_s_example_binds_a_table_as_it_is_printed(tmp_path: Path) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    [example] = [block for block in re.findall(r"```toml\n(.*?)```", readme, re.DOTALL) if "extends = " in block]
    book = load_for_table(write(tmp_path, example))
    assert (book.equipment.decks_allowed, book.house.min_pack) == ((6,), 52)


# ---- permissions


@pytest.mark.clause("MO-21a")
def test_a_house_in_macau_names_the_permission_of_every_choice_or_is_refused(tmp_path: Path) -> None:
    ours = load_rulebook(write(tmp_path, macau()))
    [permission] = ours.permissions
    assert (permission.reference, permission.choices) == ("DICJ 57/2026", tuple(NEEDING))
    assert permission.days == {"applied": datetime.date(2026, 4, 1), "first_day": datetime.date(2026, 4, 9)}
    for key in NEEDING:
        [line] = refusal_of(write(tmp_path, macau(choices=[other for other in NEEDING if other != key])))
        assert line.startswith(f"{key} = ")
        assert "needs a permission (MO-21a)" in line


@pytest.mark.clause("MO-21a")
def test_the_choices_of_these_articles_need_a_permission_and_no_others() -> None:
    articles = {source.id for key, source in BASE.sources.items() if source.needs == "MO-21a"}
    assert articles == {
        "MO-1a", "MO-1b", "MO-2b", "MO-2e", "MO-3a", "MO-4a", "MO-4b", "MO-5a2", "MO-5e", "MO-5f", "MO-5g", "MO-6a",
        "MO-10c", "MO-12", "MO-13a", "MO-13b", "MO-13c", "MO-16a", "MO-17a", "MO-20",
    }  # fmt: skip


@pytest.mark.clause("MO-21a")
def test_the_book_of_macau_alone_chooses_nothing_and_binds_no_table() -> None:
    assert load_rulebook("macau").permissions == ()
    with pytest.raises(ConfigError) as raised:
        load_for_table("macau")
    told = str(raised.value)
    assert all(f" {key} = " in told for key in NEEDING)


@pytest.mark.clause("MO-21a", "MO-21c")
@pytest.mark.parametrize(
    ("applied", "first_day", "days"),
    [
        ("2026-04-01", "2026-04-08", None),  # Thursday, Friday, Tuesday: Monday is a holiday
        ("2026-04-01", "2026-04-07", 2),
        ("2026-04-03", "2026-04-06", 0),  # a weekend between
        ("2026-04-13", "2026-04-17", None),  # Tuesday, Wednesday, Thursday
        ("2026-04-13", "2026-04-16", 2),
    ],
)
def test_three_working_days_lie_between_application_and_first_day(
    tmp_path: Path, applied: str, first_day: str, days: int | None
) -> None:
    permitted = PERMITTED.replace("2026-04-01", applied).replace("2026-04-09", first_day)
    path = write(tmp_path, macau(permitted=permitted))
    if days is None:
        assert load_rulebook(path).permissions
        return
    told = refusal_of(path)
    assert told[0] == (
        f"permission 1: {days} working days lie between applied = {applied} and first_day = {first_day}; "
        "allowed: 3 or more (MO-21a)"
    )


@pytest.mark.clause("MO-21b", "MO-21c", "PT-J1")
@pytest.mark.parametrize(
    ("book", "more", "key", "clause"),
    [
        ("macau", "[hands]\nspecial_prize = { value = false }\n", "hands.special_prize", "MO-21b"),
        ("macau", "[hands]\nsurrender = { value = false }\n", "hands.surrender", "MO-21b"),
        ("macau", "[extra_bets]\nperfect_pairs = { value = true }\n", "extra_bets.perfect_pairs", "MO-21c"),
        ("macau", "[extra_bets]\nstreaks = { value = true }\n", "extra_bets.streaks", "MO-21c"),
        ("macau", "[extra_bets]\nsevens = { value = true }\n", "extra_bets.sevens", "MO-21a"),
        ("portugal", "[jackpot]\noffered = { value = true }\n", "jackpot.offered", "PT-J1"),
    ],
)
def test_what_needs_a_permission_only_when_it_is_chosen_is_refused_without_and_taken_with(
    tmp_path: Path, book: str, more: str, key: str, clause: str
) -> None:
    text = macau(more) if book == "macau" else HEAD.format(book=book) + more
    [line] = refusal_of(write(tmp_path, text))
    assert line.startswith(f"{key} = ")
    assert f"needs a permission ({clause})" in line
    days = "approved = 2026-03-02" if book == "portugal" else "applied = 2026-03-02\nfirst_day = 2026-03-09"
    own = f'\n[[permission]]\nreference = "one more"\n{days}\nchoices = ["{key}"]\n'
    ours = load_rulebook(write(tmp_path, text + own))
    assert ours.permissions[-1].choices == (key,)


# ---- a book of its own


READS = 'reason = "before or behind the 50th card from the end is not said; both are as near as possible"'


def own_book(folder: Path) -> Path:
    """Return a whole file that reads the law's open words otherwise than our book does."""
    text = (FOLDER / "portugal.toml").read_text(encoding="utf-8").replace('id = "portugal"', 'id = "atlantis"', 1)
    assert f'value = 49, clause = "PT-S4", reading = "PT-X18", {READS}' in text
    return write(folder, text.replace("value = 49, ", "value = 48, "))


def test_a_whole_file_binds_no_table_by_itself(tmp_path: Path) -> None:
    path = own_book(tmp_path)
    book = load_rulebook(path)  # to be checked, compared, simulated
    assert book.is_own
    with pytest.raises(ConfigError) as raised:
        load_for_table(path)
    [line] = str(raised.value).splitlines()
    assert line.startswith(
        f"{path}:8: atlantis is a book of its own and binds no table by itself; let it extend one of "
    )
    assert not load_for_table("portugal").is_own
    assert not load_for_table(write(tmp_path, HEAD.format(book="portugal"))).is_own


def test_a_whole_file_binds_where_the_table_names_its_digest_and_is_called_what_it_is(tmp_path: Path) -> None:
    path = own_book(tmp_path)
    book = load_for_table(path, load_rulebook(path).digest)
    assert book.warning_card.cards_behind_least == 48
    assert book.title.endswith(", a book of its own")
    assert book.recorded_as == "atlantis, a book of its own"
    for one in (path, Path(FOLDER / "portugal.toml")):
        with pytest.raises(ConfigError, match=r"the digest of this rule book is \w{64}, and the table's is 0{64}"):
            load_for_table(one, "0" * 64)


def test_a_whole_file_overrides_no_law_whatever_digest_a_table_names(tmp_path: Path) -> None:
    path = own_book(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("loadings_per_session = { value = 1", "loadings_per_session = { value = 2"))
    with pytest.raises(ConfigError) as raised:
        load_for_table(path, hashlib.sha256(path.read_bytes()).hexdigest())
    told = str(raised.value).splitlines()[0]
    assert told.endswith(" loading.loadings_per_session = 2 (PT-A5); allowed: 1")


@pytest.mark.parametrize("text", [HEAD.format(book="spain"), (FOLDER / "macau.toml").read_text(encoding="utf-8")])
def test_no_file_goes_under_the_id_of_a_book_that_comes_with_the_product(tmp_path: Path, text: str) -> None:
    text = text.replace('id = "ours"', 'id = "macau"', 1).replace("value = 20", "value = 21")
    assert 'id = "macau" is that of a book that comes with the product; give this file an id of its own' in refusal_of(
        write(tmp_path, text + "# another\n")
    )


# ---- the days of a permission, and what else it names

PORTUGAL = HEAD.format(book="portugal") + "[jackpot]\noffered = { value = true }\n[[permission]]\n"


@pytest.mark.clause("PT-J1", "MO-21a")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PORTUGAL + 'approved = 2026-03-02\nchoices = ["jackpot.offered"]', "permission 1: reference is missing"),
        (
            PORTUGAL + 'reference = "  "\napproved = 2026-03-02\nchoices = ["jackpot.offered"]',
            "permission 1: reference is missing",
        ),
        (PORTUGAL + 'reference = "r"\nchoices = ["jackpot.offered"]', "permission 1: approved is missing or no day"),
        (
            PORTUGAL + 'reference = "r"\napproved = 2026-03-02T10:00:00\nchoices = ["jackpot.offered"]',
            "permission 1: approved is missing or no day",
        ),
        (PORTUGAL + 'reference = "r"\napproved = 2026-03-02', "permission 1: choices is missing"),
        (
            PORTUGAL + 'reference = "r"\napproved = 2026-03-02\nchoices = ["jackpot.offered", "cut.by"]',
            'permission 1: choices names "cut.by", which needs no permission; remove it',
        ),
        (
            PORTUGAL + 'reference = "r"\napproved = 2026-03-02\nfirst_day = 2026-03-02\nchoices = ["jackpot.offered"]',
            "permission 1: unknown key first_day; allowed: reference, choices, approved",
        ),
        (HEAD.format(book="portugal") + "permission = 1\n", "permission is no list of tables"),
        (macau(permitted=PERMITTED.replace("2026-04-09", "2026-04-01")), "permission 1: first_day = 2026-04-01 is not"),
        (macau(permitted=PERMITTED.replace("[2026-04-06]", '["monday"]')), 'holidays = ["monday"]; allowed: a list'),
        (macau(permitted=PERMITTED.replace("holidays = [2026-04-06]", "")), "permission 1: holidays is missing"),
        (
            macau() + '[[permission]]\nreference = "r"\napplied = 2026-03-02\nfirst_day = 2026-03-09\n'
            f'choices = ["{NEEDING[0]}"]\n',
            f'permission 2: choices names "{NEEDING[0]}", which permission 1 covers already',
        ),
        (
            macau() + '[[permission]]\nreference = "r"\napplied = 2026-03-02\nfirst_day = 2026-03-09\n'
            'choices = ["extra_bets.streaks", "hands.surrender"]\n',
            "permission 2: choices are of several clauses (MO-21b, MO-21c)",
        ),
    ],
)
def test_a_permission_that_is_not_whole_is_refused_with_what_it_lacks(tmp_path: Path, text: str, told: str) -> None:
    assert any(line.startswith(told) for line in refusal_of(write(tmp_path, text)))


@given(st.dates(datetime.date(2020, 1, 1), datetime.date(2030, 1, 1)), st.integers(0, 40))
def test_a_week_has_five_working_days_wherever_it_begins(first: datetime.date, weeks: int) -> None:
    last = first + datetime.timedelta(days=7 * weeks + 1)
    assert working_days_between(first, last, frozenset(), most=10**6) == 5 * weeks
    assert working_days_between(last, first, frozenset(), most=3) == 0


def test_permissions_stand_in_whole_books_too(tmp_path: Path) -> None:
    whole = (FOLDER / "portugal.toml").read_text(encoding="utf-8").replace('id = "portugal"', 'id = "whole"', 1)
    text = whole + '[[permission]]\nreference = "r"\napproved = 2026-03-02\nchoices = ["jackpot.offered"]\n'
    assert load_rulebook(write(tmp_path, text)).permissions[0].reference == "r"


@pytest.mark.clause("MO-21a")
def test_the_simulated_house_in_macau_has_a_permission_for_all_that_needs_one() -> None:
    house = load_rulebook(Path(commands.__file__).with_name("house_in_macau.toml"))
    assert list(without_permission(house)) == []
    assert {key: house.value_of(key) for key in house.sources} == {key: BASE.value_of(key) for key in BASE.sources}
