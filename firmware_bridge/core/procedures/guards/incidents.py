"""What a row of an incident may ask."""

from __future__ import annotations

from drivers.cards import UNREAD, face_name
from drivers.protocol.messages import CardDrawn
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.core.events import Acted, Told
from firmware_bridge.core.machine import Facts, Refusal
from firmware_bridge.core.outputs import AT_THE_READER, LID_IS_OPEN, PATH_IS_BLOCKED, unapproved, why_machine_waits
from firmware_bridge.core.steps import ACTIONS, ROUND_ENDS, ROUND_VOID, named_card
from firmware_bridge.core.words import BEING_LOADED, IN_PLAY, OPENS, Incident, Place

UNDER_WAY = AT_THE_READER | {Incident.ASKING_BACK, Incident.AWAITING_SEAL}
"""States in which the card of an incident is at the reader, or a replacement that it read is not sealed for yet."""


def action_is_named(facts: Facts) -> Refusal | None:
    """An incident is not closed without the action towards the players (BR-011); one that voids its round has no other."""
    void = facts.state.incidents[facts.subject].void
    if void and isinstance(facts.event, Acted) and facts.event.value != ROUND_VOID:
        return Refusal(void, f"the round is void: the action towards the players is {ROUND_VOID}")
    if isinstance(facts.event, Acted) and facts.event.value in ACTIONS:
        return None
    return Refusal("SB-2", "name the action towards the players: 0 none needed, 1 stakes returned, 2 round void")


def decision_is_named(facts: Facts) -> Refusal | None:
    """What becomes of a round that was cut short is said, not left open (BR-011)."""
    if isinstance(facts.event, Acted) and facts.event.value in ROUND_ENDS:
        return None
    return Refusal("SB-2", "name what becomes of the round: 1 settled as the cards lie, 2 void")


def machine_may_work(facts: Facts) -> Refusal | None:
    """The machine can count or shuffle: it is there, its path is clear, its lid shut, and it is not at it already."""
    why = why_machine_waits(facts.state)
    return None if why is None else Refusal(*why)


def machine_is_approved(facts: Facts) -> Refusal | None:
    """What another machine counts proves nothing of the table's cards, before two people approved it (SB-10)."""
    state = facts.state
    another = next((name for name in unapproved(state) if state.devices[name] is state.machine), "")
    if not another:
        return None
    return Refusal("SB-10", f"the {another} is not the approved one, and its count proves nothing: it is checked first")


def path_is_clear(facts: Facts) -> Refusal | None:
    """No card is stuck (PT-A2)."""
    jammed = any(device.jammed for device in facts.state.devices.values())
    return Refusal(*PATH_IS_BLOCKED) if jammed else None


def lid_is_shut(facts: Facts) -> Refusal | None:
    """No lid stands open."""
    opened = any(device.lid_open for device in facts.state.devices.values())
    return Refusal(*LID_IS_OPEN) if opened else None


def cards_are_dealt(facts: Facts) -> Refusal | None:
    """Fires while the cards are to be played with: then their order matters (SB-9)."""
    state = facts.state
    if state.session in IN_PLAY | BEING_LOADED or (state.opened and state.session in OPENS):
        return None
    return Refusal("SB-9", "these cards are not dealt any more")


def nothing_is_out(facts: Facts) -> Refusal | None:
    """All cards are in the machine: only then its count is the count of the set (BR-004)."""
    if facts.state.account.out == 0 or not facts.state.takes_single_cards:
        return None  # what is counted next at a batch shuffler, or as it leaves a hand-fed shoe, is the whole set
    return Refusal(
        "SB-7", f"{facts.state.account.out} cards are out: they go into the machine first, then it counts all"
    )


def machine_is_out_of_service(facts: Facts) -> Refusal | None:
    """The machine cannot empty itself: a technician took it out of service (SB-4)."""
    if facts.state.out_of_service:
        return None
    return Refusal("SB-4", "the machine works: it empties itself through the shoe")


def machine_is_gone(facts: Facts) -> Refusal | None:
    """The machine is out of service and answers nothing any more: what its lid and its count would say, a person says."""
    refusal = machine_is_out_of_service(facts)
    if refusal is None and facts.state.machine_answers:
        return Refusal("SB-4", "the machine answers: its lid is released, opened, looked into and closed first")
    return refusal


def machine_answers(facts: Facts) -> Refusal | None:
    """A lid is released only of a machine that is there to release it (SB-4)."""
    if facts.state.machine_answers:
        return None
    return Refusal("SB-4", "the shuffler is not connected: connect it, or have it taken out of service")


def it_is_the_machine(facts: Facts) -> Refusal | None:
    """The incident is about the shuffler."""
    about = facts.state.devices.get(facts.state.incidents[facts.subject].about)
    if about is not None and about.kind in MACHINES:
        return None
    return Refusal(
        "SB-4", "only the shuffler is taken out of service here: connect the other device, or another of its kind"
    )


def a_technician_may_come(facts: Facts) -> Refusal | None:
    """Whether the rule book has a technician called to a machine that the floor cannot clear (PT-A2)."""
    if facts.book.jam.technician_may_be_called:
        return None
    clause = facts.book.clause_of("jam.technician_may_be_called")
    return Refusal(
        clause, "no technician is called here: what cannot be cleared, the room manager takes out of service"
    )


def no_technician_comes(facts: Facts) -> Refusal | None:
    """Fires where the rule book has no technician called."""
    if not facts.book.jam.technician_may_be_called:
        return None
    return Refusal(facts.book.clause_of("jam.technician_may_be_called"), "no technician was called")


def supervisor_has_seen_it(facts: Facts) -> Refusal | None:
    """The technician comes because the supervisor saw the alarm, not by himself (PT-A2)."""
    if facts.state.incidents[facts.subject].acknowledged is not None:
        return None
    return Refusal("PT-A2", "the supervisor acknowledges this alarm first")


def its_device_is_there(facts: Facts) -> Refusal | None:
    """Nobody checks a device that is not connected (SB-10)."""
    about = facts.state.incidents[facts.subject].about
    if facts.state.devices[about].is_there:
        return None
    return Refusal("SB-10", f"the {about} is not connected: connect the device that is to stand here first")


def another_person_checked_it(facts: Facts) -> Refusal | None:
    """Two-person steps need two people, whatever role somebody has meanwhile (SB-3)."""
    event = facts.event
    if isinstance(event, Acted) and event.person != facts.state.incidents[facts.subject].checked_by:
        return None
    return Refusal("SB-3", "whoever checked a device does not approve it too: two people do")


def card_is_named(facts: Facts) -> Refusal | None:
    """The step names a card of this set (PT-A1)."""
    if isinstance(facts.event, Acted) and named_card(facts.event.value, facts.state.all_decks) is not None:
        return None
    return Refusal(
        "PT-A1", f"name the card: deck 1-{facts.state.all_decks}, suit 1-4, rank 01-13 (2307: deck 2, 7 of hearts)"
    )


def a_card_lies_open(facts: Facts) -> Refusal | None:
    """A damaged card that the dealer shows is one that lies open: on the table, or before loading and at sorting."""
    if facts.state.account.lies_open:
        return None
    return Refusal(
        "PT-A1", "no card lies open: if none is damaged, answer so; what is in the machine is shown when it comes"
    )


def it_may_be_the_card(facts: Facts) -> Refusal | None:
    """In play a damaged card is one of those that the reader saw come out (PT-A1)."""
    state, event = facts.state, facts.event
    card = named_card(event.value, state.all_decks) if isinstance(event, Acted) else None
    seen = state.account.out_faces
    if card is None or state.session not in IN_PLAY or not seen or UNREAD in seen or card[1] in seen:
        return None
    return Refusal(
        "PT-A1", f"no {face_name(card[1])} came out of the shoe since the cards were last all in: look again"
    )


def no_other_replacement(facts: Facts) -> Refusal | None:
    """One card after the other passes the reader: a replacement, or what is read again."""
    for number, one in facts.state.incidents.items():
        if number != facts.subject and one.state in UNDER_WAY:
            return Refusal(
                "PT-A1", f"the card of incident {number} is at the reader, or not sealed yet: end that first"
            )
    return None


def is_the_named_face(facts: Facts) -> Refusal | None:
    """The replacement is the same card (PT-A1)."""
    event = facts.event
    face = facts.state.incidents[facts.subject].face
    if isinstance(event, Told) and isinstance(event.body, CardDrawn) and event.body.face == face:
        return None
    return Refusal("PT-A1", "another card was read than the damaged one")


def it_is_read_with_its_deck(facts: Facts) -> Refusal | None:
    """The card was found damaged at the sorting: it stays with its deck, which is replaced as a whole (PT-E4)."""
    if facts.state.incidents[facts.subject].place is Place.UNLOADED:
        return None
    return Refusal("PT-A1", "the card was set aside: it is sealed")


def envelope_is_named(facts: Facts) -> Refusal | None:
    """The sealed envelope has a number (PT-A1)."""
    if isinstance(facts.event, Acted) and facts.event.value > 0:
        return None
    return Refusal("PT-A1", "type the number of the sealed envelope")
