"""Invariant 12, of the sets at a table with a batch shuffler: none is dealt among another's, or in doubt (SB-6)."""

from __future__ import annotations

from drivers.protocol.batch import CycleBegan, CycleEnded, Mode, Outcome
from drivers.protocol.messages import CardDrawn, Purpose
from firmware_bridge.service.assembly import Order, Release
from firmware_bridge.service.inspection import Course, Logged, changes, events
from sim_hardware.batch_faults import BatchFault
from sim_hardware.batch_mechanics import Cycle
from sim_hardware.cards import Card
from sim_hardware.commands.simulate.invariants.sets import AtBatchTable, kinds
from sim_hardware.commands.simulate.watch import Watch
from sim_hardware.commands.simulate.world import World

HANDFUL = 6
"""Cards of another set that hands may have mislaid among those in play: no sensor sees them before the next cycle."""


class SetsAreApart(AtBatchTable):
    """13: a pack that was not exactly its set has every set counted anew, whole, and none is dealt before (SB-6).

    And no set is dealt while another one's cards are in the shoe with it, or lie where its own go.
    """

    number = 13

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._cycle: Cycle | None = None
        self._took_in: list[Card] = []
        """What lay in tray and machine as the last cycle began."""
        self._unread = 0
        """How many faces had not been read by then."""
        self._named: tuple[str, ...] = ()
        self._uncounted: set[str] = set()
        """The sets that are to be counted whole before any is dealt."""

    def happened(self) -> None:
        """Note what each cycle takes in, and look into the shoe."""
        machine = self.table.mechanism
        if machine.cycle is not self._cycle:
            self._cycle = machine.cycle
            if self._cycle is not None:
                self._took_in = [*machine.intake_tray, *(set(self.table.in_machine()) - set(self.left_behind))]
                self._unread = self.table.faults.struck[BatchFault.UNREADABLE]
        handed = {card.back for card in self.table.handed_over.cards}
        if beside := [card for card in self.table.shoe.mouth if card.back not in handed]:
            raise self.broken(f"a pack went to the shoe, and {len(beside)} cards of another set are there [SB-6]")

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow what each cycle was told to be of, and look at what lies where a dealt card goes."""
        if any(isinstance(change, changes.SessionBegan) for change in logged.decision.changes):
            self._uncounted.clear()
        body = logged.event.body if isinstance(logged.event, events.Told) else None
        if isinstance(body, CycleBegan):
            self._named = self.state.sets_at(Course.IN_CYCLE)
        elif isinstance(body, CycleEnded) and body.outcome is Outcome.DONE and body.mode is Mode.SHUFFLE:
            self._judge()
        elif isinstance(body, CardDrawn) and body.purpose == Purpose.DEAL:
            self._look_beside(number)

    def ordered(self, device: str, order: Order) -> None:
        """Nothing is dealt before every set was counted whole."""
        if isinstance(order, Release) and order.purpose is Purpose.DEAL:
            self.watch.catch_up()
            if self._uncounted:
                awaited = ", ".join(f"set {name}".strip() for name in sorted(self._uncounted))
                raise self.broken(f"{device} is released to deal, and {awaited} is to be counted whole first [SB-6]")

    def _judge(self) -> None:
        """A card that was not read is taken for the one that is missing: no machine can tell better.

        Of a single set the pack itself is looked at as it is dealt (11).
        """
        for name in self._named if len(self.sets) > 1 else ():
            wanted, found = self.whole(name), kinds(self._took_in)
            unread = self.table.faults.struck[BatchFault.UNREADABLE] - self._unread
            if not self.are_told_apart(wanted, found):
                self._uncounted.discard(name)
            elif (wanted - found).total() > unread or (found - wanted).total() > unread:
                self._uncounted.update(self.state.sets)

    def _look_beside(self, number: int) -> None:
        playing = self.state.playing
        for name in self.state.others(playing):
            if out := self.state.sets[name].account.out:
                raise self.broken(f"record {number}: a card is dealt, and {out} of set {name} lie out [SB-6]")
        strange = self.others(playing)
        beside = sum(card.back in strange for card in (*self.table.discard, *self.table.on_table))
        if beside > HANDFUL:
            raise self.broken(f"record {number}: a card is dealt, and {beside} of another set lie with it [SB-6]")
