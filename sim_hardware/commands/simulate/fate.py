"""What befalls the controller in a shift, drawn from a seed: restarts, kills, its disk, its clock, its people file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

from drivers.protocol.messages import Capability, DealerKey
from sim_hardware.commands.simulate.world import World, seconds
from sim_hardware.equipment import ALIKE, SHOE, SHUFFLER
from sim_hardware.faults import DEVICES

EVERY: Mapping[str, tuple[float, float] | None] = {"none": None, "typical": (600.0, 2400.0), "storm": (60.0, 900.0)}
"""Seconds from one of these to the next, at least and at most, by the plan of faults."""

LARGEST_STEP = 7200.0
"""Seconds by which the wall's clock is set at most, forward or back."""

MOST_PRESSES = 40
"""Of a dealer's key, while nobody listens."""

IDLE_S = 2.0
"""Seconds after which it is looked again whether a session is under way."""

LENT_COMMANDS = 10_000
"""By how much the numbers of another table's commands are ahead, at most."""

PLAYS_ON_S = 1.2
"""Seconds that every flush may take, turn behind turn, with no lease lapsing for it."""

SLOW_FOR_S = 50.0
"""Seconds for which a disk stays so slow: less than the shortest time from one of these faults to the next."""

VERSIONS = 3
"""Versions of firmware that devices come with; the first is the one that all have at first."""

PARTS = {SHUFFLER: Capability.CAN_LOCK_LID, SHOE: Capability.READS_FACES}
"""What a device that comes with other parts has where the one before had it not, or lacks."""

WITH_OTHER_PARTS = 3
"""Of so many devices that come, one has other parts."""

MOST_CALLS = 12
"""A kill strikes within so many calls of the controller's ports."""


class Fate:
    """Draws what happens next, and when."""

    def __init__(self, world: World, rng: Random, faults: str) -> None:
        self.struck: Counter[str] = Counter()
        self._world = world
        self._rng = rng
        self._every = EVERY[faults]
        self._befalls = tuple(BEFALLS)
        self._plan_next()

    def befall(self, what: tuple[str, ...], every: tuple[float, float]) -> None:
        """Let only these befall it, so many seconds one after the other, at least and at most."""
        self._befalls = what
        planned, self._every = self._every, every
        if planned is None:
            self._plan_next()

    def stop(self) -> None:
        """Let nothing befall the controller any more."""
        self._every = None

    def _plan_next(self) -> None:
        if self._every is not None:
            self._world.plan(self._rng.uniform(*self._every), self._strike)

    def _strike(self) -> None:
        if self._every is None:
            return
        what = self._rng.choice(self._befalls)
        self.struck[what] += 1
        BEFALLS[what](self)
        self._plan_next()

    def _slow_flush(self) -> None:
        """One flush takes so long; at a disk on which play can go on, each does for a while."""
        takes, usual = self._rng.uniform(0.1, 6.0), self._world.usual_flush_ns
        self._world.flush_takes_ns = seconds(takes)
        if takes <= PLAYS_ON_S:
            self._world.let_each_flush_take(seconds(takes))
            self._world.plan(SLOW_FOR_S, lambda: self._world.let_each_flush_take(usual))

    def _failing_flush(self) -> None:
        self._world.store.fail()

    def _screen(self) -> None:
        self._world.show_screen(False)
        self._world.plan(self._rng.uniform(2.0, 180.0), lambda: self._world.show_screen(True))

    def _full_disk(self) -> None:
        self._world.fill_disk(True)
        self._world.plan(self._rng.uniform(2.0, 300.0), lambda: self._world.fill_disk(False))

    def _many_keys(self) -> None:
        """More events than the shoe has places for: the last of them are lost."""
        self._world.kill()
        key = self._rng.choice(list(DealerKey))
        for press in range(self._rng.randint(5, MOST_PRESSES)):
            self._world.plan(0.1 * (1 + press), lambda: self._world.physical.press_dealer_key(key))

    def _forget(self) -> None:
        self._world.kill()
        self._world.plan(self._rng.uniform(0.5, 4.0), self._world.forget_events)

    def _replace(self) -> None:
        """Another device of the same make, with a memory of its own; or other firmware; or a part gone, or new."""
        name, drawn = self._rng.choice(DEVICES), self._rng.randrange(10**4)
        if name not in self._world.physical.equipment:
            return
        firmware = f"simulated {drawn % VERSIONS + 1}" if drawn % 2 else ""
        serial = "" if firmware and drawn % 3 == 0 else f"S-{drawn:04}"
        parts = PARTS.get(name, ALIKE) if drawn % WITH_OTHER_PARTS == 0 else ALIKE
        self._world.physical.replace_device(name, serial, firmware, parts)

    def _lend(self) -> None:
        """Once no session is under way: else its cards would go with it."""
        if self._every is not None and self._world.state.under_way:
            self._world.plan(IDLE_S, self._lend)
        elif self._every is not None and SHUFFLER in self._world.physical.equipment:
            self._world.physical.lend_machine(self._world.state.record + self._rng.randint(1, LENT_COMMANDS))

    def _take_right(self) -> None:
        """Of the dealer or the supervisor who acts now, one at a time: the other of the role is left."""
        world, lasts = self._world, self._rng.uniform(30.0, 600.0)
        acting = [number for number in (world.state.dealer, world.state.supervisor) if number]
        if acting and not world.barred:
            number = self._rng.choice(acting)
            world.take_right(number)
            world.plan(lasts, lambda: world.take_right(number, False))

    def _set_clock(self) -> None:
        self._world.set_clock(seconds(self._rng.uniform(-LARGEST_STEP, LARGEST_STEP)))


BEFALLS: Mapping[str, Callable[[Fate], None]] = {
    "controller killed within a turn": lambda fate: fate._world.kill_within_turn(fate._rng.randint(0, MOST_CALLS)),
    "controller killed after a flush": lambda fate: fate._world.kill_after_flush(),
    "controller killed as it orders a count": lambda fate: fate._world.kill_at_order(),
    "controller killed between two turns": lambda fate: fate._world.kill(),
    "controller restarted in order": lambda fate: fate._world.stop_in_order(),
    "slow flush": Fate._slow_flush,
    "flush fails": Fate._failing_flush,
    "screen gone for a while": Fate._screen,
    "disk nearly full for a while": Fate._full_disk,
    "keys pressed again and again while nobody listens": Fate._many_keys,
    "devices forget what nobody acknowledged": Fate._forget,
    "another device in the place of one": Fate._replace,
    "machine lent to another table for a while": Fate._lend,
    "right of somebody taken for a while": Fate._take_right,
    "wall clock set": Fate._set_clock,
}
"""Everything that may befall the controller."""
