"""Hands by the line: what somebody types is done at the table, and what then lies open is said."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from drivers.cards import face_name
from drivers.protocol.messages import DealerKey, JamPlace, Key
from sim_hardware.cards import BACKS, Card, as_read, sorted_decks
from sim_hardware.equipment import SHUFFLER
from sim_hardware.faults import DEVICES, Fault
from sim_hardware.runner import Runner
from sim_hardware.table import CannotDoError, PhysicalTable

KEYS = {str(digit): digit for digit in range(10)} | {"e": Key.ENTER, "c": Key.CLEAR}
DEALER_KEYS = {key.name.lower().replace("_", "-"): key for key in DealerKey}
JAMS = {place.name.lower(): place for place in JamPlace}
FAULTS = {fault.name.lower().replace("_", "-"): fault for fault in Fault}

BETWEEN_PULLS = 0.05
"""Seconds between two pulls of ``pull N`` while no card comes."""

PULLS_FOR = 5.0
"""Seconds without a card after which ``pull N`` gives up: dealing is held, or there is none left."""

HELP = f"""\
pull                        pull a card at the shoe's mouth; it then lies on the table
pull N                      pull until N cards came, or none came for {PULLS_FOR:g} s
tray N                      lay N cards of the box in the machine's intake tray
tray                        take what is left out of the intake tray; it then lies on the table
return                      lay the discard in the intake tray
discard                     move the cards on the table to the discard; return then lays them in the tray again
shoe N                      lay N cards from the table in the shoe's own tray
shoe                        take the shoe's output stack; it then lies on the table
key NAME                    dealer's key: {", ".join(DEALER_KEYS)}
key test                    the test key of a shoe that says nothing by itself
press KEYS                  keypad: digits, e for Enter, c for Clear (12e)
lid open|force|close|blink  the machine's lid; blink: broken open and shut again at once
sort                        sort what lies on table and discard; on the table, deck by deck as they are read
look                        look under the open lid
clear                       take out the card that sticks; it then lies on the table
inside N                    lay N cards from the table in the machine's compartments, by hand
empty                       take every card out of the machine, by hand
search                      search the well under the table
intake trip|reset           the intake motor's thermal cut-out
jam PLACE                   the next card sticks: {", ".join(JAMS)}
fault NAME                  goes wrong at the next opportunity: {", ".join(FAULTS)}
loosen                      the stuck card comes free by itself; keys that stick come up
faults                      how often each fault struck
status                      what lies open, lid, lamps
unplug DEVICE, plug DEVICE  a cable: {", ".join(DEVICES)}
reboot DEVICE, wipe DEVICE  cut the power; wipe: the memory is lost as well
quit                        end"""


class UsageError(Exception):
    """A line that means nothing; the message says what would."""


class Hands:
    """Does one typed line after another. It says only what somebody at the table could see.

    ``backs`` are those of the set's decks, in their order. ``clock`` and ``wait`` are real time, in seconds.
    """

    def __init__(
        self,
        runner: Runner,
        backs: Sequence[str] = BACKS,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self._runner = runner
        self._clock = clock
        self._wait = wait
        self._alone: Mapping[str, Callable[[PhysicalTable], str]] = {**ALONE, "sort": partial(_sort, backs)}
        self._at_cables = {"unplug": runner.unplug, "plug": runner.replug}

    def do(self, line: str) -> str:
        """Do a line; return what is to be said. Raises UsageError or CannotDoError; then nothing has moved."""
        verb, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        self._check(verb, rest)
        if verb == "pull" and rest:
            return self._pull_until(_number(rest))
        if verb in self._at_cables:
            device = _device(rest)
            self._at_cables[verb](device)
            return f"{device}: {verb}ged"
        if verb in WITH_A_WORD:
            with self._runner.hands() as table:
                return WITH_A_WORD[verb](table, rest)
        if verb not in self._alone and verb != "help":
            raise UsageError(f"{verb!r} is nothing that hands can do; type help")
        if rest:
            raise UsageError(f"{verb} stands alone: {rest!r} after it means nothing; type help")
        if verb == "help":
            return HELP
        with self._runner.hands() as table:
            return self._alone[verb](table)

    def _check(self, verb: str, rest: str) -> None:
        """Refuse what is done at a device that does not stand here: where people fill the shoe no machine does."""
        at = SHUFFLER if verb in AT_THE_MACHINE else rest if verb in AT_A_DEVICE else ""
        if at in DEVICES:
            with self._runner.hands() as table:
                if at not in table.equipment:
                    raise CannotDoError(
                        f"no {at} stands at this table: people fill its shoe, and that no line does yet"
                    )

    def _pull_until(self, count: int) -> str:
        """Pull card by card; between two pulls the table runs on, and whoever waits may be interrupted."""
        came: list[Card] = []
        last_at = self._clock()
        while len(came) < count and self._clock() - last_at < PULLS_FOR:
            with self._runner.hands() as table:
                card = table.pull_card()
            if card is None:
                self._wait(BETWEEN_PULLS)
            else:
                came.append(card)
                last_at = self._clock()
        told = [f"{len(came)} cards came; they lie on the table"] if came else []
        told += [] if len(came) == count else [f"no card came for {PULLS_FOR:g} s"]
        return "; ".join([*told, *(_told(card) for card in came if card.damaged)])


def _pull(table: PhysicalTable) -> str:
    card = table.pull_card()
    return "no card comes" if card is None else _told(card)


def _tray(table: PhysicalTable, rest: str) -> str:
    if not rest:
        return f"{len(table.take_from_intake_tray())} cards taken out of the intake tray; they lie on the table"
    cards = _first(table.box, rest, "box")
    table.put_in_intake_tray(cards)
    return f"{len(cards)} cards laid in the intake tray"


def _return(table: PhysicalTable) -> str:
    cards = list(table.discard)
    table.put_in_intake_tray(cards)
    return f"{len(cards)} cards of the discard laid in the intake tray"


def _discard(table: PhysicalTable) -> str:
    cards = list(table.on_table)
    table.move(cards, table.discard)
    return f"{len(cards)} cards moved to the discard"


def _shoe(table: PhysicalTable, rest: str) -> str:
    if not rest:
        return f"{len(table.take_shoe_output())} cards taken off the shoe's output; they lie on the table"
    cards = _first(table.on_table, rest, "table")
    table.put_in_shoe_tray(cards)
    return f"{len(cards)} cards laid in the shoe's tray"


def _key(table: PhysicalTable, rest: str) -> str:
    if rest == "test":
        table.press_test_key()
        return "the test key pressed"
    if rest not in DEALER_KEYS:
        raise UsageError(f"{rest!r} is no key of the shoe: {', '.join(DEALER_KEYS)}, test")
    table.press_dealer_key(DEALER_KEYS[rest])
    return f"{rest} pressed"


def _press(table: PhysicalTable, rest: str) -> str:
    # What is typed may be a PIN: neither the answer nor the fault repeats it.
    if not rest or any(key not in KEYS for key in rest):
        raise UsageError("a key that the keypad does not have: digits, e for Enter, c for Clear")
    table.type_keys([KEYS[key] for key in rest])
    return "pressed"


def _sort(backs: Sequence[str], table: PhysicalTable) -> str:
    decks = as_read(sorted_decks([*table.on_table, *table.discard]), backs)
    table.move([card for deck in decks for card in deck], table.on_table)
    sizes = ", ".join(f"{deck[0].back} {len(deck)}" for deck in decks)
    return f"sorted on the table, first what is read first: {sizes or 'no card'}"


def _lid(table: PhysicalTable, rest: str) -> str:
    if rest == "close":
        table.close_lid()
    elif rest == "blink":
        table.blink_lid()
    elif rest in ("open", "force"):
        if not table.open_lid(force=rest == "force"):
            return "the lid is locked"
    else:
        raise UsageError("lid open, lid force, lid close, or lid blink")
    return f"the lid is {_lid_words(table)}"


def _look(table: PhysicalTable) -> str:
    inside = table.look_inside()
    told = f"{inside.buffer} cards in the buffer, {sum(inside.compartments)} in the compartments"
    return told if inside.stuck is None else f"{told}, one stuck: {inside.stuck.name.lower()}"


def _clear(table: PhysicalTable) -> str:
    return f"taken out: {_told(table.take_stuck_card())}; it lies on the table"


def _inside(table: PhysicalTable, rest: str) -> str:
    cards = _first(table.on_table, rest, "table")
    table.put_inside(cards)
    return f"{len(cards)} cards laid in the compartments"


def _empty(table: PhysicalTable) -> str:
    return f"{len(table.take_from_machine())} cards taken out of the machine; they lie on the table"


def _search(table: PhysicalTable) -> str:
    return f"{len(table.find_lost())} cards found; they lie on the table"


def _jam(table: PhysicalTable, rest: str) -> str:
    if rest not in JAMS:
        raise UsageError(f"{rest!r} is no place of a jam: {', '.join(JAMS)}")
    table.jam(JAMS[rest])
    return f"the next card will stick: {rest}"


def _fault(table: PhysicalTable, rest: str) -> str:
    if rest not in FAULTS:
        raise UsageError(f"{rest!r} is no fault: {', '.join(FAULTS)}")
    table.faults.arm(FAULTS[rest])
    return f"at the next opportunity: {FAULTS[rest]}"


def _loosen(table: PhysicalTable) -> str:
    table.free_keys()
    if table.mechanism.jam is None:
        return "no card sticks; every key is up"
    table.clear_by_itself()
    return "the stuck card has come free"


def _faults(table: PhysicalTable) -> str:
    struck = [f"{fault}: {times}" for fault, times in table.faults.struck.items()]
    return "; ".join(struck) or "nothing has gone wrong"


def _intake(table: PhysicalTable, rest: str) -> str:
    if rest not in ("trip", "reset"):
        raise UsageError("intake trip, or intake reset")
    table.trip_intake(rest == "trip")
    return f"the intake's cut-out is {'open' if rest == 'trip' else 'closed'}"


def _status(table: PhysicalTable) -> str:
    return (
        f"box {len(table.box)}, table {len(table.on_table)}, discard {len(table.discard)}, "
        f"set aside {len(table.set_aside)}, intake tray {len(table.mechanism.intake_tray)}, "
        f"shoe tray {len(table.shoe_mechanism.shoe_tray)}, shoe output {len(table.shoe_mechanism.shoe_output)}; "
        f"lid {_lid_words(table)}; lamp {table.lamp_shown.name.lower()}, "
        f"machine's lamp {table.machine_lamp_shown.name.lower()}"
    )


def _reboot(table: PhysicalTable, rest: str) -> str:
    table.reboot(_device(rest))
    return f"{rest}: started anew"


def _wipe(table: PhysicalTable, rest: str) -> str:
    table.reboot(_device(rest), memory_lost=True)
    return f"{rest}: started anew, memory lost"


def _first(place: list[Card], count: str, name: str) -> list[Card]:
    number = _number(count)
    if number > len(place):
        raise CannotDoError(f"{number} cards: on the {name} lie only {len(place)}")
    return place[:number]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"{text!r} is no number of cards")
    return int(text)


def _device(name: str) -> str:
    if name not in DEVICES:
        raise UsageError(f"{name!r} is no device: {', '.join(DEVICES)}")
    return name


def _lid_words(table: PhysicalTable) -> str:
    return "open" if table.lid_open else "closed"


def _told(card: Card) -> str:
    return f"{face_name(card.face)}, {card.back} back{', damaged' if card.damaged else ''}"


AT_A_DEVICE = frozenset({"unplug", "plug", "reboot", "wipe"})
AT_THE_MACHINE = frozenset({"tray", "return", "lid", "look", "clear", "inside", "empty", "search", "intake", "jam"})
"""What is done at a device that is named, and at the machine."""

ALONE: Mapping[str, Callable[[PhysicalTable], str]] = {
    "pull": _pull,
    "return": _return,
    "discard": _discard,
    "look": _look,
    "clear": _clear,
    "empty": _empty,
    "search": _search,
    "loosen": _loosen,
    "faults": _faults,
    "status": _status,
}

WITH_A_WORD: Mapping[str, Callable[[PhysicalTable, str], str]] = {
    "tray": _tray,
    "shoe": _shoe,
    "key": _key,
    "press": _press,
    "lid": _lid,
    "inside": _inside,
    "jam": _jam,
    "fault": _fault,
    "intake": _intake,
    "reboot": _reboot,
    "wipe": _wipe,
}
