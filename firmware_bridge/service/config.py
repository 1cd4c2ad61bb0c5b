"""The configuration of one table: a TOML file read into frozen objects, or all that is wrong with it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Struct, structs

from drivers.protocol.messages import Capability, Kind, Operation
from drivers.registry import DRIVERS
from drivers.transport.base import FORMAT
from drivers.transport.usb_address import BOOT_KEYBOARD, UsbAddress, is_usb_address
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import RuleBook, load_for_table
from firmware_bridge.service.captures import misplaced
from firmware_bridge.toml_file import (
    Place,
    Problem,
    Within,
    allowed,
    convert,
    dotted,
    read_toml,
    repeated,
    table_of,
    unknown_keys,
)

PRINTED = r"[^\x00-\x1f\x7f]*"
Text = Annotated[str, Within(1, 40, "no control characters", PRINTED)]
PathText = Annotated[str, Within(1, 4000, "no control characters", PRINTED)]
OptionalPath = Annotated[str, Within(0, 4000, "no control characters, and not spaces alone", rf"|(?! +$){PRINTED}")]
Digest = Annotated[str, Within(0, 64, 'as "sabot rules check" tells it', "|[0-9a-f]{64}")]
FORMAT_WORDS = (
    "speed, data bits (7 or 8), parity (N none, E even, O odd) and stop bits (1 or 2), "
    'as "9600 8E1"; left out, as the driver has it'
)
Format = Annotated[str, Within(0, 11, FORMAT_WORDS, f"|{FORMAT}", say_all=True)]


SLOWEST = 0.01
"""Table seconds a real second at least: slower, a time of minutes would never come to its end."""


STATUS = "/run/sabot"
"""The folder of the status file, where no other is named."""


class Table(Struct, frozen=True, kw_only=True):
    """The table: its cards, its law, its files. ``fed_by_hand``: it has no shuffler, people fill its shoe."""

    name: Text
    decks: Annotated[int, Within(1, 8)]
    backs: Annotated[tuple[Text, ...], Within(1, 8)]
    second_backs: Annotated[tuple[Text, ...], Within(0, 8)] = ()
    rulebook: PathText
    rulebook_digest: Digest = ""
    fed_by_hand: bool = False
    journal: PathText
    people: PathText
    status: PathText = STATUS
    allow_simulated: bool = False
    screen_required: bool = False
    journal_room_mb: Annotated[int, Within(1, 1_000_000)] = 200


class Time(Struct, frozen=True, kw_only=True):
    """Seconds of table time that pass in a real second; 1.0 wherever there are real cards."""

    speed: Annotated[float, Within(SLOWEST, 1000)] = 1.0


class Device(Struct, frozen=True, kw_only=True):
    """A device at the table: what we call it, which driver speaks to it, and on which port (or ``usb:`` address).

    ``format`` sets the serial line up; empty, as the driver has it. Whatever passes over it is written to ``capture``,
    if that is given.
    """

    name: Text
    driver: Text
    port: PathText
    format: Format = ""
    capture: OptionalPath = ""


class Log(Struct, frozen=True, kw_only=True):
    """From which level up lines are logged."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class Config(Struct, frozen=True, kw_only=True):
    """A table as configured, with the rule book it names; its files' paths are absolute."""

    table: Table
    time: Time
    devices: tuple[Device, ...]
    log: Log
    book: RuleBook


NEEDED: Mapping[str, tuple[frozenset[Kind], int, int]] = {
    "shuffler": (MACHINES, 1, 1),
    "shoe": (frozenset({Kind.SHOE}), 1, 1),
    "keypad": (frozenset({Kind.KEYPAD}), 1, 1),
    "lamp": (frozenset({Kind.LAMP}), 0, 1),
    "pad of dealer's keys": (frozenset({Kind.DEALER_KEYS}), 0, 0),
}
"""How many devices stand at a table, at least and at most, by what they are."""

FED_BY_HAND: Mapping[str, tuple[frozenset[Kind], int, int]] = {
    "shuffler": (MACHINES, 0, 0),
    "shoe, or, beside a metal box, for a pad of dealer's keys": (frozenset({Kind.SHOE, Kind.DEALER_KEYS}), 1, 1),
    "keypad": NEEDED["keypad"],
    "lamp": NEEDED["lamp"],
}
"""The same where people fill the shoe, or a metal box, which is no device (MO-1b)."""
BY_HAND = "table.fed_by_hand is true, which says that people fill the shoe"

DEALS_FROM: Mapping[Kind | None, str] = {
    **{machine: machine.name.lower() for machine in MACHINES},
    Kind.DEALER_KEYS: "metal_box",
    None: "hand_fed_shoe",
}
"""What a table deals from, as books name it, by its machine; without one, by whether the dealer's keys stand alone."""

ORDERED = dict.fromkeys(MACHINES, frozenset({Operation.INVENTORY, Operation.SHUFFLE}))
"""What the procedures order of a kind: a make that cannot do it stands at no table yet."""

FILES = ("journal", "people", "status")
"""Keys of a table that are paths."""

_Values = dict[str, Any]


def load_config(path: Path) -> Config:
    """Return the configuration in a file. Raises ``ConfigError`` with all faults and their remedies."""
    file = read_toml(path, "configuration")
    tables = file.tables
    problems = unknown_keys(tables, ("table", "time", "device", "log"))
    table, time, log = (
        _read(struct, table_of(tables, (name,), problems), (name,), problems)
        for name, struct in (("table", Table), ("time", Time), ("log", Log))
    )
    fed_by_hand = _said(tables.get("table"), table, "fed_by_hand", otherwise=False)
    devices = _devices(tables.get("device", []), fed_by_hand, problems)
    book = _book(table, path.parent, problems)
    files: _Values = {"status": STATUS} | table
    if "rulebook" in table:
        files["rulebook"] = _rulebook_in(path.parent, table["rulebook"])
    problems += misplaced(path, files, devices)
    problems += _machine_against_the_book(devices, fed_by_hand, book)
    problems += _hears_nothing(devices) if fed_by_hand else []
    file.refuse(problems)
    assert book is not None  # a rule book that cannot be had is a problem told above
    return Config(
        table=Table(**_anchored(table, FILES, path.parent)),
        time=Time(**time),
        devices=tuple(Device(**_anchored(device, ("port", "capture"), path.parent)) for device in devices),
        log=Log(**log),
        book=book,
    )


def _read(struct: type[Struct], table: Mapping[str, Any], place: Place, problems: list[Problem]) -> _Values:
    """The good values of a table; what is wrong with the others goes to ``problems``."""
    fields = structs.fields(struct)
    problems += unknown_keys(table, [field.name for field in fields], place)
    values: _Values = {}
    for field in fields:
        key = (*place, field.name)
        if field.name in table:
            try:
                values[field.name] = convert(table[field.name], field.type)
            except ValueError as error:
                problems.append(Problem(key, f"{dotted(key)} = {repeated(table[field.name])}; {error}"))
        elif field.required:
            problems.append(Problem(key, f"{dotted(key)} is missing; allowed: {allowed(field.type)}"))
    return values


def _said(given: object, good: _Values, key: str, *, otherwise: bool) -> bool | None:
    """What a table says with a key; None where it says something that is refused, so that nothing follows from it."""
    is_given = isinstance(given, Mapping) and key in given
    return good.get(key) if is_given else otherwise


def _devices(tables: object, fed_by_hand: bool | None, problems: list[Problem]) -> list[_Values]:
    """The good values of each device; what is wrong with any, or with all together, goes to ``problems``."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        problems.append(Problem(("device",), "device is no list of tables; write [[device]] above each device"))
        return []
    devices = []
    for number, table in enumerate(tables):
        device = _read(Device, table, ("device", number), problems)
        if "driver" in device and device["driver"] not in DRIVERS:
            known = " or ".join(f'"{name}"' for name in DRIVERS)
            words = f'device {number + 1}.driver = "{device["driver"]}"; allowed: {known}'
            problems.append(Problem(("device", number, "driver"), words))
        else:
            problems += _cannot_do(number, device) + _wrong_port(number, device)
        devices.append(device)
    problems += _shared(devices, "name", str) + _shared(devices, "port", _port_itself)
    problems += _too_few_or_many(devices, fed_by_hand)
    return devices


def _cannot_do(number: int, device: _Values) -> list[Problem]:
    """A problem where a driver's make cannot do on order what the procedures order of its kind."""
    driver = DRIVERS.get(device.get("driver", ""))
    lacking = ORDERED.get(driver.kind, frozenset()) - driver.operations if driver is not None else frozenset()
    if not lacking:
        return []
    names = " nor ".join(sorted(one.name.lower() for one in lacking))
    words = (
        f'device {number + 1}.driver = "{device["driver"]}": no {names} can be ordered of it, and the procedures count '
        "and shuffle by that (SB-4, SB-7, SB-9); name a machine that can"
    )
    return [Problem(("device", number, "driver"), words)]


def _wrong_port(number: int, device: _Values) -> list[Problem]:
    """A problem where a port is not what the driver can speak on, or the address of a USB device is none."""
    driver, port = DRIVERS.get(device.get("driver", "")), device.get("port", "")
    what = ""
    if not is_usb_address(port):
        if port and driver is not None and driver.interface == BOOT_KEYBOARD:
            what = "is no USB device; name the keypad as usb:VENDOR:PRODUCT:SERIAL or usb:VENDOR:PRODUCT@PORT"
    elif driver is not None and driver.interface is None:
        what = f"is a USB device itself, and a {driver.name} speaks over a serial line; name that line's port"
    elif device.get("format"):
        what = f'has no serial format; leave out device {number + 1}.format = "{device["format"]}"'
    else:
        try:
            UsbAddress.parse(port)
        except ValueError as error:
            what = str(error).removeprefix(f"{port!r} ")
    if not what:
        return []
    return [Problem(("device", number, "port"), f"device {number + 1}.port = {repeated(port)} {what}")]


def _port_itself(port: str) -> str:
    """Two paths may lead to one port."""
    return port if is_usb_address(port) else os.path.realpath(port)


def _hears_nothing(devices: Sequence[_Values]) -> list[Problem]:
    """A problem for a shoe that people fill and that hears nothing: no release tells it dealing from drawing out."""
    return [
        Problem(
            ("device", number, "driver"),
            f'device {number + 1}.driver = "{device["driver"]}": a shoe that people fill is dealt from and drawn out '
            "under releases, and this one hears none (SB-7); name a shoe that does",
        )
        for number, device in enumerate(devices)
        if (driver := DRIVERS.get(device.get("driver", ""))) is not None and Capability.SEND_ONLY in driver.required
    ]


def _shared(devices: Sequence[_Values], key: str, identity: Callable[[str], str]) -> list[Problem]:
    """A problem for each device that has what an earlier one has."""
    first: dict[str, int] = {}
    problems = []
    for number, device in enumerate(devices, start=1):
        if key in device:
            earlier = first.setdefault(identity(device[key]), number)
            if earlier != number:
                words = (
                    f'device {number}.{key} = "{device[key]}" is the {key} of device {earlier} too; '
                    f"give each device a {key} of its own"
                )
                problems.append(Problem(("device", number - 1, key), words))
    return problems


def _too_few_or_many(devices: Sequence[_Values], fed_by_hand: bool | None) -> list[Problem]:
    """A problem for each kind of which the table has not as many devices as it needs.

    Of shufflers nothing is said where it is not known whether people fill the shoe.
    """
    if any(device.get("driver") not in DRIVERS for device in devices):
        return []  # told already, and which kind was meant is unknown
    counts = Counter(DRIVERS[device["driver"]].kind for device in devices)
    problems = []
    for what, (kinds, fewest, most) in _needed(fed_by_hand).items():
        stand = sum(counts[kind] for kind in kinds)
        if not fewest <= stand <= most:
            allowed = fewest if fewest == most else f"{fewest} or {most}"
            words = f"[[device]] stands {stand} times for a {what}; allowed: {allowed}"
            if what == "shuffler" and not stand:
                words += f" (none where {BY_HAND})"
            elif what == "shuffler" and fed_by_hand:
                words += f" ({BY_HAND})"
            problems.append(Problem(("device",), words))
    return problems


def _needed(fed_by_hand: bool | None) -> Mapping[str, tuple[frozenset[Kind], int, int]]:
    if fed_by_hand is None:
        return {what: needed for what, needed in NEEDED.items() if what != "shuffler"}
    return FED_BY_HAND if fed_by_hand else NEEDED


def _book(table: _Values, folder: Path, problems: list[Problem]) -> RuleBook | None:
    """The rule book that the table names, with the table's cards held against it."""
    if "decks" in table and "backs" in table and len(table["backs"]) != table["decks"]:
        words = (
            f"table.backs names {len(table['backs'])} colours and table.decks is {table['decks']}; "
            "name the colour of each deck's backs, deck by deck"
        )
        problems.append(Problem(("table", "backs"), words))
    problems += _second_set(table)
    if table.get("fed_by_hand") and table.get("second_backs"):
        words = "table.second_backs: a table whose shoe people fill plays one set; leave the second one out"
        problems.append(Problem(("table", "second_backs"), words))
    if "rulebook" not in table:
        return None
    try:
        book = load_for_table(_rulebook_in(folder, table["rulebook"]), table.get("rulebook_digest", ""))
    except ConfigError as error:
        problems += [Problem(("table", "rulebook"), f"table.rulebook: {line}") for line in str(error).splitlines()]
        return None
    problems += _against_the_book(table, book)
    return book


def _second_set(table: _Values) -> list[Problem]:
    """A second set has as many decks as the first, and none of its colours: a card tells of which it is (SB-6)."""
    first, second = table.get("backs", ()), table.get("second_backs", ())
    if not second or (len(second) == len(first) and not set(first) & set(second)):
        return []
    words = (
        f"table.second_backs = {repeated(second)}; the second set has as many decks as the first one, and no colour of "
        "it: name the colour of each of its decks' backs"
    )
    return [Problem(("table", "second_backs"), words)]


def _against_the_book(table: _Values, book: RuleBook) -> list[Problem]:
    """What the table has and its rule book does not allow."""
    forbidden = []
    if "decks" in table and table["decks"] not in book.equipment.decks_allowed:
        fitting = " or ".join(map(str, book.equipment.decks_allowed))
        forbidden.append(("decks", "equipment.decks_allowed", fitting))
    if len(set(table.get("backs", ()))) > 1 and not book.equipment.mixed_backs:
        forbidden.append(("backs", "equipment.mixed_backs", "one colour for all decks"))
    told = f"allowed by the rule book {book.id}"
    return [
        Problem(("table", key), f"table.{key} = {repeated(table[key])}; {told}: {fitting} ({book.clause_of(asked)})")
        for key, asked, fitting in forbidden
    ]


def _machine_against_the_book(
    devices: Sequence[_Values], fed_by_hand: bool | None, book: RuleBook | None
) -> list[Problem]:
    """A problem where the table's machine is none that the book allows, or cannot be fed as the book wants it."""
    kinds = [DRIVERS[device["driver"]].kind for device in devices if device.get("driver") in DRIVERS]
    machine = next((kind for kind in kinds if kind in MACHINES), None)
    if book is None or (machine is None and not fed_by_hand):
        return []
    if machine is None and Kind.DEALER_KEYS in kinds:
        machine = Kind.DEALER_KEYS
    why_not = why_no_such_machine(machine, book)
    return [Problem(("device",), f"[[device]]: {why_not}")] if why_not else []


def why_no_such_machine(machine: Kind | None, book: RuleBook) -> str:
    """Why no table has such a machine by this book, in words; empty where it may.

    None: no machine, but a shoe that people fill; keys alone: a metal box.
    """
    name, allowed = DEALS_FROM[machine], book.equipment.machines_allowed
    if name not in allowed:
        clause = book.clause_of("equipment.machines_allowed")
        return f"a table here has a {name}; allowed by the rule book {book.id}: {' or '.join(allowed)} ({clause})"
    if machine is Kind.BATCH_SHUFFLER and book.rounds.discards_return_after_each:
        key = "rounds.discards_return_after_each"
        return (
            f"a {name} takes a whole set and no single round's cards, which the rule book {book.id} has go back after "
            f"each round ({book.clause_of(key)}); name a continuous shuffler, or a book whose {key} is false"
        )
    if machine is Kind.BATCH_SHUFFLER and book.loading.min_packs > 1:
        key = "loading.min_packs"
        return (
            f"a {name} takes a whole set as one pack, and the rule book {book.id} wants {book.loading.min_packs} at "
            f"least ({book.clause_of(key)}); name a continuous shuffler, or a book whose {key} is 1"
        )
    return ""


def _rulebook_in(folder: Path, name: str) -> str | Path:
    """A rule book's bare name as it is; its path from the configuration's folder."""
    return folder / name if "/" in name or name.endswith(".toml") else name


def _anchored(table: _Values, paths: Iterable[str], folder: Path) -> _Values:
    """The same with its paths read from the configuration's folder, not from where the program was started."""
    relative = [key for key in paths if table.get(key) and not is_usb_address(table[key])]
    return table | {key: str(folder.absolute() / table[key]) for key in relative}
