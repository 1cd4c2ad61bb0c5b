"""What a row of the hand-fed shoe writes down when it fires: the cut, the filling, the warning card, the count."""

from __future__ import annotations

from firmware_bridge.core import changes as c
from firmware_bridge.core.accounts import IN_HAND
from firmware_bridge.core.machine import Facts
from firmware_bridge.core.procedures.effects import Changes, all_of, is_open, person_of
from firmware_bridge.core.procedures.guards.shoe import IN_HANDS, all_came_out
from firmware_bridge.core.shoe import Span, is_overdue, span, warning_card_is_used
from firmware_bridge.core.words import IncidentKind, Place


def cut_by_player(facts: Facts) -> Changes:
    """The player whose right it was has cut: the next shoe's is the next player's in order."""
    del facts
    yield c.CardsCut()


def cut_for_nobody(facts: Facts) -> Changes:
    """No player wanted to cut: another did, and the next shoe is begun as at the start (PT-S3)."""
    yield c.CardsCut(person_of(facts))


def fill(facts: Facts) -> Changes:
    """All cards went into the shoe, the warning card placed for several players."""
    return _fill(facts, one_player=False)


def fill_for_one_player(facts: Facts) -> Changes:
    """The same, the warning card placed for a single player."""
    return _fill(facts, one_player=True)


def _fill(facts: Facts, *, one_player: bool) -> Changes:
    """Shuffled and cut by hand, they are dealable; the first time in a session, the session is open on them."""
    account = facts.state.account
    yield from all_of(facts, IN_HANDS, Place.SHOE, "laid into the shoe")
    yield c.ShoeFilled(account.cards, one_player)
    yield c.SetShuffled()
    if not facts.state.opened:
        yield c.Opened(account.cards)


def burn_and_open_box(facts: Facts) -> Changes:
    """The dealer says that he burned what is due before the round: a metal box tells of no card."""
    due = facts.book.burn.cards_with_shoe(facts.state.decks)
    yield c.Booked(Place.SHOE, Place.DISCARD, due, "burn")
    yield c.Booked(Place.SHOE, Place.TABLE, facts.state.account.at(Place.SHOE) - due, IN_HAND)


def open_box(facts: Facts) -> Changes:
    """A metal box is dealt from, or emptied: which of its cards are out nobody can tell until all are counted."""
    return all_of(facts, (Place.SHOE,), Place.TABLE, IN_HAND)


def watch_shoe(facts: Facts) -> Changes:
    """A card leaves the shoe in play: the warning card may be overdue after it, and no card left for the round."""
    state = facts.state
    if not state.fed_by_hand:
        return
    left = state.account.at(Place.SHOE) - 1
    if is_overdue(state.shoe, facts.book, state.decks, left):
        yield c.ShoeMarked(left, came=False)
        yield c.Raised(
            IncidentKind.SPECIAL_CARD, "", f"the warning card has not come, and {left} cards are left: {_due(facts)}"
        )


def mark_by_count(facts: Facts) -> Changes:
    """A machine's pack has no warning card, and its cards are counted: the round in which so few are left is its last."""
    state, left = facts.state, facts.state.account.at(Place.SHOE) - 1
    used = state.takes_whole_sets and warning_card_is_used(facts.book, state.decks)
    if used and not state.shoe.marked_at and left <= facts.book.warning_card.cards_behind_most:
        yield c.ShoeMarked(left, came=False, counted=True)


def watch_round(facts: Facts) -> Changes:
    """The shoe is dealt to its last card in a round: what becomes of the round is the supervisor's to say (BR-022)."""
    if (
        not facts.state.takes_single_cards
        and facts.state.account.at(Place.SHOE) == 1
        and not is_open(facts, IncidentKind.ROUND_CUT)
    ):
        yield c.Raised(IncidentKind.ROUND_CUT, "", "the shoe is empty in a round: no card comes any more")


def note_warning_card(facts: Facts) -> Changes:
    """The warning card came: where it lay is checked now, and the round under way, or the next one, is the last."""
    state = facts.state
    behind, wanted = state.account.at(Place.SHOE), span(state.shoe, facts.book)
    yield c.ShoeMarked(behind, came=True)
    if not wanted.holds(behind) and state.shoe.marked_at == 0:
        yield c.Raised(
            IncidentKind.SPECIAL_CARD, "", f"the warning card came with {behind} cards behind it: {_due(facts)}"
        )


def _due(facts: Facts) -> str:
    wanted: Span = span(facts.state.shoe, facts.book)
    least, most = wanted.least, wanted.most
    cards = str(least) if least == most else f"{least} to {most}"
    return f"{cards} belong behind it, give or take {wanted.tolerance}"


def note_unplayed_warning_card(facts: Facts) -> Changes:
    """It came while what was not dealt is drawn out: it marks no round any more."""
    yield c.ShoeMarked(facts.state.account.at(Place.SHOE), came=True)


def count_set(facts: Facts) -> Changes:
    """All cards came out: that is a count of the whole set (SB-7)."""
    cards = facts.state.account.cards
    yield c.FullCount(cards, cards)


def set_differs(facts: Facts) -> Changes:
    """What came out is not the set: neither books nor count are believed, and every card is read (SB-7, BR-015)."""
    refusal = all_came_out(facts)
    yield c.FullCount(facts.state.account.out, facts.state.account.cards)
    if refusal is not None and not is_open(facts, IncidentKind.COUNT_MISMATCH):
        yield c.Raised(IncidentKind.COUNT_MISMATCH, "", refusal.reason)


def deck_differs(facts: Facts) -> Changes:
    """The deck was counted by hand and is not whole, and no card is found: every card is looked at (SB-7)."""
    if not is_open(facts, IncidentKind.COUNT_MISMATCH):
        yield c.Raised(
            IncidentKind.COUNT_MISMATCH, "", f"counted by hand, the cards are not {facts.state.account.cards}"
        )


def stop_play(facts: Facts) -> Changes:
    """Play stopped for want of players or of bets."""
    del facts
    yield c.PlayStopped()
