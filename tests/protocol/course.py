"""One course of a table's devices, written once and played over any port: load, count, deal, hold, jam, unload.

Every message of sabot/1 passes in it. The course asks for what must come to be; whoever plays it lets time pass until
it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from sim_hardware.faults import DEVICES
from sim_hardware.table import PhysicalTable

Hands = Callable[[], AbstractContextManager[PhysicalTable]]
Must = Callable[[], bool]
"""What must come to be before the course goes on; asking may do something, as pulling at the shoe does."""

CARDS, DEALT = 12, 5
PROMPT = 4
ENTRY = [1, 6, m.Key.ENTER]
RETYPED_AFTER = 3
"""Heartbeats after which someone types again."""

OF_THE_LINK = (m.HoldConfirmed, m.Lapsed)
"""Events of the link itself: how many there are depends on how often it was opened."""


class Desk:
    """A controller's least for one device: keeps every event, acks it, renews the release that is wanted."""

    def __init__(self, order: Callable[[n.Order], None]) -> None:
        self.order = order
        self.told: Counter[type[n.Notice]] = Counter()
        self.events: list[m.EventBody] = []
        self.keys: list[int] = []
        self.ready = self.confirmed = False
        self._purpose: m.Purpose | None = None
        self._boot = self._memory = self._command = 0

    def hear(self, notices: Sequence[n.Notice]) -> None:
        """Take what the driver tells."""
        for notice in notices:
            self.told[type(notice)] += 1
            match notice:
                case n.LinkOpened(hello=hello):
                    self._boot, self._memory = hello.boot, hello.memory
                case n.CaughtUp():
                    self.ready = True
                case n.LinkLost():
                    self.ready = self.confirmed = False
                case n.EventTold(number=number, body=body, current=current):
                    self.events.append(body)
                    self.order(n.AckEvents(number, self._memory))
                    self.confirmed |= isinstance(body, m.HoldConfirmed) and current and self._purpose is None
                    if isinstance(body, m.Lapsed):
                        self.order(n.HoldNow())
                case n.HeartbeatHeard(link=link, number=number) if self._purpose is not None:
                    self.order(n.Release(self._purpose, link, number))
                case n.StrokeTold(key=key):
                    self.keys.append(key)
                case n.EntryBroken():
                    self.keys.clear()

    def want(self, level: m.Level, value: int) -> None:
        """Want a level."""
        self.order(n.Want(level, value))

    def release(self, purpose: m.Purpose) -> None:
        """Release, and renew from then on."""
        self.confirmed, self._purpose = False, purpose

    def hold(self) -> None:
        """Hold."""
        self.confirmed, self._purpose = False, None
        self.order(n.HoldNow())

    def carry(self, operation: m.Operation) -> None:
        """Order a command."""
        self._command += 1
        self.order(n.Carry(self._command, self._boot, operation))

    def count(self, body: m.EventBody | type) -> int:
        """How many events of this kind, or just like this one, were told."""
        return sum(isinstance(each, body) if isinstance(body, type) else each == body for each in self.events)

    @property
    def journal(self) -> list[m.EventBody]:
        """What happened at the table, in order."""
        return [body for body in self.events if not isinstance(body, OF_THE_LINK)]


class People:
    """Who acts at the table: a dealer who pulls, and someone at the keypad."""

    def __init__(self, hands: Hands, desks: dict[str, Desk]) -> None:
        self.hands = hands
        self.shuffler, self.shoe, self.keypad, self.lamp = (
            desks[name] for name in ("shuffler", "shoe", "keypad", "lamp")
        )
        self._pulled = 0
        self._heartbeats_when_typed = -RETYPED_AFTER

    def pull(self) -> bool:
        """Pull; return whether a card came."""
        with self.hands() as table:
            came = table.pull_card() is not None
        self._pulled += came
        return came

    def have_pulled(self, cards: int) -> bool:
        """Pull until so many have come in all, each told before the next is pulled."""
        told = self.shoe.count(m.CardDrawn)
        if self._pulled == told < cards:
            self.pull()
        return told == cards

    def have_typed(self) -> bool:
        """Type the entry, and again while it has not come whole, as a person does who sees no answer."""
        heartbeats = self.keypad.told[n.HeartbeatHeard]
        if heartbeats >= self._heartbeats_when_typed + RETYPED_AFTER:
            self._heartbeats_when_typed = heartbeats
            with self.hands() as table:
                table.type_keys([m.Key.ENTER, *ENTRY])  # the first one ends whatever was broken (31)
        return self.keypad.keys[-len(ENTRY) :] == ENTRY

    def have_opened_the_lid(self) -> bool:
        """Lift the lid as soon as it is unlocked."""
        with self.hands() as table:
            return table.open_lid()

    def see_the_lamp(self) -> m.Lamp:
        """What the lamp does."""
        with self.hands() as table:
            return table.lamp_shown


def course(people: People) -> Iterator[Must]:
    """Play it: yields what must come to be next."""
    shuffler, shoe, keypad, lamp = people.shuffler, people.shoe, people.keypad, people.lamp
    yield lambda: all(desk.ready for desk in (shuffler, shoe, keypad, lamp))
    lamp.want(m.Level.LAMP, m.Lamp.STEADY)
    shoe.want(m.Level.PROMPT, PROMPT)
    yield from _load(people)
    for desk in (shuffler, shoe):
        desk.release(m.Purpose.DEAL)
    yield lambda: people.have_pulled(DEALT)
    yield lambda: shuffler.count(m.CardFed) == DEALT + 1  # the next one lies at the mouth
    yield from _held(shuffler, shoe)
    assert not people.pull(), "held and confirmed: no card comes"
    with people.hands() as table:
        table.press_dealer_key(m.DealerKey.CLAIM)
    yield lambda: shoe.count(m.DealerKeyPressed(m.DealerKey.CLAIM, PROMPT)) == 1
    yield people.have_typed
    yield from _jam(people)
    for desk in (shuffler, shoe):
        desk.release(m.Purpose.UNLOAD)
    yield lambda: people.have_pulled(CARDS - 1) and shuffler.count(m.FeedEmpty) > 0
    yield from _held(shuffler, shoe)
    lamp.want(m.Level.LAMP, m.Lamp.OFF)
    yield lambda: people.see_the_lamp() is m.Lamp.OFF
    yield lambda: all_acked(people.hands, *DEVICES)


def _load(people: People) -> Iterator[Must]:
    shuffler = people.shuffler
    shuffler.want(m.Level.INTAKE, 1)
    with people.hands() as table:
        table.put_in_intake_tray(table.box[:CARDS])
    yield lambda: shuffler.count(m.CardIn) == CARDS
    shuffler.want(m.Level.INTAKE, 0)
    shuffler.carry(m.Operation.INVENTORY)
    yield lambda: shuffler.count(m.Inventory) == 1


def _jam(people: People) -> Iterator[Must]:
    shuffler, shoe = people.shuffler, people.shoe
    with people.hands() as table:
        table.jam(m.JamPlace.EXIT)
    for desk in (shuffler, shoe):
        desk.release(m.Purpose.DEAL)
    yield lambda: people.have_pulled(DEALT + 1)
    yield lambda: shuffler.count(m.JamChanged(m.JamPlace.EXIT, jammed=True)) == 1
    yield from _held(shuffler, shoe)
    shuffler.want(m.Level.LID, 1)
    yield people.have_opened_the_lid
    with people.hands() as table:
        table.take_stuck_card()
        table.close_lid()
    shuffler.want(m.Level.LID, 0)
    yield lambda: shuffler.count(m.LidMoved(open=False)) == 1


def _held(*desks: Desk) -> Iterator[Must]:
    for desk in desks:
        desk.hold()
    yield lambda: all(desk.confirmed for desk in desks)


def all_acked(hands: Hands, *names: str) -> bool:
    """Whether these devices keep no event any more."""
    with hands() as table:
        stores = [table.devices[name].store for name in names]
        return all(store.first_kept > store.last for store in stores)
