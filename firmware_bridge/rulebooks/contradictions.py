"""Values that cannot stand together: one row each, with its keys, when it is so, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from firmware_bridge.rulebooks.schema import (
    ALL_IN_PLAY,
    BEFORE_BANK_LOOKS,
    FIRST_CARD_RETURNED,
    HOLE_CARD,
    NO_CARD,
    RuleBook,
)

DECK = 52
METAL_BOX, SHOE = "metal_box", "hand_fed_shoe"
MOST_WITH_HOLE_CARD = 5


class Contradiction(Struct, frozen=True):
    """What the values of ``keys`` must not say together."""

    keys: tuple[str, ...]
    holds: Callable[[RuleBook], bool]
    words: str


def _smallest_set(book: RuleBook) -> int:
    return DECK * min(book.equipment.decks_allowed)


def _is_law(book: RuleBook, key: str) -> bool:
    """Whether the law says this: what it ties to another choice a house that fills a silence may say freely."""
    return not book.sources[key].is_house


def _has_metal_box(book: RuleBook) -> bool:
    return METAL_BOX in book.equipment.machines_allowed


CONTRADICTIONS = (
    Contradiction(
        ("equipment.decks_allowed",),
        lambda book: list(book.equipment.decks_allowed) != sorted(set(book.equipment.decks_allowed)),
        "the numbers of decks stand once each, the fewest first",
    ),
    Contradiction(
        ("loading.min_packs", "house.min_pack", "equipment.decks_allowed"),
        lambda book: book.loading.min_packs * book.house.min_pack > _smallest_set(book),
        "so many packs of that many cards are more than the smallest set has; lower house.min_pack",
    ),
    Contradiction(
        ("house.round_card_limit", "equipment.decks_allowed"),
        lambda book: book.house.round_card_limit >= _smallest_set(book),
        "a round's limit that the smallest set cannot reach asks nobody; lower house.round_card_limit",
    ),
    Contradiction(
        ("house.sequence_warns_at", "house.sequence_holds_at"),
        lambda book: book.house.sequence_warns_at >= book.house.sequence_holds_at,
        "a warning at a length that holds the table anyway warns of nothing; lower house.sequence_warns_at",
    ),
    Contradiction(
        ("loading.loadings_per_session", "closing.taken_out_only_at_close"),
        lambda book: book.loading.loadings_per_session > 1 and book.closing.taken_out_only_at_close,
        "cards that stay in the machine until the table closes cannot be loaded a second time",
    ),
    Contradiction(
        ("last_round.announced_with_continuous", "closing.taken_out_only_at_close"),
        lambda book: book.last_round.announced_with_continuous and book.closing.taken_out_only_at_close,
        "a machine whose cards stay in until the table closes has no last round of the shoe to announce",
    ),
    Contradiction(
        ("rounds.may_leave_in_discard", "rounds.discards_return_after_each"),
        lambda book: book.rounds.may_leave_in_discard and not book.rounds.discards_return_after_each,
        "leaving cards in the discard is an exception to returning them; without that rule it allows nothing",
    ),
    Contradiction(
        ("claims.until", "rounds.discards_return_after_each"),
        lambda book: book.claims.until == FIRST_CARD_RETURNED and not book.rounds.discards_return_after_each,
        "claims end when a round's first card goes back in, and no card does",
    ),
    Contradiction(
        ("house.entry_timeout_s", "house.presence_interval_s"),
        lambda book: book.house.entry_timeout_s >= book.house.presence_interval_s,
        "an entry would outlast the time in which the one present must answer; lower house.entry_timeout_s",
    ),
    Contradiction(
        ("house.difference_signed_by", "closing.unloading_present"),
        lambda book: book.house.difference_signed_by == book.closing.unloading_present,
        "who was present at the unloading cannot alone sign what was missing (SB-3: two different people)",
    ),
    Contradiction(
        ("equipment.machines_allowed",),
        lambda book: len(set(book.equipment.machines_allowed)) != len(book.equipment.machines_allowed),
        "a machine stands once",
    ),
    Contradiction(
        ("warning_card.cards_behind_least", "warning_card.cards_behind_most"),
        lambda book: book.warning_card.cards_behind_least > book.warning_card.cards_behind_most,
        "the least is more than the most",
    ),
    Contradiction(
        ("warning_card.used", "warning_card.cards_behind_most", "equipment.decks_allowed"),
        lambda book: book.warning_card.used and book.warning_card.cards_behind_most >= _smallest_set(book),
        "so many cards behind the warning card leave none of the smallest set to play with",
    ),
    Contradiction(
        ("deal.bank_looks", "deal.procedure"),
        lambda book: book.deal.bank_looks and book.deal.procedure != HOLE_CARD,
        "a bank without a closed second card has nothing to look at",
    ),
    Contradiction(
        ("insurance.offered", "deal.bank_looks"),
        lambda book: book.insurance.offered == BEFORE_BANK_LOOKS and not book.deal.bank_looks,
        "insurance is offered until the bank looks at its closed card, and it never does",
    ),
    Contradiction(
        ("deal.player_card_closed", "deal.procedure"),
        lambda book: book.deal.player_card_closed != NO_CARD and book.deal.procedure != HOLE_CARD,
        "one of a player's cards is dealt closed only in the deal with the hole card",
    ),
    Contradiction(
        ("deal.players_turn_cards", "deal.procedure"),
        lambda book: book.deal.players_turn_cards and book.deal.procedure != HOLE_CARD,
        "players turn their cards themselves only in the deal with the hole card",
    ),
    Contradiction(
        ("hands.double_on", "hands.original_bet_only_against_blackjack"),
        lambda book: (
            _is_law(book, "hands.original_bet_only_against_blackjack")
            and book.hands.double_on != "eleven"
            and not book.hands.original_bet_only_against_blackjack
        ),
        "who doubles on any first two cards loses only the original bet to the bank's blackjack; it is a choice for 11",
    ),
    Contradiction(
        ("bettors.most_on_one_place", "bettors.decides"),
        lambda book: (
            _is_law(book, "bettors.most_on_one_place")
            and (book.bettors.most_on_one_place > 0) != (book.bettors.decides == "seated_or_nearest")
        ),
        "the bettors on a place are limited where the seated or the nearest one decides, and only there (0: no limit)",
    ),
    Contradiction(
        ("hands.split_hands_most", "deal.procedure"),
        lambda book: book.deal.procedure == HOLE_CARD and book.hands.split_hands_most > MOST_WITH_HOLE_CARD,
        "in the deal with the hole card a pair is split four times at most, into five hands",
    ),
    Contradiction(
        ("warning_card.used", "equipment.decks_allowed"),
        lambda book: (
            _is_law(book, "warning_card.used") and book.warning_card.used != (max(book.equipment.decks_allowed) > 1)
        ),
        "the card that marks the last round goes in where there is more than one deck, and only there",
    ),
    Contradiction(
        ("warning_card.used", "equipment.machines_allowed", "equipment.decks_allowed", "shuffle.at_dealers_wish"),
        lambda book: (
            SHOE in book.equipment.machines_allowed
            and (not book.warning_card.used or 1 in book.equipment.decks_allowed)
            and not book.shuffle.at_dealers_wish
        ),
        "a shoe without a mark of its last round, as one deck has none, is shuffled at the dealer's wish or never",
    ),
    Contradiction(
        ("equipment.machines_allowed", "equipment.decks_allowed"),
        lambda book: _has_metal_box(book) and book.equipment.decks_allowed != (1,),
        "the metal box deals one deck, no other number; a house with other tables too writes a file for these",
    ),
    Contradiction(
        ("equipment.machines_allowed", "shuffle.each_round_with_metal_box"),
        lambda book: _has_metal_box(book) and not book.shuffle.each_round_with_metal_box,
        "nobody can tell how many cards a metal box has left after a round: it serves one, and is shuffled after it",
    ),
    Contradiction(
        ("equipment.machines_allowed", "burn.before_each_later_round", "deal.procedure"),
        lambda book: (
            _has_metal_box(book) and (book.burn.before_each_later_round or book.deal.procedure == "bank_second_late")
        ),
        "the metal box serves one round: no card is burned before a later one, and the bank has no late second card",
    ),
    Contradiction(
        ("equipment.machines_allowed", "burn.before_bank_second_card"),
        lambda book: _has_metal_box(book) and book.burn.before_bank_second_card,
        "from the metal box the bank has both its cards before the players act: none is burned before its second",
    ),
    Contradiction(
        ("burn.before_bank_second_card", "house.unmarked_places"),
        lambda book: book.burn.before_bank_second_card and book.house.unmarked_places != ALL_IN_PLAY,
        "whether a card was burned before the bank's second shows only in a deal that is followed, so each one is",
    ),
    Contradiction(
        ("burn.before_bank_second_card", "deal.procedure"),
        lambda book: book.burn.before_bank_second_card and book.deal.procedure == HOLE_CARD,
        "a card is burned before the bank's second card only where that comes after the players acted, face up",
    ),
)
