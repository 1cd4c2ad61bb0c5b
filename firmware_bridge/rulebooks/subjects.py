"""What a step of the procedures stands on in another book than the one by whose clause its row is named."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.rulebooks.catalogue import catalogue
from firmware_bridge.rulebooks.schema import RuleBook

SUBJECTS: Mapping[str, str] = {
    "PT-E2": "equipment.decks_allowed",
    "PT-E4": "decks.imperfect_needs_authorisation",
    "PT-S1": "opening.show_cards",
    "PT-S2": "cut.by",
    "PT-S3": "cut.by",
    "PT-S4": "warning_card.used",
    "PT-S5": "burn.with_shoe",
    "PT-S6": "last_round.warning_card_between_rounds",
    "PT-S7": "last_round.warning_card_between_rounds",
    "PT-S8": "shuffle.when_play_stops",
    "PT-A1": "damaged_card.replaced_by",
    "PT-A2": "jam.lid_opened_by",
    "PT-A3": "cut.with_shuffler",
    "PT-A4": "opening.show_cards",
    "PT-A5": "loading.present",
    "PT-A6": "closing.unloading_present",
    "PT-A8": "closing.taken_out_only_at_close",
    "PT-A9": "rounds.used_cards_to_discard_at_once",
    "PT-A10": "rounds.discards_return_after_each",
    "PT-A11": "rounds.may_leave_in_discard",
    "PT-A12": "claims.until",
    "PT-D1": "deal.procedure",
    "MO-2e": "shuffle.at_dealers_wish",  # on these Portugal's law is silent
    "MO-4a": "burn.with_shuffler",
    "MO-1b": "equipment.machines_allowed",
    "MO-2f": "shuffle.each_round_with_metal_box",
    "MO-5c": "deal.procedure",
}
"""By the clause that the product names (rows, refusals, alarms, duties), the value that says the same in every book."""


def behind(book: RuleBook, clause: str) -> str:
    """Return the clause or house value of a book on which stands what the product names by ``clause``.

    The name is a Portuguese clause, or a value of the book by its key (``notices.damaged_card``). Our own integrity
    rules hold in every book and stand for themselves, and so does what is looked up already.
    """
    key = SUBJECTS.get(clause, clause)
    if key not in book.sources:
        return clause
    return clause if clause in book.sources[key].also else book.clause_of(key)


def read_as(book: RuleBook, key: str) -> str:
    """Return how a book reads open words of its law, where the value does not tell; empty where it tells all."""
    source = book.sources[key]
    untold = [one for one in source.readings if not catalogue().readings[one].about[key]]
    return f"{', '.join(untold)}: {source.reason}" if untold and not source.is_house else ""


def source(clause: str) -> str:
    """Return what people read of what stands behind a value: a clause, or the house's (``house: min_pack``)."""
    return clause.replace("house.", "house: ", 1)
