"""What follows from the sets' books at a batch shuffler: whether a cycle showed one whole, and what may follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from drivers.cards import DECK_SIZE, Face, face_name
from drivers.protocol.batch import Back
from firmware_bridge.core.accounts import compare
from firmware_bridge.core.set_changes import BacksSeen, FacesRead
from firmware_bridge.core.state import OpenIncident, SetOfCards, State
from firmware_bridge.core.words import EMPTIES_THE_MACHINE, IN_PLAY, Course, Incident, Place, Trigger

NOT_A_COLOUR = frozenset({Back.UNREAD, Back.FACE})


def faces_read(told: Sequence[int], decks: int, name: str) -> FacesRead:
    """What a cycle read, as how many of each face, against so many decks."""
    missing, over = compare({Face(face): count for face, count in enumerate(told) if face}, decks)
    return FacesRead(missing, over, told[0], set=name)


def backs_seen(told: Sequence[int], backs: Sequence[str], name: str) -> BacksSeen:
    """What a cycle saw of backs, as how many of each, against the colours of the set's decks."""
    own = Counter(Back.__members__.get(back.upper(), Back.OTHER) for back in backs)
    strange = sum(max(0, told[back] - own[back] * DECK_SIZE) for back in Back if back not in NOT_A_COLOUR)
    return BacksSeen(strange, told[Back.FACE], set=name)


def why_not_whole(cards: SetOfCards) -> str:
    """Why the cycle just done did not show exactly the set, in words; empty where each pass and reading did (SB-7).

    Passes that disagree are believed neither way, a right count with a wrong card is wrong (BR-015), and of a face
    twice and another not seen one read may be wrong (BR-016).
    """
    return "; ".join(_doubts(cards))


def _doubts(cards: SetOfCards) -> Iterator[str]:
    expected = cards.account.at(Place.MACHINE)
    if expected != cards.account.cards:
        yield f"the books have {expected} of the set's {cards.account.cards} cards in the machine"
    if set(cards.passes) != {expected}:
        counted = " and ".join(map(str, cards.passes)) or "nothing"
        doubt = "; its counter is not to be trusted, call the technician" if len(set(cards.passes)) > 1 else ""
        yield f"the machine counted {counted}, the books say {expected}{doubt}"
    faces = cards.faces_read
    if faces is not None and (faces.over or len(faces.missing) > faces.unread):
        yield " and ".join(_misfits(faces))
    backs = cards.backs_seen
    if backs is not None and backs.strange:
        yield f"{backs.strange} with another back than the set's"
    if backs is not None and backs.boxed:
        yield f"{backs.boxed} face up"


def _misfits(faces: FacesRead) -> Iterator[str]:
    if faces.over:
        yield f"{_names(faces.over)} read too often"
    if faces.missing:
        yield f"{_names(faces.missing)} not read"
    if faces.over and faces.missing:
        yield "one read may be wrong"


NAMED_AT_MOST = 6
"""Faces that are named in a sentence; the report names all."""


def _names(faces: Sequence[Face]) -> str:
    """The faces by name; of many the first few, and how many there are."""
    named = ", ".join(face_name(face) for face in faces[:NAMED_AT_MOST])
    return named if len(faces) <= NAMED_AT_MOST else f"{len(faces)} cards ({named} and others)"


def counted(cards: SetOfCards) -> int:
    """What a cycle's passes counted; where they disagree, one that the books do not say (SB-7)."""
    expected = cards.account.at(Place.MACHINE)
    return next((count for count in cards.passes if count != expected), expected if cards.passes else 0)


def crossed(cards: SetOfCards, other: SetOfCards) -> str:
    """What likely crossed between two sets, both counted, in words: what the one lacks and the other has (SB-6)."""
    mine, theirs = cards.faces_read, other.faces_read
    if mine is not None and theirs is not None:
        came, went = Counter(mine.over) & Counter(theirs.missing), Counter(mine.missing) & Counter(theirs.over)
        return _names(sorted((came + went).elements()))
    surplus = counted(cards) - cards.account.at(Place.MACHINE)
    was = other.last_count
    of_other = was[0] - was[1] if was is not None else 0
    return f"{abs(surplus)} cards" if surplus and surplus == -of_other else ""


def short_by(cards: SetOfCards) -> int:
    """How many of its cards the set lacks by its last count; 0 where it lacks none.

    Of a right number in which a face is missing one read may be wrong (BR-016): nothing is said to be lacking.
    """
    found, expected = cards.last_count or (0, 0)
    return max(0, expected - found) if not cards.counts_trusted else 0


def in_hands(state: State, name: str) -> Place:
    """Where the books have cards of a set that people hold: outside, or, of the set in play, in the discard.

    Once the table closes they are to be sorted.
    """
    if state.session in EMPTIES_THE_MACHINE:
        return Place.UNLOADED
    return Place.DISCARD if state.opened and name == state.playing else Place.OUTSIDE


def in_shoe(state: State) -> int:
    """Cards of all sets that the books still have in the shoe; one that they have below zero holds none."""
    return sum(max(0, cards.account.at(Place.SHOE)) for cards in state.sets.values())


def pack_in_shoe(state: State) -> int:
    """Of these, those in a shoe that stands by itself: the mouth of one that a machine feeds is emptied with that."""
    return 0 if state.takes_single_cards else in_shoe(state)


TAKEN_OUT = frozenset({Course.IN_CYCLE, Course.SHUFFLED, Course.UNSHUFFLED, Course.IN_SHOE})
"""Where a set is taken out of machine or shoe at a supervisor's word."""


IN_THE_MACHINE = frozenset({Course.IN_TRAY, Course.IN_CYCLE, Course.SHUFFLED, Course.UNSHUFFLED})
"""Where a set stands while it is in the machine, or in its tray."""


def is_in_the_machine(state: State, name: str) -> bool:
    """Whether a set, or some of its cards, is in the machine: no other one may go in (SB-6)."""
    return state.course(name) in IN_THE_MACHINE or state.sets[name].account.at(Place.MACHINE) > 0


def machine_says_cards_are_inside(state: State) -> bool:
    """Whether the machine is there and says that cards are inside."""
    machine = state.machine
    return machine is not None and machine.is_there and machine.cards_inside


def cards_are_left_behind(state: State) -> bool:
    """Whether the machine says that cards are inside, and the books have none of any set there: no cycle begins."""
    return machine_says_cards_are_inside(state) and not any(is_in_the_machine(state, name) for name in state.sets)


def may_go_in(state: State, name: str) -> bool:
    """Whether this set is the next to be shuffled: it is in hands, and no other one is in the machine (SB-6)."""
    others = (is_in_the_machine(state, other) for other in state.others(name))
    return state.course(name) is Course.OUT and not any(others)


def no_count_is_ordered(state: State) -> bool:
    """Whether no incident orders a count: a set's next cycle is one, or the emptying of a hand-fed shoe (SB-7)."""
    return not state.takes_single_cards and state.session in IN_PLAY


def awaits_a_cycle(state: State, incident: OpenIncident) -> bool:
    """Whether it waits for a count or shuffle that nobody orders."""
    return no_count_is_ordered(state) and incident.state in (Incident.COUNTING, Incident.SHUFFLING)


def set_triggers(state: State) -> dict[Trigger, bool]:
    """What a batch shuffler's sets let people do, and whether the table waits for it.

    A set is shuffled when it lies in the tray, and taken out of machine or shoe; one that leaves the discard to the
    other one's cards is laid in too, or put away.
    """
    triggers = {}
    machine, asked = state.machine, state.counts_trusted
    asked = asked and not any(awaits_a_cycle(state, one) for one in state.incidents.values())
    if machine is not None and machine.tray_occupied and any(may_go_in(state, name) for name in state.sets):
        triggers[Trigger.SHUFFLE_SET] = True
    for name, cards in state.sets.items():
        course = state.course(name)
        lies_out = course is Course.OUT and name != state.playing and cards.account.out > 0
        if course in TAKEN_OUT or lies_out:
            is_used_up = course is Course.IN_SHOE and state.shoe.marked_at != 0
            waits = course is Course.UNSHUFFLED or is_used_up or not (asked or course is Course.IN_CYCLE)
            triggers[Trigger.TAKE_SET_OUT] = triggers.get(Trigger.TAKE_SET_OUT, False) or waits
    return triggers
