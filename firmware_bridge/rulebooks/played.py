"""What this version's procedures do with the values of a rule book: ask for them, play one of them, or await them.

Each value of the schema is in ``PLAYED`` or in ``AWAITED``, or a procedure or a screen asks for it; a test holds to
that. A book that says otherwise than ``PLAYED`` may be checked and compared, and binds no table. A value leaves this
file with the row or guard that asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from msgspec import Struct

from firmware_bridge.rulebooks.entries import said
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.toml_file import written


class OneWay(Struct, frozen=True):
    """The one way in which a value is played, and why there is no other with the machines that this version drives."""

    value: object
    why: str


PROVED_EMPTY = "what is taken out of the machine proves it empty (SB-4), and so ends a session; another one loads again"

PLAYED: Mapping[str, OneWay] = MappingProxyType(
    {
        "loading.loadings_per_session": OneWay(1, PROVED_EMPTY),
        "closing.taken_out_only_at_close": OneWay(True, PROVED_EMPTY),
        "house.after_emptying": OneWay("close_session", PROVED_EMPTY),
        "closing.sort_decks": OneWay(
            True, "a session ends verified or with a difference, and either rests on every deck sorted and read"
        ),
        "last_round.announced_with_continuous": OneWay(
            False, "each round's cards go back (PT-A10, MO-2g), so none is the last of a shoe (PT-A7)"
        ),
        "damaged_card.replaced": OneWay(
            "at_once", "a damaged card holds dealing until it is replaced: the table waits for no next shuffle"
        ),
    }
)
"""Values that no procedure asks for."""

OF_HANDS = "it bears on how hands lay or turn a card, which no device sees"
SCORES = "it bears on the value of hands, which the round scorer works out"
LAYOUT = "it bears on who bets at a place, which no device sees"
ONE_WAY = "there is one way: a deck that is marked imperfect opens no session (decks.imperfect_needs_authorisation)"
PAPER = "nobody can declare yet that play went on on paper; a full count is ordered by hand (step 32)"

AWAITED: Mapping[str, str] = MappingProxyType(
    {
        "equipment.places_per_player": LAYOUT,
        "deal.players_turn_cards": OF_HANDS,
        "deal.double_card_closed": OF_HANDS,
        "insurance.most_percent": SCORES,
        "hands.split_hands_most": SCORES,
        "hands.double_on": SCORES,
        "hands.original_bet_only_against_blackjack": SCORES,
        "hands.special_prize": SCORES,
        "hands.surrender": SCORES,
        "hands.bank_soft_17": SCORES,
        "bettors.most_on_one_place": LAYOUT,
        "bettors.decides": SCORES,
        "jackpot.start_in_bets": SCORES,
        "extra_bets.any_pair": SCORES,
        "extra_bets.sevens": SCORES,
        "extra_bets.over_under_13": SCORES,
        "extra_bets.perfect_pairs": SCORES,
        "extra_bets.streaks": SCORES,
        "extra_bets.streak_markers": LAYOUT,
        "house.damaged_deck_replaced": ONE_WAY,
        "house.power_cut": PAPER,
    }
)
"""Values on which nothing at a table of this version turns, each with the reason; a book may say what it likes."""


def not_played(book: RuleBook) -> Iterable[tuple[str, str]]:
    """Yield each value that the procedures play otherwise than the book says: its key, and words for people."""
    for key, only in PLAYED.items():
        if key in book.sources and (value := book.value_of(key)) != only.value:
            yield (
                key,
                f"{said(key, value, book.sources[key])}: this version plays only {written(only.value)}: {only.why}",
            )
