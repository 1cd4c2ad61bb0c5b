"""What people mind at the table that no device sees, in words: by the key of the book's value, then by the value.

A value without words asks for nothing. The clause, or the house, is put behind the words.
"""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, Mapping[object, str]]

BEFORE_A_ROUND: Words = {
    "jackpot.collected_before_deal": {
        True: 'at "no more bets" take one jackpot chip from each who bet on it, and only then deal',
    },
    "jackpot.collection": {
        "automatic": "start the collection of the jackpot's chips; the display counts up by itself",
        "by_hand": "put a marker in the place of each jackpot chip, and count the display up",
    },
}
"""Of the jackpot, where the book has one offered."""

IN_A_ROUND: Words = {
    "deal.totals_called": {True: "call each player's total, from the left, and wait for his choice"},
    "deal.only_dealer_holds_cards_when_all_stand": {True: "where all who bet are standing, nobody else holds cards"},
    "deal.bank_looks": {
        True: "with an ace (insurance closed) or a ten-value card open, look at the bank's closed card at once",
    },
    "deal.busted_hands_collected_at_once": {True: "a hand over 21 is collected at once, into the discard"},
    "insurance.offered": {
        "after_second_cards": "the bank shows an ace: offer insurance when the second cards lie",
        "before_first_drawn_card": "the bank shows an ace: offer insurance to all at once, before any third card",
        "before_bank_looks": "the bank shows an ace: offer insurance before the bank looks at its closed card",
    },
}
"""Of the round that is dealt."""

OF_THE_JACKPOT_IN_A_ROUND: Words = {
    "jackpot.winning_cards_stay_open": {True: "cards that win the jackpot stay open on the table until it is paid"},
}
"""Of the round that is dealt, where a jackpot is offered."""

OF_A_WRONG_DEAL: Words = {
    "wrong_deal.remedy": {
        "put_right_else_void": "a wrong deal: put it right at once; if that cannot be, all cards of the round are void",
        "void_round": "a wrong deal: the round is void",
        "supervisor_decides": "a wrong deal: you decide",
    },
    "wrong_deal.exposed_card": {"void": "an exposed card: void", "played": "an exposed card: played"},
    "wrong_deal.first_card_exposed": {
        "void": "the first card of the game, exposed: void",
        "played": "the first card of the game, exposed: played",
    },
    "wrong_deal.unwanted_card_unseen": {
        "next_who_asks_then_bank": "a card that a player did not want, unseen: the next who asks has it, else the bank",
        "void": "a card that a player did not want, unseen: void",
        "round_void": "a card that a player did not want, unseen: the round is void",
        "supervisor_decides": "a card that a player did not want, unseen: you decide",
    },
    "wrong_deal.unwanted_card_seen": {
        "void": "a card that a player did not want, seen: void, to the discard",
        "round_void": "a card that a player did not want, seen: the round is void",
        "supervisor_decides": "a card that a player did not want, seen: you decide",
    },
    "wrong_deal.bank_card_too_many": {
        "void": "a card too many for the bank: void, to the discard",
        "valid_while_closed": "a card too many for the bank: valid while it lies closed",
        "round_void": "a card too many for the bank: the round is void",
        "supervisor_decides": "a card too many for the bank: you decide",
    },
}
"""For the supervisor whom the dealer called during a round."""

OF_A_WRONG_HOLE_CARD: Words = {
    "wrong_deal.bank_second_card_turned": {
        "void": "the bank's second card, turned: to the discard, and another is drawn",
        "played": "the bank's second card, turned: played",
    },
}
"""For him too, where the bank's second card is dealt closed: in any other deal it lies open by rule."""
