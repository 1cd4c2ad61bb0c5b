"""What people mind at the table that no device sees, as the book has it: asked of them by the screen.

The dealer answers for a round with ROUND OVER, the supervisor for the call with what he confirms (who and when is in
their records). Nobody waits for a line of these: a table cannot know a hand.
"""

from __future__ import annotations

from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.state import State
from firmware_bridge.core.words import ROUND_RUNS, IncidentKind, Role, Session
from firmware_bridge.rulebooks.schema import HOLE_CARD, RuleBook
from firmware_bridge.rulebooks.subjects import read_as, source
from firmware_bridge.view.ask_line import AskLine, by_hand
from firmware_bridge.view.play_texts import (
    BEFORE_A_ROUND,
    IN_A_ROUND,
    OF_A_WRONG_DEAL,
    OF_A_WRONG_HOLE_CARD,
    OF_THE_JACKPOT_IN_A_ROUND,
    Words,
)
from firmware_bridge.view.texts import Hand

WORDS: tuple[Words, ...] = (
    BEFORE_A_ROUND,
    IN_A_ROUND,
    OF_THE_JACKPOT_IN_A_ROUND,
    OF_A_WRONG_DEAL,
    OF_A_WRONG_HOLE_CARD,
)
"""All that is asked here."""


def play_lines(state: State, book: RuleBook) -> list[AskLine]:
    """Return what the dealer minds before and in a round, and the supervisor who was called into one."""
    has_jackpot = book.jackpot is not None and book.jackpot.offered
    if state.session is Session.READY and not why_not_deal(state):
        return _lines(BEFORE_A_ROUND, book, Role.DEALER) if has_jackpot else []
    if state.session not in ROUND_RUNS:
        return []
    lines = _lines(IN_A_ROUND, book, Role.DEALER)
    lines += _lines(OF_THE_JACKPOT_IN_A_ROUND, book, Role.DEALER) if has_jackpot else []
    if any(one.kind is IncidentKind.SUPERVISOR_CALLED for one in state.incidents.values()):
        lines += _lines(OF_A_WRONG_DEAL, book, Role.SUPERVISOR)
        lines += _lines(OF_A_WRONG_HOLE_CARD, book, Role.SUPERVISOR) if book.deal.procedure == HOLE_CARD else []
    return lines


def _lines(words: Words, book: RuleBook, role: Role) -> list[AskLine]:
    return [
        by_hand(role, Hand.MIND, f"{text}{_so_read(book, key)} [{source(book.clause_of(key))}]", due=False)
        for key, by_value in words.items()
        if (text := by_value.get(book.value_of(key)))
    ]


def _so_read(book: RuleBook, key: str) -> str:
    """What the book adds where its law's words are open and the value does not tell how they are read."""
    reading = read_as(book, key)
    return f" ({reading})" if reading else ""
