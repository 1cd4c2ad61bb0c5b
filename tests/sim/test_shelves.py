"""How well the simulated machines shuffle, and how they sort: pure functions, and the mechanisms that use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from statistics import fmean

import pytest

from drivers.cards import ALL_FACES
from drivers.protocol.batch import Mode
from sim_hardware.batch_mechanics import BatchMechanism
from sim_hardware.cards import Card, make_set
from sim_hardware.shelves import shuffled, sort_passes, sort_shelf
from sim_hardware.slot_mechanics import SlotMechanism

CYCLES = 10_000
RISING_SEQUENCES = 26.5
NEIGHBOURS_LEFT = 0.98


def rising_sequences(pack: Sequence[int]) -> int:
    """Into how many rising sequences the original order of 0, 1, 2 … has come apart."""
    place = {card: at for at, card in enumerate(pack)}
    return 1 + sum(place[card + 1] < place[card] for card in range(len(pack) - 1))


def neighbours_left(pack: Sequence[int]) -> int:
    """How many cards are still followed by the one that followed them."""
    return sum(after == card + 1 for card, after in pairwise(pack))


def means(shuffle: Callable[[], Sequence[int]], cycles: int) -> tuple[float, float]:
    packs = [shuffle() for _ in range(cycles)]
    return fmean(map(rising_sequences, packs)), fmean(map(neighbours_left, packs))


def is_good(rising: float, neighbours: float) -> bool:
    return abs(rising - RISING_SEQUENCES) <= 0.1 and abs(neighbours - NEIGHBOURS_LEFT) <= 0.05


@pytest.mark.field("BR-008")
def test_two_passes_leave_no_order_and_the_same_check_finds_what_one_pass_leaves() -> None:
    rng = Random(8)
    assert is_good(*means(lambda: shuffled(range(52), rng, passes=2), CYCLES))
    assert not is_good(*means(lambda: shuffled(range(52), rng, passes=1), CYCLES))


def run(machine: BatchMechanism, cards: Sequence[Card], mode: Mode) -> list[Card]:
    """Lay cards in the tray, let the machine make its cycle, and take what then lies in the output."""
    machine.motors_on = True
    machine.lay_in_intake_tray(cards)
    machine.start_cycle(mode, machine.build.passes)
    while machine.cycle is not None:
        machine.step(machine.deadline)
    made = list(machine.output)
    machine.output.clear()
    return made


def numbered(machine: BatchMechanism, deck: Sequence[Card]) -> list[int]:
    place = {id(card): at for at, card in enumerate(deck)}
    return [place[id(card)] for card in run(machine, deck, Mode.SHUFFLE)]


def test_the_shelf_machine_shuffles_as_those_functions_do() -> None:
    deck = make_set(1)
    machine, rng = BatchMechanism(Random(3)), Random(3)
    for _ in range(5):
        assert numbered(machine, deck) == shuffled(range(52), rng)


def test_the_slot_machine_leaves_no_order() -> None:
    deck = make_set(1)
    machine = SlotMechanism(Random(3))
    rising, neighbours = means(lambda: numbered(machine, deck), 500)
    assert abs(rising - RISING_SEQUENCES) < 0.4  # four deviations of a mean of 500
    assert abs(neighbours - NEIGHBOURS_LEFT) < 0.2


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_sort_puts_each_deck_in_the_order_of_the_factory(decks: int) -> None:
    cards = make_set(decks)
    Random(decks).shuffle(cards)
    made = [card.face for card in run(BatchMechanism(Random(1)), cards, Mode.SORT)]
    assert made == list(ALL_FACES) * decks


def test_a_sort_after_one_that_was_broken_off_begins_anew() -> None:
    cards = make_set(8)
    Random(1).shuffle(cards)
    machine = BatchMechanism(Random(1))
    machine.motors_on = True
    machine.lay_in_intake_tray(cards)
    machine.start_cycle(Mode.SORT, 3)
    for _ in range(100):
        machine.step(machine.deadline)
    machine.stop()
    again = machine.take_out(len(cards)) + machine.take_from(machine.intake_tray)
    assert [card.face for card in run(machine, again, Mode.SORT)] == list(ALL_FACES) * 8


def test_no_sort_needs_more_shelves_than_there_are() -> None:
    shelves = {sort_shelf(face, copy, number) for face in ALL_FACES for copy in range(8) for number in (1, 2, 3)}
    assert shelves == set(range(10))
    assert [sort_passes(decks) for decks in (1, 2, 8)] == [2, 3, 3]


def test_an_inspection_leaves_the_order_as_it_was() -> None:
    for machine, decks in ((BatchMechanism(Random(1)), 8), (SlotMechanism(Random(1)), 1)):
        cards = make_set(decks)
        Random(2).shuffle(cards)
        assert run(machine, cards, Mode.INSPECT) == cards
