"""What is asked at a table whose shoe is filled by hand, in words: steps, keys, and what is done or called by hand."""

from __future__ import annotations

from firmware_bridge.core.outputs import burn_due, mark_goes_unseen
from firmware_bridge.core.shoe import Shoe, span, warning_card_is_used
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import Ask
from firmware_bridge.core.words import ENDS, ROUND_RUNS, Place, Role, Session, Trigger
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import behind, source
from firmware_bridge.view import shoe_texts as words
from firmware_bridge.view.ask_line import AskLine, by_hand
from firmware_bridge.view.phrases import cards
from firmware_bridge.view.texts import Hand


def shoe_deed(ask: Ask, state: State, book: RuleBook) -> str:
    """What a step or key means at such a table; empty where it means what it means everywhere."""
    if not state.fed_by_hand:
        return ""
    if state.has_box and (of_box := _BOX_DEEDS.get((state.session, ask.trigger)) or _BOX_STEPS.get(ask.trigger)):
        is_burned = of_box == words.BEGIN and burn_due(state, book)
        return (words.BURN_AND_BEGIN if is_burned else of_box).format_map(_facts(state, book))
    text = _DEEDS.get(ask.trigger, "")
    if state.session is Session.CUTTING and ask.trigger is Trigger.YES:
        text = words.CUT_YOURSELF if book.cut.dealer_may and book.cut.by != "dealer" else words.CUT
    elif state.session is Session.FILLING_SHOE and ask.trigger is Trigger.YES:
        text = words.MARK_AND_FILL if warning_card_is_used(book, state.decks) else words.FILL
    elif state.session is Session.UNLOADING and ask.trigger is Trigger.CONFIRM_EMPTY:
        text = words.LOOKED
    return text.format_map(_facts(state, book))


_DEEDS: dict[Trigger, str] = {
    Trigger.CUT: words.CUT_FOR_NOBODY,
    Trigger.ONE_PLAYER: words.MIDDLE,
    Trigger.SHUFFLE_MACHINE: words.SHUFFLE,
    Trigger.STOP_PLAY: words.STOP,
}


_BOX_DEEDS: dict[tuple[Session, Trigger], str] = {
    (Session.FILLING_SHOE, Trigger.YES): words.FILL_BOX,
    (Session.READY, Trigger.YES): words.BEGIN,
    (Session.EMPTYING_SHOE, Trigger.YES): words.COUNT_BOX,
    (Session.EMPTYING_SHOE, Trigger.NO_CARDS_LEFT): words.BOX_IS_SHORT,
    (Session.UNLOADING, Trigger.CONFIRM_EMPTY): words.LOOKED_INTO_BOX,
}
"""What a key or step means where cards are dealt from a metal box, by where the session stands."""

_BOX_STEPS: dict[Trigger, str] = {
    Trigger.CONFIRM_SHOE_EMPTY: words.BOX_EMPTIED,
    Trigger.SHUFFLE_MACHINE: words.SHUFFLE_BOX,
}
"""The same, wherever it stands."""


def _facts(state: State, book: RuleBook) -> dict[str, str]:
    wanted = span(Shoe(), book)
    begins_anew = book.cut.by == "player_in_rotation" and state.shoe.in_turn == 0
    return {
        "whose": words.FIRST_IN_ROTATION if begins_anew else words.WHOSE_CUT[book.cut.by],
        "cut": source(book.clause_of("cut.by")),
        "nobody": source(book.clause_of("cut.if_nobody_wants")),
        "full": source(behind(book, "PT-E2")),
        "behind": str(wanted.least) if wanted.least == wanted.most else f"{wanted.least} to {wanted.most}",
        "mark": source(book.clause_of("warning_card.cards_behind_least")),
        "middle": source(book.clause_of("warning_card.middle_for_one_player")),
        "left": cards(max(0, state.account.at(Place.SHOE))),
        "stop": source(book.clause_of("shuffle.when_play_stops")),
        "all": cards(state.account.cards),
        "burn": source(book.clause_of("burn.with_shoe")),
        "one_round": source(book.clause_of("shuffle.each_round_with_metal_box")),
        "announced": source(book.clause_of("last_round.announced_with_shoe")),
        "taken_out": source(book.clause_of("warning_card.taken_out")),
        "which": words.THIS_ROUND if state.session in ROUND_RUNS else words.NEXT_ROUND,
    }


def shoe_lines(state: State, book: RuleBook) -> list[AskLine]:
    """What is done by hand: the last round is called, what was not dealt is drawn out."""
    facts, left = _facts(state, book), state.account.at(Place.SHOE)
    if state.session in ENDS and mark_goes_unseen(state, book):
        return [by_hand(Role.TECHNICIAN, Hand.MIND, words.MARK_UNSEEN.format_map(facts))]
    if state.has_box:
        alone = by_hand(Role.DEALER, Hand.MIND, words.ONE_ROUND.format_map(facts), due=False)
        return [alone] if state.session in ROUND_RUNS and book.shuffle.each_round_with_metal_box else []
    if state.fed_by_hand and state.session is Session.EMPTYING_SHOE and left > 0:
        return [by_hand(Role.DEALER, Hand.DRAW_CARDS, words.DRAW_OUT.format_map(facts), left)]
    has_come = state.shoe.behind is not None  # else few cards are left, by count
    may_follow = {Session.READY} if state.fed_by_hand else set()  # a machine's set deals no round after it was marked
    if not state.shoe.marked_at or state.session not in ROUND_RUNS | may_follow:
        return []
    texts = [words.TAKE_OUT] if has_come and book.warning_card.taken_out else []
    if book.last_round.announced_with_shoe:
        texts.append(words.ANNOUNCE if has_come else words.FEW_ARE_LEFT)
    return [by_hand(Role.DEALER, Hand.MIND, text.format_map(facts), due=False) for text in texts]
