"""A house's own file extends a book: it chooses among what the book allows, with the permissions that this needs."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import load_for_table, load_rulebook
from firmware_bridge.rulebooks.loader import FIELDS
from tests.rulebooks.book_file import FOLDER, refusal_of, told_of
from tests.rulebooks.house_file import HEAD, NEEDING, macau, write

UNDER_HOUSE = ", ".join(sorted([*(key.partition(".")[2] for key in FIELDS["house"]), *(FIELDS.keys() - {"house"})]))
"""What may stand under [house]: its own values, and the subjects on which a law may be silent."""


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
            "equipment.places has clause, which has no place there; allowed: { value = ... }",
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
            '[house.house.min_pack]\nvalue = 52\nreason = "we load deck by deck"\n',
            f"unknown key house.house; remove it or correct its spelling (allowed here: {UNDER_HOUSE})",
        ),
        (
            '[house.loadin]\npresent = { value = "supervisor", reason = "the floor watches" }\n',
            f"unknown key house.loadin; remove it or correct its spelling (allowed here: {UNDER_HOUSE})",
        ),
        (
            '[house.min_pack]\nvalue = 52\nreson = "we"\nreason = "we load deck by deck"\n',
            'house.min_pack has reson, which has no place there; allowed: { value = ..., reason = "..." }, '
            "and perhaps reading",
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


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ('[deal]\nprocedure = { value = "bank_second_late" }\n', "6"),  # [deal] alone stands above it
        ("\n[house.entry_timeout_s]\nvalue = 60\nreason = 'slow'\n", "6"),
        ("[house.presence_interval_s]\nvalue = 30\nreason = 'quick'\n", "5"),  # the second of the row's values
    ],
)
def test_a_contradiction_has_the_line_of_the_first_of_its_values_that_stands_in_the_file(
    tmp_path: Path, more: str, line: str
) -> None:
    told = told_of(write(tmp_path, HEAD.format(book="macau") + "holidays = []\n" + more))
    assert [at for at, words in told if words.startswith("contradiction: ")] == [line]


@pytest.mark.parametrize("wrong", ["ours\\n[PT-A5]", "\\u001b[31mours", "", " ", "ours\\u0000"])
@pytest.mark.parametrize("key", ["id", "title"])
def test_what_a_book_is_called_is_one_line_that_can_be_shown(tmp_path: Path, key: str, wrong: str) -> None:
    head = re.sub(f'{key} = ".*"', lambda _: f'{key} = "{wrong}"', HEAD.format(book="portugal"))
    assert refusal_of(write(tmp_path, head)) == [f'{key} is missing or no line of text; write {key} = "..."']


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
        assert found[0] == line  # of a contradiction that of the first of its values that stands in this file
    assert len(told) == len(begin)


def test_the_readme_s_example_binds_a_table_as_it_is_printed(tmp_path: Path) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    [example] = [block for block in re.findall(r"```toml\n(.*?)```", readme, re.DOTALL) if "extends = " in block]
    book = load_for_table(write(tmp_path, example))
    assert (book.equipment.decks_allowed, book.house.min_pack) == ((6,), 52)


# ---- a book of its own


READS = 'reason = "before or behind the 50th card from the end is not said; both are as near as possible"'


def own_book(folder: Path) -> Path:
    """Return a whole file that reads the law's open words otherwise than our book does."""
    text = (FOLDER / "portugal.toml").read_text(encoding="utf-8").replace('id = "portugal"', 'id = "atlantis"', 1)
    assert f'value = 49, clause = "PT-S4", reading = "PT-X18", {READS}' in text
    return write(folder, text.replace("value = 49, ", "value = 50, "))


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
    assert book.warning_card.cards_behind_least == 50
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
