"""What a row may ask of people, devices and decks before a session."""

from __future__ import annotations

from firmware_bridge.core.events import Acted
from firmware_bridge.core.machine import Facts, Guard, Refusal
from firmware_bridge.core.words import Role
from firmware_bridge.rulebooks.permissions import day_of, not_yet


def by(role: Role, clause: str) -> Guard:
    """Only a person of this role."""

    def guard(facts: Facts) -> Refusal | None:
        event = facts.event
        if isinstance(event, Acted) and event.role is role:
            return None
        return Refusal(clause, _is_anothers(role))

    return guard


def by_whom(key: str) -> Guard:
    """Only a person of the role that the book names: who is present, who opens the lid, who signs."""

    def guard(facts: Facts) -> Refusal | None:
        event, role = facts.event, Role(facts.book.value_of(key))
        if isinstance(event, Acted) and event.role is role:
            return None
        return Refusal(facts.book.clause_of(key), _is_anothers(role))

    return guard


def _is_anothers(role: Role) -> str:
    return f"this step is the {role.replace('_', ' ')}'s alone"


def is_not_asked(key: str) -> Guard:
    """Fires where the book does not ask for this."""

    def guard(facts: Facts) -> Refusal | None:
        if not facts.book.value_of(key):
            return None
        return Refusal(facts.book.clause_of(key), "the rule book asks for this")

    return guard


def by_signed_dealer(facts: Facts) -> Refusal | None:
    """The dealer's keys count only while a dealer is signed in, another person than the supervisor (SB-3)."""
    if facts.state.dealer == 0:
        return Refusal("SB-3", "no dealer is signed in: the dealer signs in on the keypad with number and PIN first")
    return None


def not_the_supervisor(facts: Facts) -> Refusal | None:
    """Two-person steps need two people (SB-3)."""
    if isinstance(facts.event, Acted) and facts.event.person == facts.state.supervisor:
        return Refusal("SB-3", "the dealer and the supervisor of a session are two different people")
    return None


def a_screen_shows(facts: Facts) -> Refusal | None:
    """Nobody opens a table blindly (SB-2). Where no screen is required, one counts as shown."""
    if facts.state.screen_shown:
        return None
    return Refusal("SB-2", "no screen shows this table: have one show it first")


def devices_are_there(facts: Facts) -> Refusal | None:
    """Unknown is never ready: every device's link is open and its events are taken (SB-1, rule 27)."""
    absent = [name for name, device in facts.state.devices.items() if not device.is_there]
    if absent:
        return Refusal("SB-1", f"not connected: {', '.join(absent)}; connect it and wait until it is identified")
    return None


def machine_is_shut(facts: Facts) -> Refusal | None:
    """No lid stands open and nothing lies in a tray when a table opens."""
    for name, device in facts.state.devices.items():
        if device.lid_open:
            return Refusal("PT-A2", f"the lid of {name} stands open: close it")
        if device.tray_occupied:
            return Refusal("opening.show_cards", f"cards lie in the tray of {name}: take them out")
    return None


def machine_is_in_service(facts: Facts) -> Refusal | None:
    """A machine that was taken out of service opens no session until a technician returned it (SB-4)."""
    machine = facts.state.machine
    if machine is None or not facts.state.machine_is_retired:
        return None
    return Refusal(
        "SB-4",
        f"{machine.told.name} is out of service: the technician returns it to service, or another one is connected",
    )


def permissions_hold(facts: Facts) -> Refusal | None:
    """No table opens before the first day of what the regulator permitted (MO-21a, PT-J1)."""
    for one in not_yet(facts.book, day_of(facts.state.utc_ns)):
        return Refusal(one.clause, f"the permission {one.reference} holds from {one.holds_from}: open the table then")
    return None


def decks_are_allowed(facts: Facts) -> Refusal | None:
    """The number of decks is one that the rule book knows (PT-E2)."""
    allowed = facts.book.equipment.decks_allowed
    if facts.state.decks in allowed:
        return None
    known = " or ".join(str(number) for number in allowed)
    return Refusal(
        facts.book.clause_of("equipment.decks_allowed"),
        f"this table has {facts.state.decks} decks: {known} are allowed",
    )
