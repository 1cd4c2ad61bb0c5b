"""What a session's report consists of: each line with the record that it rests on."""

from __future__ import annotations

from msgspec import Struct

from drivers.protocol.messages import Capability
from firmware_bridge.core import events as e
from firmware_bridge.core.words import THE_ONLY
from firmware_bridge.view.incident_course import CourseLine, When
from firmware_bridge.view.repeats import Repeat


class SeatLine(Struct, frozen=True):
    """Somebody took a seat at the table: signed in, opened it, or took it over."""

    when: When
    person: int
    role: str
    what: str


class PersonLine(Struct, frozen=True):
    """Somebody who acted at the keypad, and how many steps he took, refused ones among them."""

    person: int
    role: str
    first: When
    steps: int


class KeyLine(Struct, frozen=True):
    """A dealer's key that counted, and who was signed in. ``answered``: what was asked at the opening, in words."""

    when: When
    person: int
    key: str
    answered: str = ""


class ClockLine(Struct, frozen=True):
    """The wall's clock was set, in words; from here on ``when`` is by the new one."""

    when: When
    text: str


class DeviceReport(Struct, frozen=True):
    """A device, by what it says of itself, and since when it stood there: from the session's beginning on, or later."""

    name: str
    kind: str
    since: When
    model: str
    serial: str
    firmware: str
    digest: str
    simulated: bool
    capabilities: Capability

    @property
    def identity(self) -> e.Identity:
        """What it says that it is."""
        return e.Identity(self.model, self.serial, self.firmware, self.digest, self.simulated, self.capabilities)


class SoftwareLine(Struct, frozen=True):
    """A program that ran the table; the digest is over its own files, and empty where it told none."""

    name: str
    digest: str


class StepLine(Struct, frozen=True):
    """A step of the session outside of play: from which state to which, and whose it was (0 and empty: no person's)."""

    when: When
    trigger: str
    source: str
    target: str
    role: str = ""
    person: int = 0


class PackLine(Struct, frozen=True):
    """A pack of the loading: so many cards of it counted in, and who was present at its beginning and its end."""

    began: When
    role: str
    person: int
    ended: When | None = None
    ended_by: int = 0
    cards: int = 0


class Movement(Struct, frozen=True):
    """Cards of a set that moved in its books one after the other for one cause; from machine to shoe is no movement."""

    first: When
    last: When
    source: str
    target: str
    cause: str
    count: int
    set: str = THE_ONLY


class CountLine(Struct, frozen=True):
    """A full count of the machine; in a batch shuffler, of the set that was in it, and of none where it was empty."""

    when: When
    found: int
    expected: int
    agrees: bool
    set: str = THE_ONLY


class CycleLine(Struct, frozen=True):
    """A batch shuffler's cycle on a set, and who had it made; ``shuffled`` where it made the set dealable (SB-5).

    ``unread``: how many cards it read no face of; None where it told of no face. ``missing`` and ``over`` name the
    faces that it read too few or too many of, each as often.
    """

    began: When
    person: int
    set: str = THE_ONLY
    ended: When | None = None
    shuffled: bool = False
    unread: int | None = None
    missing: tuple[str, ...] = ()
    over: tuple[str, ...] = ()


class SetReport(Struct, frozen=True):
    """A set of the table: its decks by their numbers and backs, its cards by place, and what is not as it should be.

    ``ages`` are the sessions that each deck has served since it was new, this one with them where it was loaded.
    """

    name: str
    first_deck: int
    backs: tuple[str, ...]
    cards: int
    accounts: dict[str, int]
    difference: tuple[str, ...]
    since_good_count: str
    ages: tuple[int, ...] = ()


class RoundLine(Struct, frozen=True):
    """A round: how many cards were dealt in it, how many were out at its end, and whose it was then.

    ``void`` is the clause by which an error made it void; empty where it stands.
    """

    number: int
    began: When
    ended: When | None
    cards: int
    out: int
    dealer: int
    void: str = ""


class ClaimLine(Struct, frozen=True):
    """A claim, and the dealer who raised it; ``outcome`` is empty while it is open."""

    opened: When
    dealer: int
    closed: When | None = None
    outcome: str = ""
    person: int = 0


class IncidentReport(Struct, frozen=True):
    """An incident: its four moments, and its whole course with them among the entries.

    ``stands`` and ``next`` say where it stands and what is to be done, and are empty once it is confirmed.
    """

    number: int
    kind: str
    text: str
    clause: str
    state: str
    stands: str
    next: tuple[str, ...]
    discovered: When
    discovered_by: int
    stopped: When | None
    acknowledged: When | None
    acknowledged_by: int
    reported: When | None
    reported_by: int
    confirmed: When | None
    confirmed_by: int
    rounds_meanwhile: tuple[int, ...]
    action: str
    damaged: str
    face: str
    deck: int
    taken_from: str
    envelope: int
    void: str
    course: tuple[CourseLine, ...]


class DeckReport(Struct, frozen=True):
    """What the verification found of one deck; ``by_person``: no reader saw it, and ``person`` counted it.

    ``missing`` and ``over`` name faces, against one full deck; ``unread`` cards passed the reader unread.
    """

    deck: int
    text: str
    regular: bool
    by_person: bool
    when: When | None = None
    back: str = ""
    cards: int = 0
    missing: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    unread: int = 0
    person: int = 0
    set: str = THE_ONLY


class ShoeLine(Struct, frozen=True):
    """A filling of a shoe by hand. ``cut_by`` 0: whose right it was, so the dealer said; else who cut as none did.

    ``marked``: when its last round was known; ``behind`` so many cards, as the warning card came, or was missed.
    """

    filled: When
    number: int
    cut_by: int
    one_player: bool
    marked: When | None = None
    behind: int = 0
    came: bool = False


class RetiredMachine(Struct, frozen=True):
    """A machine that was taken out of service, by whom, over which incident, and where the books held the cards then.

    ``device`` is None where it was never connected; ``returned`` is when it was returned to service, though it be in a
    later session.
    """

    when: When
    machine: str
    role: str
    person: int
    incident: int
    accounts: dict[str, int]
    device: DeviceReport | None
    returned: When | None = None
    returned_by: int = 0


class SessionReport(Struct, frozen=True):
    """One session, as far as the journal tells it. What is about a set names it, where the table has two.

    ``fed_by_hand``: the table has no machine, people fill its shoe.
    """

    table: str
    session: int
    state: str
    state_text: str
    began: When
    ended: When | None
    last_record: When
    simulated: bool
    speed: float
    fed_by_hand: bool
    rulebook: str
    rulebook_title: str
    rulebook_digest: str
    software: tuple[SoftwareLine, ...]
    devices: tuple[DeviceReport, ...]
    seats: tuple[SeatLine, ...]
    people: tuple[PersonLine, ...]
    keys: tuple[KeyLine, ...]
    steps: tuple[StepLine, ...]
    packs: tuple[PackLine, ...]
    opened: When | None
    movements: tuple[Movement, ...]
    counts: tuple[CountLine, ...]
    cycles: tuple[CycleLine, ...]
    shoes: tuple[ShoeLine, ...]
    rounds: tuple[RoundLine, ...]
    sets: tuple[SetReport, ...]
    set_cards: int
    backs: tuple[str, ...]
    imperfect_decks: tuple[int, ...]
    authorisation: int
    accounts: dict[str, int]
    claims: tuple[ClaimLine, ...]
    refusals: dict[str, int]
    incidents: tuple[IncidentReport, ...]
    repeats: tuple[Repeat, ...]
    clock: tuple[ClockLine, ...]
    duties: tuple[str, ...]
    decks: tuple[DeckReport, ...]
    earlier_readings: tuple[DeckReport, ...]
    machines: tuple[RetiredMachine, ...]
    counted_out: str
    difference: tuple[str, ...]
    since_good_count: str
