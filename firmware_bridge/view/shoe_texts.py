"""The English words of a shoe that is filled by hand, beside ``texts.py``; its clause is put behind each."""

from __future__ import annotations

from firmware_bridge.core.words import Trigger

OF_SHOES: dict[Trigger, str] = {
    Trigger.ONE_PLAYER: "say that the warning card lies in the middle, for a single player",
    Trigger.STOP_PLAY: "say that play has stopped",
}
"""Steps, as ``texts.TRIGGERS``."""

WHOSE_CUT: dict[str, str] = {
    "player_in_rotation": "the next player in order after the one who cut before",
    "any_player": "a player who wants to",
    "player_named_by_dealer": "a player whom you name",
    "dealer": "you",
}
"""Who has the right to cut, by the book's value."""

FIRST_IN_ROTATION = "the player in the lowest-numbered occupied place"
CUT = "offer the cut to {whose}; press YES when the cards are cut [{cut}]"
CUT_YOURSELF = "offer the cut to {whose}; if nobody wants to, cut yourself; press YES when the cards are cut [{cut}]"
CUT_FOR_NOBODY = "if no player wants to: cut the cards, and say so; the next shoe is begun as at the start [{nobody}]"

FILL = "lay all cards into the shoe, and press YES [{full}]"
MARK_AND_FILL = (
    "place the warning card with {behind} cards behind it, lay all cards into the shoe, and press YES [{mark}]"
)
MIDDLE = "if a single player is at the table: have the warning card placed in the middle, and say so [{middle}]"

LOOKED = "confirm that you looked into the shoe and it is empty"
SHUFFLE = "have all cards drawn out, counted and shuffled anew [SB-9]"
STOP = "if nobody plays: end this shoe, and have all cards spread face up [{stop}]"
DRAW_THE_REST = "draw what still comes from the shoe; when none comes, the supervisor looks into it"
DRAW_OUT = "draw what was not dealt from the shoe, to the discard: {left}"

FILL_BOX = "lay all cards into the box, and press YES [{full}]"
BURN_AND_BEGIN = "press YES when a card is burned, to the discard: the round begins [{burn}]"
BEGIN = "press YES as the round begins: the box tells of no card"
COUNT_BOX = (
    "take what is left out of the box, count all cards by hand, and press YES when there are {all} [{one_round}]"
)
BOX_IS_SHORT = "if the count is not {all}, and no card is found: say that no cards are left [SB-7]"
LOOKED_INTO_BOX = "have what is left taken out of the box, and confirm that you looked into it and it is empty"
BOX_EMPTIED = "take all cards out of the box, and confirm it empty (by the books {left} in it)"
SHUFFLE_BOX = "have all cards taken out of the box, counted and shuffled anew [SB-9]"
ONE_ROUND = "the box serves this round alone: what it has left is known only when all cards are counted [{one_round}]"

MARK_UNSEEN = "this shoe reads no face, and its warning card would pass unseen: connect one that reads [{mark}]"
ANNOUNCE = "the warning card is out: announce aloud that {which} is the last of this shoe [{announced}]"
FEW_ARE_LEFT = "{left} are left in the shoe: announce aloud that {which} is the last of it [{announced}]"
TAKE_OUT = "take the warning card out, and lay it aside [{taken_out}]"
THIS_ROUND, NEXT_ROUND = "this round", "the round that begins now"

OUT_OF_SHOE = (
    "say that the set is to be counted: it is when all cards come out of the shoe, at step 61 between rounds",
    "all cards are counted as they come out of the shoe, at step 61 between rounds",
)
"""How an incident has all cards counted: what is asked for it, and what is awaited."""

GATHER = "gather every card, look on the floor and in the well; press ROUND OVER if a round is under way"
