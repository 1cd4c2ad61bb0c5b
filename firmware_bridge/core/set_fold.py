"""The fold of what is about a set: its books, its counts, its decks, and what a batch shuffler made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from firmware_bridge.core import changes as c
from firmware_bridge.core.accounts import LOADING, is_dealt
from firmware_bridge.core.state import DeckResult, GoodCount, State
from firmware_bridge.core.words import Place


def _booked(state: State, change: c.Booked) -> None:
    cards = state.sets[change.set]
    cards.account.book(change)
    if is_dealt(change):
        for _ in range(change.count):
            state.dealt.add(change.face)
    if change.source is Place.OUTSIDE and change.target in (Place.MACHINE, Place.SHOE):
        _age(state, change.set)
    if change.target is Place.MACHINE:
        cards.filled_at = state.record
    if change.cause == LOADING:
        state.pack_cards += change.count
    elif change.cause == "burn":
        state.burned += change.count


def _age(state: State, name: str) -> None:
    """Its decks serve one session more, as the first of its cards is loaded (PT-E4)."""
    cards, first = state.sets[name], list(state.sets).index(name) * state.decks + 1
    if cards.played_in == state.session_number:
        return
    cards.played_in = state.session_number
    for deck in range(first, first + state.decks):
        state.deck_ages[deck] = state.deck_ages.get(deck, 0) + 1


def _full_count(state: State, change: c.FullCount) -> None:
    cards = state.sets[change.set]
    cards.counts_trusted = change.found == change.expected
    cards.last_count = (change.found, change.expected)
    cards.counted_at = state.record
    if change.found == change.expected > 0:  # a machine proven empty says nothing of the set
        cards.good_count = GoodCount(state.moment, cards.account.cards)


def _count_due(state: State, change: c.CountDue) -> None:
    state.sets[change.set].counts_trusted = False


def _deck_judged(state: State, change: c.DeckJudged) -> None:
    state.decks_read.append(
        DeckResult(change.deck, change.cards, change.missing, change.over, change.unread, change.by_person)
    )
    state.account.begin_deck()


def _deck_doubted(state: State, change: c.DeckDoubted) -> None:
    state.sets[change.set].account.begin_deck(change.read)


def _reading_ended(state: State, change: c.ReadingEnded) -> None:
    state.incidents[change.incident].reread = {}
    if change.faces:
        state.sets[change.set].account.out_faces = dict(change.faces)


def _verification_restarted(state: State, change: c.VerificationRestarted) -> None:
    state.earlier_decks += state.decks_read
    state.decks_read = []
    state.account.begin_deck()


def _set_marked(state: State, change: c.SetMarked) -> None:
    if change.deck and change.deck not in state.imperfect_decks:
        state.imperfect_decks.append(change.deck)
    state.authorisation = change.reference


def _deck_cleared(state: State, change: c.DeckCleared) -> None:
    state.imperfect_decks = [deck for deck in state.imperfect_decks if change.deck not in (0, deck)]
    state.authorisation = 0
    if change.renewed:
        state.deck_ages = {deck: age for deck, age in state.deck_ages.items() if change.deck not in (0, deck)}


def _laid_in(state: State, change: c.LaidIn) -> None:
    cards = state.sets[change.set]
    cards.passes, cards.faces_read, cards.backs_seen = [], None, None


def _pass_counted(state: State, change: c.PassCounted) -> None:
    state.sets[change.set].passes.append(change.cards)


def _faces_read(state: State, change: c.FacesRead) -> None:
    state.sets[change.set].faces_read = change


def _backs_seen(state: State, change: c.BacksSeen) -> None:
    state.sets[change.set].backs_seen = change


def _set_turned(state: State, change: c.SetTurned) -> None:
    state.playing = change.set


def _set_shuffled(state: State, change: c.SetShuffled) -> None:
    state.sets[change.set].shuffled_at = state.record
    if change.set == state.playing:
        state.dealt.shuffled()


OF_A_SET: Mapping[type[c.Change], Callable[[State, Any], None]] = MappingProxyType(
    {
        c.Booked: _booked,
        c.FullCount: _full_count,
        c.CountDue: _count_due,
        c.DeckJudged: _deck_judged,
        c.DeckDoubted: _deck_doubted,
        c.ReadingEnded: _reading_ended,
        c.VerificationRestarted: _verification_restarted,
        c.SetMarked: _set_marked,
        c.DeckCleared: _deck_cleared,
        c.LaidIn: _laid_in,
        c.PassCounted: _pass_counted,
        c.FacesRead: _faces_read,
        c.BacksSeen: _backs_seen,
        c.SetShuffled: _set_shuffled,
        c.SetTurned: _set_turned,
    }
)
"""What each of these changes moves."""
