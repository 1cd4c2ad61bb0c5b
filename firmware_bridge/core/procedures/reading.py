"""What a reader's word comes to, of a sorted deck and of cards that lie open: guards and effects of what is read again.

A reader that takes one card for another tells a face too many and another missing, and a number that is right. So such
a deck is read once more before anything is written down of it: read right, the reader was wrong; read the same, a card is
in the wrong deck, or none of this set (BR-016). In play it is what lies open that is read again (BR-005).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from drivers.cards import ALL_FACES, DECK_SIZE, UNREAD, Face, face_name
from drivers.protocol.messages import CardDrawn
from firmware_bridge.core import changes as c
from firmware_bridge.core.accounts import LYING, OUT, compare
from firmware_bridge.core.events import Acted, Told
from firmware_bridge.core.machine import Facts, Refusal
from firmware_bridge.core.outputs import cards_lie_open, tray_takes_what_is_out
from firmware_bridge.core.words import IN_PLAY, ROUND_RUNS, IncidentKind, Place

Changes = Iterable[c.AnyChange]


def deck_under_way(facts: Facts) -> int:
    """Number of the deck that is read now."""
    return len(facts.state.decks_read) + 1


def judge(facts: Facts) -> c.DeckJudged:
    """The judgement of the deck just read: what it lacks and has too many of against one full deck."""
    read = {face: count for face, count in facts.state.account.deck_faces.items() if face}
    unread = facts.state.account.deck_faces.get(UNREAD, 0)
    missing, over = compare(read, 1)
    return c.DeckJudged(deck_under_way(facts), sum(read.values()) + unread, missing, over, unread, by_person=False)


def one_read_may_be_wrong(facts: Facts) -> Refusal | None:
    """Fires at the first reading of a deck of 52 in which a single face is missing: a misread, or an unread card."""
    this = judge(facts)
    if facts.state.account.doubted is None and this.cards == DECK_SIZE and len(this.missing) == 1:
        return None
    return Refusal("closing.sort_decks", "the deck was read again, or more than one read of it would be wrong")


def doubt_deck(facts: Facts) -> Changes:
    """The deck is as if it had not been read: nothing of it is missing or over before it was read again."""
    this = judge(facts)
    yield c.DeckDoubted(this)
    yield c.Booked(Place.VERIFIED, Place.UNLOADED, this.cards, "read again")


def judge_deck(facts: Facts) -> Changes:
    """Write the judgement down; a deck that was doubted and is regular was misread (BR-016)."""
    this = judge(facts)
    yield this
    yield from turned(facts, this.deck)
    regular = not (this.missing or this.over or this.unread)
    if regular and facts.state.account.doubted is not None and isinstance(facts.event, Told):
        yield c.Raised(IncidentKind.MISREAD, facts.event.device, f"deck {this.deck}: one card was read wrongly")


def judge_set(facts: Facts) -> Changes:
    """The last deck, and what decks come to together: a face that a whole set has too often is a foreign card in it."""
    state, this = facts.state, judge(facts)
    judged = [*((deck.missing, deck.over) for deck in state.decks_read), (this.missing, this.over)]
    yield from judge_deck(facts)
    for place, name in enumerate(state.sets):
        read: Counter[Face] = Counter()
        for missing_of_it, over_of_it in judged[state.decks_of(place)]:
            read += Counter(ALL_FACES) - Counter(map(Face, missing_of_it)) + Counter(map(Face, over_of_it))
        missing, over = (Counter(faces) for faces in compare(read, state.decks))
        if over:
            lacks = f"; it lacks: {_faces(missing)}" if missing else ""
            detail = f"set {name} has too many" if name else "the set has too many"
            yield c.Raised(IncidentKind.FOREIGN_CARD, "", f"{detail}: {_faces(over)}{lacks}")


def turned(facts: Facts, read: int) -> Changes:
    """After so many decks the next one is another set's, where the table has several; deck 1 is of the first."""
    names = list(facts.state.sets)
    if len(names) > 1 and read % facts.state.decks == 0 and read < facts.state.all_decks:
        yield c.SetTurned(set=names[read // facts.state.decks])


def _faces(faces: Counter[Face]) -> str:
    return ", ".join(f"{count} x {face_name(face)}" if count > 1 else face_name(face) for face, count in faces.items())


# ---- a foreign card


def it_can_be_found(facts: Facts) -> Refusal | None:
    """A card is taken out where cards lie, not out of the machine."""
    if cards_lie_open(facts.state):
        return None
    return Refusal("SB-1", "no card lies open: close the table, take the cards out, and seal the card when it comes")


def seal_foreign_card(facts: Facts) -> Changes:
    """The card leaves the game. Where the books have one over the set it is that; else one of the set is not there."""
    account = facts.state.account
    target = Place.OVER if account.at(Place.OVER) > 0 else Place.SET_ASIDE
    yield c.Booked(account.first_of(*LYING), target, 1, "foreign card")
    if isinstance(facts.event, Acted):
        yield c.Sealed(facts.subject, facts.event.value, facts.event.person)


# ---- cards that lie open, and pass the reader again


def round_is_over(facts: Facts) -> Refusal | None:
    """The cards of a round are gathered when it is over, not before (PT-A10)."""
    if facts.state.session not in ROUND_RUNS:
        return None
    return Refusal("PT-A10", "a round is under way: press ROUND OVER, then lay all that is out into the shoe's tray")


def tray_takes_all(facts: Facts) -> Refusal | None:
    """What is read again is read at once, as much as the shoe's tray takes: laid in twice, a card would hide another."""
    if tray_takes_what_is_out(facts.state):
        return None
    return Refusal(
        "SB-1",
        f"{facts.state.account.out} cards are out, and the shoe's tray takes {DECK_SIZE}: the supervisor declares the "
        "table closed, and every card is read",
    )


def cards_are_played(facts: Facts) -> Refusal | None:
    """Of a table that closes every card is read anyway: what goes through the reader then is a sorted deck."""
    if facts.state.session in IN_PLAY:
        return None
    return Refusal("SB-1", "the table closes: every card is read at the verification")


def cards_are_out(facts: Facts) -> Refusal | None:
    """What is said of a card is said of one that lies open."""
    if facts.state.account.out > 0:
        return None
    return Refusal("SB-1", "no card lies open: it went back, and the verification finds it")


def _reread(facts: Facts) -> dict[Face, int]:
    return facts.state.incidents[facts.subject].reread


def drawn_face(facts: Facts) -> Face:
    """The face of the card that was drawn now, as far as a reader saw it."""
    event = facts.event
    return event.body.face if isinstance(event, Told) and isinstance(event.body, CardDrawn) else UNREAD


def a_face_was_read(facts: Facts) -> Refusal | None:
    """The reader saw a face now."""
    if drawn_face(facts) != UNREAD:
        return None
    return Refusal("SB-1", "the card was not read")


def all_were_read(facts: Facts) -> Refusal | None:
    """As many cards passed the reader as are out."""
    read, out = sum(_reread(facts).values()), facts.state.account.out
    return None if read == out else Refusal("SB-1", f"{read} cards were read, and {out} are out")


def none_too_often(facts: Facts) -> Refusal | None:
    """No face came more often than the set has it."""
    often = any(face and count > facts.state.decks for face, count in _reread(facts).items())
    return Refusal("SB-1", "a face was read more often than the set has it") if often else None


def note_read_again(facts: Facts) -> Changes:
    """One card that lies open passed the reader again."""
    yield c.ReadAgain(facts.subject, drawn_face(facts))


def forget_readings(facts: Facts) -> Changes:
    """What was read was not what is out: it is read once more, from the first card."""
    yield c.ReadingEnded(facts.subject, {})


def know_faces(facts: Facts) -> Changes:
    """What lies open is what was read now."""
    yield c.ReadingEnded(facts.subject, dict(_reread(facts)))


def know_face(facts: Facts) -> Changes:
    """The card that came unread has a face."""
    faces = dict(facts.state.account.out_faces)
    if faces.get(UNREAD, 0) > 0:
        faces[UNREAD] -= 1
        face = drawn_face(facts)
        faces[face] = faces.get(face, 0) + 1
    yield c.ReadingEnded(facts.subject, {face: count for face, count in faces.items() if count})


def find_foreign_card(facts: Facts) -> Changes:
    """Read twice, and too often both times: a card is none of the set."""
    over = Counter(
        {face: n - facts.state.decks for face, n in _reread(facts).items() if face and n > facts.state.decks}
    )
    yield from know_faces(facts)
    yield c.Raised(IncidentKind.FOREIGN_CARD, "", f"of the cards that are out, too many: {_faces(over)}")


def take_out_no_card(facts: Facts) -> Changes:
    """A cut card was counted as a card: the one over the set; else one of the set is missing, for which it stood."""
    account = facts.state.account
    target = Place.OVER if account.at(Place.OVER) > 0 else Place.MISSING
    yield c.Booked(account.first_of(*OUT), target, 1, "no card of the set")
    if all(one.kind is not IncidentKind.COUNT_MISMATCH for one in facts.state.incidents.values()):
        yield c.Raised(IncidentKind.COUNT_MISMATCH, "", "a cut card, or the like, was counted as a card")
