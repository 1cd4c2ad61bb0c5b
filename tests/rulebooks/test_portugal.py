"""The Portuguese book says what the Portuguese law says: every value beside its clause."""

from __future__ import annotations

import hashlib
import tomllib

import pytest

from firmware_bridge import rulebooks
from firmware_bridge.core.words import Role
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.rulebooks.loader import CLAUSES
from tests.rulebooks import book_file

LAW = [
    ("equipment.decks_allowed", (4, 6), "PT-E2"),
    ("decks.imperfect_needs_authorisation", True, "PT-E4"),
    ("cut.with_shuffler", False, "PT-A3"),
    ("opening.show_cards", True, "PT-A4"),
    ("opening.mix_by_hand", True, "PT-A4"),
    ("loading.min_packs", 2, "PT-A5"),
    ("loading.loadings_per_session", 1, "PT-A5"),
    ("loading.present", "supervisor", "PT-A5"),
    ("closing.unloading_present", "supervisor", "PT-A6"),
    ("closing.sort_decks", True, "PT-A6"),
    ("last_round.announced_with_continuous", False, "PT-A7"),
    ("closing.taken_out_only_at_close", True, "PT-A8"),
    ("rounds.used_cards_to_discard_at_once", True, "PT-A9"),
    ("rounds.discards_return_after_each", True, "PT-A10"),
    ("rounds.may_leave_in_discard", True, "PT-A11"),
    ("claims.until", "first_card_returned", "PT-A12"),
]

HOUSE = [
    ("opening.check_backs", True),
    ("house.burn_with_shuffler", 0),
    ("house.min_pack", 26),
    ("house.presence_interval_s", 60),
    ("house.round_card_limit", 60),
    ("house.return_window_s", 60),
    ("house.entry_timeout_s", 30),
    ("house.split_lag_s", 2),
    ("house.inventory_time_s", 120),
    ("house.flush_limit_ms", 2000),
    ("house.wrong_entries", 5),
    ("house.lock_out_s", 600),
    ("house.rounds_between_counts", 100),
    ("house.call_supervisor_after_s", 60),
    ("house.escalate_after_s", 300),
    ("house.after_emptying", "close_session"),
    ("house.damaged_deck_replaced", "before_next_session"),
    ("house.power_cut", "gap_and_full_count"),
    ("house.difference_signed_by", "room_manager"),
]


def value_at(book: rulebooks.RuleBook, key: str) -> object:
    section, field = key.split(".")
    return getattr(getattr(book, section), field)


@pytest.mark.clause(
    "PT-E2",
    "PT-E4",
    "PT-A3",
    "PT-A4",
    "PT-A5",
    "PT-A6",
    "PT-A7",
    "PT-A8",
    "PT-A9",
    "PT-A10",
    "PT-A11",
    "PT-A12",
)
@pytest.mark.parametrize(("key", "value", "clause"), LAW)
def test_the_law_is_in_the_book_under_its_clause(key: str, value: object, clause: str) -> None:
    book = load_rulebook("portugal")
    assert value_at(book, key) == value
    assert book.clause_of(key) == clause
    assert book.reason_of(key) == ""


@pytest.mark.parametrize(("key", "value"), HOUSE)
def test_where_the_law_is_silent_the_house_gives_a_reason_and_no_clause(key: str, value: object) -> None:
    book = load_rulebook("portugal")
    assert value_at(book, key) == value
    assert book.clause_of(key).startswith("house.")
    assert len(book.reason_of(key).split()) > 5


def test_no_value_of_the_book_is_left_out_of_these_tables() -> None:
    told = {key for key, _, _ in LAW} | {key for key, _ in HOUSE}
    assert told == set(load_rulebook("portugal").sources)


def test_every_clause_that_the_book_names_exists() -> None:
    book = load_rulebook("portugal")
    named = {source.id for source in book.sources.values() if not source.reason}
    assert named
    assert named <= CLAUSES


def test_the_roles_of_the_book_are_roles_of_people() -> None:
    book = load_rulebook("portugal")
    assert Role(book.loading.present) is Role.SUPERVISOR
    assert Role(book.closing.unloading_present) is Role.SUPERVISOR
    assert Role(book.house.difference_signed_by) is Role.ROOM_MANAGER


def test_the_digest_is_that_of_the_files_bytes() -> None:
    data = book_file.PORTUGAL.read_bytes()
    book = load_rulebook("portugal")
    assert book.digest == hashlib.sha256(data).hexdigest()
    assert (book.id, book.title) == ("portugal", tomllib.loads(data.decode())["title"])


def test_a_book_cannot_be_changed_once_read() -> None:
    book = load_rulebook("portugal")
    with pytest.raises(AttributeError):
        book.loading.min_packs = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        book.sources["loading.min_packs"] = book.sources["cut.with_shuffler"]  # type: ignore[index]
