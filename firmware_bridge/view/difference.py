"""A difference told in words: which cards, of which deck, since which good count, and over which rounds (PT-A6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from drivers.cards import DECK_SIZE, UNREAD, Face, face_name
from firmware_bridge.core.accounts import compare, net
from firmware_bridge.core.changes import DeckDoubted, DeckJudged
from firmware_bridge.core.state import DeckResult, SetOfCards, State
from firmware_bridge.core.words import EMPTIES_THE_MACHINE, Place, Session
from firmware_bridge.view.difference_texts import DIFFERENCES, TIMES
from firmware_bridge.view.phrases import cards, clock, listed

NAMED_AT_MOST = 12
"""Missing cards of a load that are named; of a load that was broken off most lie in their boxes."""

TOLD = frozenset({Session.DIFFERENCE, Session.CLOSED_WITH_DIFFERENCE})


def difference(state: State) -> tuple[str, ...]:
    """All that is known of a difference, a line a fact; nothing where none was found."""
    if not state.opened and state.session in EMPTIES_THE_MACHINE | {Session.EMPTIED, Session.NOT_OPENED}:
        return _wrong_load(state)
    irregular = [deck for deck in state.decks_read if not deck.regular]
    if not irregular and state.session not in TOLD:
        return ()
    lines = [deck_words(deck) for deck in irregular]
    if state.session in TOLD:
        lines += _unread_of(range(len(state.decks_read) + 1, state.all_decks + 1)) + _whole_set(state)
    return (*lines, since_good_count(state))


def _wrong_load(state: State) -> tuple[str, ...]:
    """What the load was: how many cards went in, and once they are out again, which were missing or over (PT-E2)."""
    account = state.account
    loaded = account.cards - account.at(Place.OUTSIDE) + account.at(Place.OVER)
    if not account.cards or not loaded:
        return ()
    lines = [DIFFERENCES["loaded"].format(found=loaded, cards=cards(account.cards))] if loaded != account.cards else []
    if state.session in EMPTIES_THE_MACHINE:
        return tuple(lines)  # their faces are seen as they come out
    read = sum(account.unloaded_faces.values())
    if UNREAD in account.unloaded_faces or read != account.at(Place.UNLOADED):
        return (*lines, DIFFERENCES["load_unread"])
    missing, over = compare(account.unloaded_faces, state.decks)
    if 0 < len(missing) <= NAMED_AT_MOST:
        lines.append(DIFFERENCES["lacks"].format(faces=_faces(Counter(missing))))
    if over:
        lines.append(DIFFERENCES["has_over"].format(faces=_faces(Counter(over))))
    return tuple(lines)


def deck_words(deck: DeckResult | DeckJudged) -> str:
    """What the verification found of one deck: ``deck 2: 7 of hearts twice, 9 of clubs missing``."""
    return DIFFERENCES["deck"].format(deck=deck.deck, faces=_findings(deck))


def doubt_words(doubted: DeckDoubted) -> str:
    """What a deck was read to be that is read once more: ``deck 2: 9 of hearts twice, 9 of clubs missing: one …``."""
    return DIFFERENCES["doubted"].format(deck=deck_words(doubted.read))


def machine_counted_out(state: State) -> str:
    """Beside decks that a person counted: how many cards the shoe itself saw come out; empty where a reader saw all."""
    if not any(deck.by_person for deck in state.decks_read):
        return ""
    accounts = [one.account for one in state.sets.values()]
    seen = sum(sum(account.unloaded_faces.values()) for account in accounts)
    return DIFFERENCES["came_out"].format(seen=seen, cards=cards(sum(account.cards for account in accounts)))


def since_good_count(state: State) -> str:
    """The last count of the whole set that agreed, and each round since; of two sets, each one's (SB-7)."""
    told = ((name, since_good_count_of(state, one)) for name, one in state.sets.items())
    return "; ".join((DIFFERENCES["of_set"].format(set=name) if name else "") + text for name, text in told)


def since_good_count_of(state: State, of: SetOfCards) -> str:
    """The last count of one set that agreed, and each round since."""
    good = of.good_count
    after = good.moment.record if good else 0
    rounds = [f"{one.number} ({clock(one.began.utc_ns)})" for one in state.rounds if one.began.record > after]
    told = listed(rounds) or DIFFERENCES["no_rounds"]
    if good is None:
        return DIFFERENCES["no_good"].format(rounds=told)
    return DIFFERENCES["last_good"].format(
        record=good.moment.record, at=clock(good.moment.utc_ns), cards=cards(good.cards), rounds=told
    )


def _findings(deck: DeckResult | DeckJudged) -> str:
    if deck.by_person:
        return DIFFERENCES["by_person"].format(cards=cards(deck.cards))
    found = _over(Counter(map(Face, deck.over)), 1) + _missing(Counter(map(Face, deck.missing)))
    if deck.unread:
        found.append(DIFFERENCES["unread"].format(cards=cards(deck.unread)))
    if not found:
        return DIFFERENCES["regular"].format(cards=cards(deck.cards))
    if deck.cards != DECK_SIZE:
        found.append(DIFFERENCES["not_full"].format(cards=cards(deck.cards)))
    return listed(found)


def _over(over: Counter[Face], due: int) -> list[str]:
    """Faces that came more often than they are due."""
    return [
        DIFFERENCES["over"].format(face=face_name(face), times=TIMES.get(due + count, f"{due + count} times"))
        for face, count in sorted(over.items())
    ]


def _missing(missing: Counter[Face]) -> list[str]:
    return [DIFFERENCES["missing"].format(face=_counted(face, count)) for face, count in sorted(missing.items())]


def _counted(face: Face, count: int) -> str:
    return face_name(face) if count == 1 else f"{count} x {face_name(face)}"


def _faces(faces: Counter[Face]) -> str:
    return listed(_counted(face, count) for face, count in sorted(faces.items()))


def _unread_of(decks: Iterable[int]) -> list[str]:
    return [DIFFERENCES["deck"].format(deck=deck, faces=DIFFERENCES["not_read"]) for deck in decks]


def set_difference(state: State, place: int) -> tuple[str, ...]:
    """All that is known of a difference in the set in this place; a table's only set has the table's."""
    if len(state.sets) == 1:
        return difference(state)
    own, first = state.decks_read[state.decks_of(place)], place * state.decks + 1
    irregular = [deck_words(deck) for deck in own if not deck.regular]
    unread = _unread_of(range(first + len(own), first + state.decks)) if state.session in TOLD else []
    if not (irregular or unread):
        return ()
    of = list(state.sets.values())[place]
    can_set_off = state.session in TOLD and not unread and not any(deck.unread or deck.by_person for deck in own)
    return (*irregular, *unread, *(_set_off(own) if can_set_off else ()), since_good_count_of(state, of))


def _whole_set(state: State) -> list[str]:
    """Decks set off against each other, as far as all were read: a card in the wrong deck is no lost card."""
    lines = []
    found, loaded = sum(deck.cards for deck in state.decks_read), sum(one.account.cards for one in state.sets.values())
    if found != loaded:
        lines.append(DIFFERENCES["total"].format(found=found, cards=cards(loaded)))
    if by_eye := machine_counted_out(state):
        lines.append(by_eye)
        if lost := state.cards_at(Place.MISSING):
            lines.append(DIFFERENCES["only_read"].format(cards=cards(lost)))
    if len(state.decks_read) < state.all_decks or by_eye or any(deck.unread for deck in state.decks_read):
        return lines
    for place, name in enumerate(state.sets):  # decks of two sets are not set off: a card that crossed is a difference
        own = state.decks_read[state.decks_of(place)]
        if not name:
            lines += _set_off(own)
        elif not all(deck.regular for deck in own):
            lines += [DIFFERENCES["of_set"].format(set=name) + line for line in _set_off(own)]
    return lines


def _set_off(decks: Sequence[DeckResult]) -> list[str]:
    """What a set lacks and has too many of, its decks set off against each other."""
    lines = []
    missing = [[Face(face) for face in deck.missing] for deck in decks]
    over = [[Face(face) for face in deck.over] for deck in decks]
    lacking, extra = net(missing, over)
    if lacking:
        lines.append(DIFFERENCES["lacks"].format(faces=_faces(lacking)))
    if extra:
        lines.append(DIFFERENCES["has_over"].format(faces=_faces(extra)))
    if not (lacking or extra):
        lines.append(DIFFERENCES["mixed"])
    return lines
