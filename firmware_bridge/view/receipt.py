"""What a receipt is: a named list of fields, each of lines with the record that they rest on.

Text and JSON are two renderings of it. Nothing is blank: what nobody recorded is a line that says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct, field

from drivers.protocol.messages import Kind
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.core.words import THE_ONLY, Role
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.view.incident_course import CourseLine, When
from firmware_bridge.view.phrases import cards, identity_words, role_words, short, stands_on
from firmware_bridge.view.receipt_texts import LINES, UNKNOWN
from firmware_bridge.view.session_parts import DeviceReport, SessionReport, SetReport

Fact = int | str | bool | tuple[str, ...]


class ReceiptKind(StrEnum):
    """What a receipt is about."""

    LOAD = "load"
    UNLOAD = "unload"
    ENVELOPE = "envelope"
    FOREIGN = "foreign"
    MACHINE = "machine"
    INCIDENT = "incident"


class Line(Struct, frozen=True):
    """One thing that is told, in words, and the facts in them; ``when`` is None where no one record says it.

    ``known`` is false where nothing that was recorded tells it.
    """

    text: str
    when: When | None = None
    known: bool = True
    facts: dict[str, Fact] = field(default_factory=dict)


class Field(Struct, frozen=True):
    """A field of a receipt, by its name; it has at least one line."""

    name: str
    lines: tuple[Line, ...]


class Signature(Struct, frozen=True):
    """Whose signature is asked for, and by which clause; ``person`` is whom the records show in it, 0 for nobody."""

    role: str
    person: int
    clause: str


class Body(Struct, frozen=True):
    """What is a receipt's own: the incident's number (0 where it is about none), its fields, and who signs it.

    ``about`` is the session as this receipt tells it, where it is about one of two sets; ``set`` names that.
    """

    number: int
    fields: tuple[Field, ...]
    signatures: tuple[Signature, ...]
    about: SessionReport | None = None
    set: str = THE_ONLY


class Receipt(Struct, frozen=True):
    """A receipt about a session of a table; ``number`` and ``set`` as in its ``Body``."""

    kind: ReceiptKind
    number: int
    table: str
    session: int
    began: When
    ended: When | None
    last_record: When
    simulated: bool
    speed: float
    fields: tuple[Field, ...]
    signatures: tuple[Signature, ...]
    set: str = THE_ONLY


def line(name: str, when: When | None = None, /, **facts: Fact) -> Line:
    """A line of ``LINES`` with its facts filled in."""
    return Line(LINES[name].format_map(_words(facts)), when, facts=facts)


def unknown(name: str, /, **facts: Fact) -> Line:
    """A line of ``UNKNOWN``: what nobody recorded."""
    return Line(UNKNOWN[name].format_map(_words(facts)), known=False, facts=facts)


def _words(facts: dict[str, Fact]) -> dict[str, Fact]:
    """Facts as they are read: roles and numbers of cards in words, lists with commas."""
    plain: dict[str, Fact] = {
        name: ", ".join(value) if isinstance(value, tuple) else value for name, value in facts.items()
    }
    count = facts.get("cards")
    plain |= {"cards": cards(count)} if isinstance(count, int) else {}
    return plain | {"role": role_words(str(facts.get("role", "")))}


def entries(course: Iterable[CourseLine]) -> list[Line]:
    """Entries of an incident's course as lines."""
    return [
        Line(one.text, one.when, facts={"role": one.role, "person": one.person} if one.person else {}) for one in course
    ]


def told(name: str, lines: Iterable[Line], otherwise: Line) -> Field:
    """A field of these lines in the order of their records, undated ones last; of the other where there are none."""
    found = sorted(lines, key=lambda one: (one.when is None, one.when.record if one.when else 0))
    return Field(name, tuple(found) or (otherwise,))


TOLD = Field("told", (unknown("told"),))
"""Who was told of it; no step of the table enters that."""


def place_of(session: SessionReport, book: RuleBook) -> tuple[Field, ...]:
    """The fields with which every receipt begins: which table, by which book, and which set of cards."""
    backs = tuple(f"deck {deck} {back}" for one in session.sets for deck, back in enumerate(one.backs, one.first_deck))
    ages = tuple(f"deck {deck}: {age}" for one in session.sets for deck, age in enumerate(one.ages, one.first_deck))
    rules = line("rulebook", title=book.title, id=session.rulebook, digest=short(session.rulebook_digest))
    state = line("state", session.last_record, state=session.state_text)
    return (
        Field("table", (line("table", session.began, table=session.table, session=session.session), state)),
        Field("rulebook", (rules,)),
        Field("set", (*map(_set_line, session.sets), line("backs", backs=backs), line("ages", ages=ages))),
    )


def _set_line(one: SetReport) -> Line:
    named = {"set": one.name} if one.name else {}
    return line("one_of_two" if one.name else "set", decks=len(one.backs), cards=one.cards, **named)


def device_lines(device: DeviceReport | None) -> tuple[Line, ...]:
    """A device by what it says of itself; none tells who made it."""
    if device is None or not device.model:
        return (unknown("device"),)
    words = identity_words(device.identity)
    said = line(
        "device",
        device.since,
        words=words,
        name=device.name,
        model=device.model,
        serial=device.serial,
        firmware=device.firmware,
        digest=device.digest,
        simulated=device.simulated,
    )
    return said, unknown("maker")


def standing(session: SessionReport, kinds: Iterable[Kind], record: int) -> DeviceReport | None:
    """The device of these kinds that stood there at a record, or the first that did; None where there is none."""
    names = {kind.name.lower() for kind in kinds}
    devices = [one for one in session.devices if one.kind in names]
    return next((one for one in reversed(devices) if one.since.record <= record), devices[0] if devices else None)


def devices_at(session: SessionReport, record: int) -> tuple[Field, ...]:
    """Machine, where the table has one, and shoe that stood there at a record."""
    kinds: dict[str, Iterable[Kind]] = {} if session.fed_by_hand else {"machine": MACHINES}
    kinds["shoe"] = (Kind.SHOE,)
    return tuple(Field(name, device_lines(standing(session, of, record))) for name, of in kinds.items())


def signed(role: str, person: int, key: str, book: RuleBook) -> Signature:
    """A line to sign on, by a clause or a value of the book."""
    return Signature(role, person, stands_on(book, key))


def last_dealer(session: SessionReport, record: int) -> int:
    """Who was signed in as dealer at a record; 0 for nobody."""
    seats = [one.person for one in session.seats if one.role == Role.DEALER and one.when.record <= record]
    return seats[-1] if seats else 0
