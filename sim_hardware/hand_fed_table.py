"""The rig of a table without a shuffler: a shoe that people fill, a warning card, and nothing that mixes but hands."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from drivers.cards import SPECIAL
from sim_hardware.cards import Card
from sim_hardware.dealing_shoe import DealingShoe
from sim_hardware.equipment import Identity
from sim_hardware.faults import Faults
from sim_hardware.fingers import Now
from sim_hardware.machine import Inside, MachineMechanism
from sim_hardware.open_cards import CannotDoError
from sim_hardware.rig import Fitted, ShoeMechanism, Table

NO_DECK = 0
"""The deck of a special card."""


@dataclass(frozen=True)
class HandFedFittings(Fitted):
    """What a table without a shuffler is fitted with: what every table has."""

    def set_up(self, rng: Random, now: Now, ids: Random | None = None) -> HandFedTable:
        """Return the table that is fitted so."""
        return HandFedTable(rng, now, self, ids)


class NoMachine(MachineMechanism):
    """What hands find where a machine would stand: nothing takes a card."""

    def __init__(self, now: float, faults: Faults) -> None:
        super().__init__(now, faults)
        self.lid_locked = False

    def cards(self) -> Iterator[Card]:
        """None."""
        return iter(())

    def lay_in_intake_tray(self, cards: Sequence[Card]) -> bool:
        """Lay nothing: there is no tray."""
        return not cards

    def look_inside(self) -> Inside:
        """Nothing is there to be seen."""
        return Inside(0, ())

    def lay_inside(self, cards: Sequence[Card]) -> bool:
        """Lay nothing: there is no inside."""
        return not cards

    def _within_reach(self) -> Iterable[deque[Card]]:
        return ()


class HandFedTable(Table[NoMachine]):
    """A table whose shoe people fill. Cut card and warning card lie aside while they are not among the cards."""

    def __init__(
        self, rng: Random, now: Now, fittings: HandFedFittings = HandFedFittings(), ids: Random | None = None
    ) -> None:
        self.warning_card = Card(SPECIAL, "yellow", NO_DECK)
        self.cut_card = Card(SPECIAL, "white", NO_DECK)
        self.special_cards = [self.warning_card, self.cut_card]
        super().__init__(rng, now, fittings, ids)

    def _mechanisms(self, rng: Random) -> tuple[NoMachine, ShoeMechanism]:
        del rng
        self.shoe = DealingShoe(self.now.mechanics)
        return NoMachine(self.now.mechanics, self.faults), self.shoe

    def _machine(self, identities: Mapping[str, Identity], rng: Random) -> None:
        """No machine stands here."""

    def inside(self) -> int:
        """Return how many cards of the set are in the shoe; one in its tray is not."""
        return sum(card.face != SPECIAL for card in self.shoe.mouth)

    def take_from_mouth(self) -> list[Card]:
        """Take what lies in the shoe by hand, past its reader; it then lies on the table."""
        taken = self._lay_on_table(self.shoe.take_from(self.shoe.mouth))
        self._lay_aside()
        return taken

    def pull_card(self) -> Card | None:
        """Pull at the mouth; a special card that comes is seen by whoever pulls it, and laid aside."""
        card = super().pull_card()
        self._lay_aside()
        return card

    def fill_shoe(self, cards: Sequence[Card]) -> None:
        """Lay cards that lie open in the shoe, the next one first; special ones among them. Raises CannotDoError."""
        picked = self._pick_up(cards)
        if not self.shoe.take_pack(picked):
            self.on_table.extend(picked)
            raise CannotDoError("the shoe has no room for so many; the cards lie on the table")
        self._settle()

    def _lay_aside(self) -> None:
        """Nobody leaves a special card among the others where it lies open."""
        self.move([card for card in self.on_table if card.face == SPECIAL], self.special_cards)

    def _open_places(self) -> tuple[list[Card], ...]:
        return *super()._open_places(), self.special_cards
