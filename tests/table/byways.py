"""Deeds that the by-ways of a session share: power cycles, forced lids, counts, a table within a procedure."""

from __future__ import annotations

from collections.abc import Callable

from drivers.protocol.messages import JamPlace, Key
from firmware_bridge.core.changes import Moved
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from sim_hardware.mechanics import QUICK, Rates
from sim_hardware.registry import default_identities
from sim_hardware.table import Fittings
from tests.table.evening import BACKS, SUPERVISOR, TECHNICIAN, Evening

HURRIED = Fittings(decks=4, backs=BACKS[:4], rates=Rates(card=0.005, compartment=0.01))
"""A machine so quick that a card moves on before a hold can arrive."""

WITHOUT_READER = Fittings(decks=4, backs=BACKS[:4], rates=QUICK, identities=default_identities(reads_faces=False))
"""A table whose shoe reads no face."""


def power_cycle(evening: Evening) -> None:
    """The shuffler loses its power for a moment, and is identified again."""
    evening.hands.reboot("shuffler")
    shuffler = evening.state.devices["shuffler"]
    boot = shuffler.boot
    assert evening.table.run(10, lambda: shuffler.boot != boot and shuffler.caught_up)
    evening.table.run(0.2)


def count(evening: Evening) -> None:
    """The supervisor has the machine counted in full, for the alarm that is presented."""
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None


def force_lid(evening: Evening, card_goes: bool = False) -> None:
    """Somebody breaks the lid open, perhaps takes a card, and closes it."""
    evening.hands.open_lid(force=True)
    evening.table.run(0.2)
    if card_goes:
        evening.hands.move(evening.hands.take_from_machine(1), evening.hands.set_aside)
    evening.hands.close_lid()
    evening.table.run(0.5)


def reconnect(evening: Evening, device: str) -> None:
    """The device's cable is out for a moment."""
    evening.table.unplug(device)
    evening.table.run(1)
    evening.table.replug(device)
    evening.table.run(3)


def update(evening: Evening, device: str, firmware: str) -> None:
    """The device comes back with another version in it; what it remembers, it keeps."""
    evening.hands.replace_device(device, firmware=firmware)
    assert evening.table.run(10, lambda: evening.state.devices[device].firmware == firmware)
    evening.table.run(1)


def approve(evening: Evening) -> None:
    """The technician checks a device that is another, and the supervisor approves it."""
    assert evening.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
    assert evening.act(SUPERVISOR, Trigger.APPROVE_DEVICE) is None


def give_up_the_machine(evening: Evening) -> None:
    """The machine's line is dead: a supervisor has seen it, and the technician takes the machine out of service."""
    evening.table.unplug("shuffler")
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert evening.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None


def begin_to_empty_by_hand(evening: Evening) -> None:
    """The table closes, and its machine cannot empty itself."""
    for step in (Trigger.DECLARE_CLOSED, Trigger.BEGIN_UNLOADING, Trigger.EMPTY_BY_HAND):
        assert evening.act(SUPERVISOR, step) is None


def take_all_out_of(evening: Evening) -> None:
    """A machine out of service is opened, and every card taken out by hand."""

    def take_out() -> None:
        evening.hands.take_stuck_card()
        evening.hands.take_from_machine()
        evening.hands.take_from_mouth()

    evening.look_inside(take_out)


def stands(evening: Evening, kind: IncidentKind, state: Incident, within: float = 60) -> bool:
    """Whether the incident of this kind comes to stand so."""

    def so() -> bool:
        return any(one.kind is kind and one.state is state for one in evening.state.incidents.values())

    return evening.table.run(within, so)


def course(evening: Evening, name: str) -> list[tuple[Trigger, str]]:
    """What a procedure did so far, by the journal: each trigger that moved it or left it where it was, and to where."""
    changes = (change for one in evening.logged() for change in one.decision.changes)
    return [(one.trigger, one.target) for one in changes if isinstance(one, Moved) and one.procedure == name]


def confirm(evening: Evening) -> None:
    """Everything is cleared: the supervisor confirms, and cards come again."""
    assert all(one.state is Incident.CLEARED for one in evening.state.incidents.values()), evening.kinds()
    assert evening.hands.pull_card() is None
    evening.confirm_all()
    evening.table.run(1)
    assert not evening.reasons()


def lose_a_card(evening: Evening) -> None:
    """A card leaves the machine, and no sensor sees it go."""
    next(place for place in reversed(evening.hands.mechanism.compartments) if place).pop()


def empty(evening: Evening) -> None:
    """The table is closed, unloaded, looked into, and its cards are sorted."""
    evening.unload()
    evening.look()


def verify_and_find_no_more(evening: Evening) -> None:
    """Every pile through the reader, and no card is left."""
    evening.table.run(0.2)
    evening.verify()
    if evening.session is Session.AWAITING_DECK:
        assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None


def loading() -> Evening:
    """The table stands before its first pack."""
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    return evening


def counting_its_load() -> Evening:
    """Both packs are in, and the machine has just begun to count them."""
    evening = loading()
    for cards in (104, 104):
        evening.load_pack(cards)
        assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.session is Session.COUNTING_LOAD
    return evening


def unloading(evening: Evening, drawn: int = 20) -> None:
    """The table is closed, and some cards have come out."""
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    pull_until(evening, lambda: evening.state.account.at(Place.UNLOADED) >= drawn)


def pull_until(evening: Evening, done: Callable[[], bool]) -> None:
    """The dealer pulls and pulls, until something is so."""
    for _ in range(2_000):
        if done():
            return
        evening.hands.pull_card()
        evening.table.run(0.03)
    raise AssertionError(evening.session)


def unload_the_rest(evening: Evening) -> None:
    pull_until(evening, lambda: evening.session is not Session.UNLOADING)
    assert evening.table.run(60, lambda: evening.session is Session.LOOKING), evening.session


def take_the_last_stroke(evening: Evening, person: int, step: int) -> None:
    """The person types a step up to Enter, and presses Enter in this very moment."""
    evening.identify(person)
    evening.press(*(int(digit) for digit in str(step)))
    evening.hands.press_key(Key.ENTER)
    evening.table.step()


def jam_in_a_count(evening: Evening) -> None:
    """Within the unloading the supervisor has the machine counted, and a card sticks."""
    unloading(evening)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    evening.hands.jam(JamPlace.CAROUSEL)
    evening.table.run(2)
    assert evening.kinds() == [IncidentKind.JAM]
    assert evening.session is Session.COUNTING_EMPTY


def shown(evening: Evening) -> int:
    """Cards that the machine really holds, with the one at the mouth."""
    return len(list(evening.hands.mechanism.cards())) - len(evening.hands.mechanism.intake_tray)
