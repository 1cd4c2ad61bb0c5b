"""The state of a table: everything that decides. It is a fold of the journal; only ``fold.py`` ever moves it."""

from __future__ import annotations

from msgspec import Struct, field

from drivers.cards import DECK_SIZE, UNREAD, Face
from drivers.protocol.messages import Capability, Kind
from firmware_bridge.core.accounts import Account
from firmware_bridge.core.changes import Postponed
from firmware_bridge.core.deal import Deal, Layout
from firmware_bridge.core.device_state import MACHINES, Device, OpenOrder
from firmware_bridge.core.events import Identity
from firmware_bridge.core.sequence import Dealt
from firmware_bridge.core.set_changes import BacksSeen, FacesRead
from firmware_bridge.core.shoe import Shoe
from firmware_bridge.core.slips import NamedSlip
from firmware_bridge.core.words import (
    ENDS,
    IN_PLAY,
    ROUND_RUNS,
    THE_ONLY,
    CardSet,
    Claim,
    Course,
    Dealing,
    Incident,
    IncidentKind,
    Place,
    Procedure,
    Role,
    Session,
)

SESSIONS: dict[str, Session] = {one.value: one for one in Session}
CLAIMS: dict[str, Claim] = {one.value: one for one in Claim}
CARD_SETS: dict[str, CardSet] = {one.value: one for one in CardSet}
COURSES: dict[str, Course] = {one.value: one for one in Course}
DEALINGS: dict[str, Dealing] = {one.value: one for one in Dealing}
"""Look-ups: an enumeration's call costs three times as much, and guards ask at every event."""


class Moment(Struct, frozen=True):
    """When something was recorded: the record, the table's time in nanoseconds, UTC in nanoseconds."""

    record: int
    at: int
    utc_ns: int


class OpenIncident(Struct):
    """An incident and its alarm: raised, acknowledged, cleared, confirmed are four separate facts.

    ``again`` is when it last came back though it was cleared: whoever had seen it before has not seen that.
    ``rounds`` came in part while it was open; ``stopped`` is when dealing was confirmed held; ``place`` is where the
    books held the damaged ``face``, ``marked_deck`` whether naming it marked its deck; ``read`` is the face last
    offered as its replacement; ``reread`` are the faces of what lies open, as far as read again; ``reported`` is when
    the room manager said that he had reported it; ``void`` is the clause by which it made its round void; ``checked``
    is the device as the technician saw it.
    """

    kind: IncidentKind
    about: str
    detail: str
    raised: Moment
    again: Moment | None = None
    state: Incident = Incident.RAISED
    stopped: Moment | None = None
    acknowledged: Moment | None = None
    acknowledged_by: int = 0
    cleared: Moment | None = None
    confirmed: Moment | None = None
    confirmed_by: int = 0
    action: int = 0
    rounds: list[int] = field(default_factory=list)
    void: str = ""
    escalated: list[Role] = field(default_factory=list)
    deck: int = 0
    marked_deck: bool = False
    face: Face = UNREAD
    place: Place = Place.TABLE
    read: Face = UNREAD
    reread: dict[Face, int] = field(default_factory=dict)
    envelope: int = 0
    reported: Moment | None = None
    reported_by: int = 0
    checked: Identity | None = None
    checked_by: int = 0
    slip: NamedSlip | None = None

    @property
    def stands_since(self) -> Moment:
        """Since when it waits for somebody to see it and to deal with it."""
        return self.again or self.raised


class Notice(Struct):
    """A notice to the inspectorate that the room manager owes (PT-A1)."""

    incident: int
    since: Moment


class RoundDone(Struct):
    """A round of the session: when it began and ended, and how many cards were out at its end.

    ``void`` is the clause, or the house's value, by which an error made it void; empty where it stands. ``shuffle``:
    all cards are shuffled after it.
    """

    number: int
    began: Moment
    ended: Moment | None = None
    out: int = 0
    void: str = ""
    shuffle: bool = False


class GoodCount(Struct):
    """The last count of the whole set that agreed: when, and how many cards."""

    moment: Moment
    cards: int


class DeckResult(Struct):
    """What the verification found of one deck."""

    deck: int
    cards: int
    missing: tuple[int, ...]
    over: tuple[int, ...]
    unread: int
    by_person: bool

    @property
    def regular(self) -> bool:
        """True for exactly the 52 faces, once each; by eye, for 52 cards."""
        return self.cards == DECK_SIZE and not (self.missing or self.over or self.unread)


class SetOfCards(Struct):
    """One set: its books, what was last counted, what a machine saw of it. What ends in *at* is a record's number.

    ``played_in`` is the last session for which its cards were loaded.

    ``last_count`` is what was found, and expected. ``filled_at`` is the record by which a card last went in,
    ``shuffled_at`` the one that ordered the last full shuffle that was completed. ``passes`` are the counts of the last
    cycle in a batch shuffler, ``faces_read`` and ``backs_seen`` what it saw. ``backs`` are the colours of its decks.
    """

    backs: tuple[str, ...] = ()
    account: Account = field(default_factory=Account)
    good_count: GoodCount | None = None
    last_count: tuple[int, int] | None = None
    counted_at: int = 0
    filled_at: int = 0
    shuffled_at: int = 0
    played_in: int = 0
    counts_trusted: bool = True
    passes: list[int] = field(default_factory=list)
    faces_read: FacesRead | None = None
    backs_seen: BacksSeen | None = None

    def begin_session(self, cards: int) -> None:
        """All its cards are outside the machine, and nothing is counted yet."""
        self.account.open_set(cards)
        self.good_count, self.last_count, self.counts_trusted = None, None, True


def course_of(name: str) -> str:
    """The name of a set's own machine, as records have it: *course*, or *course/NAME* where there are several sets."""
    return f"{Procedure.COURSE}/{name}" if name else Procedure.COURSE


class State(Struct):
    """Everything that decides. Times are nanoseconds of table time.

    ``sets`` are the table's, by name: one, or two, each of ``decks``; ``backs`` are the colours of all decks in turn,
    which are marked, and at the closing read, by one row of numbers; ``deck_ages`` says for how many sessions each was
    loaded since it was new. ``burned`` counts the cards burned since the last
    round. ``approved``: what the device of each kind must be, by whatever name the configuration calls it.
    ``slow_flush_ms``: how long the last slow flush of the journal took, and ``slow_flush_at`` when that was recorded.
    """

    record: int = 0
    at: int = 0
    utc_ns: int = 0
    table: str = ""
    rulebook: str = ""
    rulebook_digest: str = ""
    software: str = ""
    software_digest: str = ""
    speed: float = 1.0
    decks: int = 0
    backs: tuple[str, ...] = ()
    allow_simulated: bool = False
    positions: dict[str, str] = field(default_factory=dict)
    moved: dict[str, Moment] = field(default_factory=dict)
    prompt: int = 0
    session_number: int = 0
    session_began: int = 0
    supervisor: int = 0
    dealer: int = 0
    devices: dict[str, Device] = field(default_factory=dict)
    sets: dict[str, SetOfCards] = field(default_factory=lambda: {THE_ONLY: SetOfCards()})
    playing: str = THE_ONLY
    shoe: Shoe = field(default_factory=Shoe)
    dealt: Dealt = field(default_factory=Dealt)
    packs: list[int] = field(default_factory=list)
    pack_cards: int = 0
    present_at: int = 0
    rounds: list[RoundDone] = field(default_factory=list)
    round_limit: int = 0
    burned: int = 0
    layout: Layout = field(default_factory=Layout)
    deal: Deal | None = None
    first_back_at: int | None = None
    decks_read: list[DeckResult] = field(default_factory=list)
    earlier_decks: list[DeckResult] = field(default_factory=list)
    imperfect_decks: list[int] = field(default_factory=list)
    deck_ages: dict[int, int] = field(default_factory=dict)
    authorisation: int = 0
    opened: bool = False
    incidents: dict[int, OpenIncident] = field(default_factory=dict)
    incident_kinds: list[IncidentKind] = field(default_factory=list)
    postponed: list[Postponed] = field(default_factory=list)
    incidents_closed: dict[int, OpenIncident] = field(default_factory=dict)
    retired: dict[str, Moment] = field(default_factory=dict)
    approved: dict[Kind, Identity] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    wrong_entries: dict[int, int] = field(default_factory=dict)
    locked_out: dict[int, int] = field(default_factory=dict)
    screen_shown: bool = True
    disk_low: bool = False
    slow_flush_ms: int = 0
    slow_flush_at: int = 0
    order: OpenOrder | None = None
    timers: dict[str, int] = field(default_factory=dict)

    @property
    def moment(self) -> Moment:
        """When the last record was made."""
        return Moment(self.record, self.at, self.utc_ns)

    @property
    def played(self) -> SetOfCards:
        """The set that is played with: in the shoe, on the table and in the discard."""
        return self.sets[self.playing]

    @property
    def account(self) -> Account:
        """The books of the set that is played with."""
        return self.played.account

    @property
    def counts_trusted(self) -> bool:
        """Whether every set's count is believed: one card may have crossed from the one to the other (SB-6, SB-7)."""
        return all(cards.counts_trusted for cards in self.sets.values())

    @property
    def inside(self) -> int:
        """Cards of all sets in machine and shoe."""
        return sum(cards.account.inside for cards in self.sets.values())

    @property
    def countable(self) -> int:
        """Cards of all sets that a full count of the machine should find."""
        return sum(cards.account.countable for cards in self.sets.values())

    def cards_at(self, place: Place) -> int:
        """Cards of all sets at a place."""
        return sum(cards.account.at(place) for cards in self.sets.values())

    @property
    def all_decks(self) -> int:
        """Decks of all sets."""
        return self.decks * len(self.sets)

    def decks_of(self, place: int) -> slice:
        """Which of the decks read are those of the set in this place; what was left over is the last one's."""
        first = place * self.decks
        return slice(first, None if place + 1 == len(self.sets) else first + self.decks)

    def others(self, name: str) -> tuple[str, ...]:
        """The names of the table's other sets."""
        return tuple(other for other in self.sets if other != name)

    @property
    def session(self) -> Session:
        """Where the session stands."""
        return SESSIONS[self.positions.get(Procedure.SESSION, Session.CLOSED)]

    @property
    def rounds_since_count(self) -> int:
        """Rounds begun since the last count of the whole set that agreed."""
        counted = self.played.good_count
        after = counted.moment.record if counted else 0
        return sum(one.began.record > after for one in self.rounds)

    @property
    def round_void(self) -> str:
        """By which clause the last round is void; empty where it stands, or none was played."""
        return self.rounds[-1].void if self.rounds else ""

    @property
    def shuffle_due(self) -> bool:
        """Whether all cards are still to be shuffled, those of a void round with them, before play goes on."""
        all_are_in = self.session not in ROUND_RUNS and self.session is not Session.RETURNING
        went_in = max(self.played.filled_at, self.rounds[-1].began.record if self.rounds else 0)
        shuffled = all_are_in and self.played.shuffled_at > went_in
        is_wanted = self.round_void != "" and self.rounds[-1].shuffle
        return self.session in IN_PLAY and is_wanted and not shuffled

    @property
    def dealing(self) -> Dealing:
        """How far the deal of the round under way is followed."""
        return DEALINGS[self.positions.get(Procedure.DEAL, Dealing.NOT_FOLLOWED)]

    @property
    def claim(self) -> Claim:
        """Where a claim stands."""
        return CLAIMS[self.positions.get(Procedure.CLAIM, Claim.NONE)]

    @property
    def under_way(self) -> bool:
        """Whether a session is under way."""
        return self.session not in ENDS

    @property
    def card_set(self) -> CardSet:
        """Where the set of cards stands."""
        return CARD_SETS[self.positions.get(Procedure.CARD_SET, CardSet.GOOD)]

    def course(self, name: str) -> Course:
        """Where a set stands at a table with a batch shuffler."""
        return COURSES[self.positions.get(course_of(name), Course.OUT)]

    def sets_at(self, *courses: Course) -> tuple[str, ...]:
        """The names of the sets that stand there."""
        return tuple(name for name in self.sets if self.course(name) in courses)

    @property
    def incidents_raised(self) -> int:
        """How many incidents there were, over all sessions; the last one's number."""
        return len(self.incident_kinds)

    @property
    def machine(self) -> Device | None:
        """The shuffler, if the table has one."""
        return next((device for device in self.devices.values() if device.kind in MACHINES), None)

    @property
    def fed_by_hand(self) -> bool:
        """Whether the table has no machine, but a shoe, or a metal box, that people fill."""
        return bool(self.devices) and self.machine is None

    @property
    def has_box(self) -> bool:
        """Whether it deals from a metal box: that has no wire, so what is known of its cards people say (MO-1b)."""
        return self.fed_by_hand and self.device_of(Kind.SHOE) is None

    @property
    def takes_single_cards(self) -> bool:
        """Whether the table's machine is a continuous shuffler, into which each round's cards go back."""
        return self.machine is not None and self.machine.kind is Kind.CONTINUOUS_SHUFFLER

    @property
    def round_of_shoe(self) -> int:
        """How many rounds were begun since a shoe filled by hand was filled; at a machine, since the session began."""
        return sum(one.began.record > self.shoe.filled_at for one in self.rounds)

    @property
    def takes_whole_sets(self) -> bool:
        """Whether the table's machine is a batch shuffler."""
        return self.machine is not None and self.machine.kind is Kind.BATCH_SHUFFLER

    @property
    def machine_answers(self) -> bool:
        """Whether the shuffler's link is open: else nothing is known of its lid and its path."""
        return self.machine is not None and self.machine.open

    @property
    def machine_is_retired(self) -> bool:
        """Whether this machine was taken out of service, and no technician returned it since (SB-4)."""
        return self.machine is not None and self.machine.told.name in self.retired

    @property
    def shoe_reads(self) -> bool:
        """Whether the shoe has a reader."""
        shoe = self.device_of(Kind.SHOE)
        return shoe is not None and shoe.can(Capability.READS_FACES)

    @property
    def card_is_missing(self) -> bool:
        """Whether a card is known not to have come back from a round, and has not been seen since (PT-A10)."""
        lost = (one for one in self.incidents.values() if one.kind is IncidentKind.CARD_LOST)
        return any(one.state is not Incident.CLEARED for one in lost)

    @property
    def out_of_service(self) -> bool:
        """Whether the machine was taken out of service in this session (SB-4)."""
        return any(moment.record > self.session_began for moment in self.retired.values())

    def device_of(self, kind: Kind) -> Device | None:
        """The device of this kind, if the table has one; which driver speaks to it decides nothing."""
        return next((device for device in self.devices.values() if device.kind is kind), None)
