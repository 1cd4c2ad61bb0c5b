"""The lines that hands type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from drivers.cards import ALL_FACES
from sim_hardware.cards import Card
from sim_hardware.config import Config, DevicesConfig, ShufflerConfig
from sim_hardware.hand_fed_table import HandFedTable
from sim_hardware.hands import ALONE, BETWEEN_PULLS, PULLS_FOR, Hands, UsageError
from sim_hardware.registry import BATCH_SHUFFLERS
from sim_hardware.runner import Runner
from sim_hardware.service import offered
from sim_hardware.table import CannotDoError, CarouselTable, Fittings, Now, PhysicalTable


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with offered(Config(str(tmp_path / "ports"), quick=True)) as runner:
        yield runner


@pytest.mark.parametrize("make", BATCH_SHUFFLERS)
def test_at_a_batch_shuffler_hands_see_what_lies_in_machine_and_shoe(tmp_path: Path, make: str) -> None:
    devices = DevicesConfig(shuffler=ShufflerConfig(make=make))
    with offered(Config(str(tmp_path / "ports"), decks=1, quick=True, devices=devices)) as runner:
        hands = Hands(runner)
        assert hands.do("tray 52") == "52 cards laid in the intake tray"
        assert "intake tray 52, shoe tray 0, shoe output 0; lid closed" in hands.do("status")
        hands.do("lid force")
        assert hands.do("look").startswith("0 cards in the buffer, ")


def test_hands_do_what_is_typed_and_say_only_what_can_be_seen(runner: Runner) -> None:
    hands = Hands(runner)
    assert hands.do("tray 104") == "104 cards laid in the intake tray"
    assert hands.do("status").startswith("box 104, table 0, discard 0, set aside 0, intake tray 104,")
    assert hands.do("tray") == "104 cards taken out of the intake tray; they lie on the table"
    assert hands.do("shoe 52") == "52 cards laid in the shoe's tray"
    assert hands.do("discard") == "52 cards moved to the discard"
    assert hands.do("return") == "52 cards of the discard laid in the intake tray"
    assert hands.do("shoe") == "0 cards taken off the shoe's output; they lie on the table"
    assert hands.do("pull") == "no card comes"
    assert hands.do("lid open") == "the lid is locked"
    assert hands.do("lid force") == "the lid is open"
    assert hands.do("look") == "0 cards in the buffer, 0 in the compartments"
    assert hands.do("empty") == "0 cards taken out of the machine; they lie on the table"
    assert hands.do("lid close") == "the lid is closed"
    assert hands.do("lid blink") == "the lid is closed"
    assert hands.do("search") == "0 cards found; they lie on the table"
    assert hands.do("jam exit") == "the next card will stick: exit"
    assert hands.do("fault key-sticks") == "at the next opportunity: key sticks"
    assert hands.do("intake trip") == "the intake's cut-out is open"
    assert hands.do("intake reset") == "the intake's cut-out is closed"
    assert hands.do("key round-over") == "round-over pressed"
    assert hands.do("faults") == "key sticks: 1"
    assert hands.do("loosen") == "no card sticks; every key is up"
    assert hands.do("unplug lamp") == "lamp: unplugged"
    assert hands.do("plug lamp") == "lamp: plugged"
    assert hands.do("reboot shoe") == "shoe: started anew"
    assert hands.do("wipe shoe") == "shoe: started anew, memory lost"
    assert "press KEYS" in hands.do("help")


@pytest.mark.parametrize(
    "line",
    [
        "dance",
        "tray many",
        "key no",
        "lid",
        "intake",
        "jam",
        "fault all",
        "unplug table",
        "reboot",
        "press 12x",
        "press",
        "pull many",
        "tray 4 5",
        "lid open now",
        "unplug shoe now",
    ],
)
def test_a_line_that_means_nothing_is_refused(runner: Runner, line: str) -> None:
    with pytest.raises(UsageError):
        Hands(runner).do(line)


@pytest.mark.parametrize("verb", [*ALONE, "sort", "help"])
def test_a_word_too_many_is_refused_and_nothing_moves(runner: Runner, verb: str) -> None:
    hands = Hands(runner)
    hands.do("tray 10")
    hands.do("tray")
    before = hands.do("status")
    with pytest.raises(UsageError, match="means nothing" if verb != "pull" else "no number"):
        hands.do(f"{verb} twice")
    assert hands.do("status") == before


@pytest.mark.parametrize("line", ["tray 209", "shoe 1", "look", "clear", "empty", "inside 0"])
def test_what_hands_cannot_do_is_said(runner: Runner, line: str) -> None:
    with pytest.raises(CannotDoError):
        Hands(runner).do(line)


MACHINE_LINES = (
    "tray 4",
    "return",
    "lid open",
    "look",
    "clear",
    "inside 1",
    "empty",
    "search",
    "intake trip",
    "jam exit",
)


@pytest.mark.parametrize(
    "line", ["unplug shuffler", "plug shuffler", "reboot shuffler", "wipe shuffler", *MACHINE_LINES]
)
def test_what_is_not_at_the_table_is_said_to_be_none(line: str) -> None:
    """Where people fill the shoe no machine stands."""
    hands = Hands(AtOnce(HandFedTable(Random(3), Now(0.0, 0.0))))  # type: ignore[arg-type]
    with pytest.raises(CannotDoError, match="no shuffler stands at this table"):
        hands.do(line)
    hands.do("reboot shoe")


def test_sorted_cards_lie_deck_by_deck_as_the_set_has_its_backs() -> None:
    backs = ["red", "red", "green", "black"]
    table = CarouselTable(Random(3), Now(0.0, 0.0), Fittings(decks=4, backs=tuple(backs)))
    Random(5).shuffle(table.box)
    table.move(table.box[:60], table.discard)
    table.move(table.box, table.on_table)
    hands = Hands(AtOnce(table), backs)
    assert hands.do("sort") == "sorted on the table, first what is read first: red 52, red 52, green 52, black 52"
    assert (len(table.on_table), len(table.discard)) == (208, 0)
    for place, back in enumerate(backs):
        deck = table.on_table[52 * place : 52 * (place + 1)]
        assert {card.back for card in deck} == {back}
        assert {card.face for card in deck} == set(ALL_FACES)


def test_a_card_too_many_is_sorted_behind_the_decks() -> None:
    table = CarouselTable(Random(3), Now(0.0, 0.0), Fittings(decks=2, backs=("red", "blue")))
    table.bring([Card(ALL_FACES[0], "red", 9)])
    table.move(table.box, table.on_table)
    assert Hands(AtOnce(table)).do("sort").endswith(": red 52, blue 52, red 1")


class AtOnce(Runner):
    """Lends a table that stands still, without thread or ports."""

    def __init__(self, table: PhysicalTable) -> None:
        self.lent = 0
        self._still = table

    @contextmanager
    def hands(self) -> Iterator[PhysicalTable]:
        """Lend it; ``lent`` is 1 meanwhile."""
        self.lent += 1
        yield self._still
        self.lent -= 1


class Mouth(CarouselTable):
    """A table at whose mouth a card comes only at some pulls."""

    def __init__(self, comes: list[bool]) -> None:
        super().__init__(Random(3), Now(0.0, 0.0))
        self._comes = comes

    def pull_card(self) -> Card | None:
        if not self._comes or not self._comes.pop(0):
            return None
        card = self.box[0]
        self.move([card], self.on_table)
        return card


class Waiting:
    """A clock that goes on by waiting alone."""

    def __init__(self, runner: AtOnce) -> None:
        self.now = 0.0
        self._runner = runner

    def wait(self, seconds: float) -> None:
        assert self._runner.lent == 0, "the table stands still while somebody waits"
        self.now += seconds


def pulling(comes: list[bool]) -> tuple[Hands, Mouth, Waiting]:
    table = Mouth(comes)
    runner = AtOnce(table)
    time = Waiting(runner)
    return Hands(runner, clock=lambda: time.now, wait=time.wait), table, time


def test_pulling_goes_on_until_so_many_cards_came() -> None:
    hands, table, _ = pulling([True, False, False, True, True, True])
    assert hands.do("pull 3") == "3 cards came; they lie on the table"
    assert len(table.on_table) == 3


def test_pulling_ends_when_no_card_comes_for_a_while() -> None:
    hands, table, time = pulling([True, False, True])
    assert hands.do("pull 208") == "2 cards came; they lie on the table; no card came for 5 s"
    assert len(table.on_table) == 2
    assert PULLS_FOR <= time.now < PULLS_FOR + 3 * BETWEEN_PULLS
    assert hands.do("pull 1") == "no card came for 5 s"


def test_a_damaged_card_among_those_pulled_is_seen() -> None:
    hands, table, _ = pulling([True, True])
    table.box[1].damaged = True
    assert hands.do("pull 2").endswith(" back, damaged")


def test_ctrl_c_ends_pulling_and_the_cards_that_came_lie_on_the_table() -> None:
    table = Mouth([True])

    def interrupted(_seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Hands(AtOnce(table), wait=interrupted).do("pull 2")
    assert len(table.on_table) == 1


def test_typed_keys_are_repeated_nowhere(runner: Runner) -> None:
    hands = Hands(runner)
    with pytest.raises(UsageError) as refused:
        hands.do("press 739151x")
    assert "739151" not in str(refused.value)
    assert "739151" not in hands.do("press 739151e")
