"""What a decision changes: plain facts that ``apply`` writes down, and nothing else ever changes the state."""

from __future__ import annotations

from msgspec import Struct, field

from drivers.cards import UNREAD, Face
from firmware_bridge.core.deal_changes import OfTheDeal
from firmware_bridge.core.device_changes import (
    Change,
    CommandsBarred,
    DeviceApproved,
    DeviceChangedAgain,
    DeviceChecked,
    Hindered,
    Linked,
    MachineRetired,
    MachineReturned,
    OfADevice,
    OrderClosed,
    OrderDue,
    OrderGiven,
    Seen,
    Sight,
    Taken,
    Unlinked,
)
from firmware_bridge.core.events import Identity
from firmware_bridge.core.host_changes import JournalWasSlow, RoomChanged, ScreenChanged, TimerSet
from firmware_bridge.core.set_changes import BacksSeen, FacesRead, LaidIn, OfASet, PassCounted, SetShuffled, SetTurned
from firmware_bridge.core.shoe_changes import CardsCut, PlayStopped, ShoeFilled, ShoeMarked
from firmware_bridge.core.words import IncidentKind, Place, Role

__all__ = [
    "BacksSeen",
    "CardsCut",
    "Change",
    "CommandsBarred",
    "DeviceApproved",
    "DeviceChangedAgain",
    "DeviceChecked",
    "FacesRead",
    "Hindered",
    "JournalWasSlow",
    "LaidIn",
    "Linked",
    "MachineRetired",
    "MachineReturned",
    "OfADevice",
    "OfASet",
    "OrderClosed",
    "OrderDue",
    "OrderGiven",
    "PassCounted",
    "PlayStopped",
    "RoomChanged",
    "ScreenChanged",
    "Seen",
    "SetShuffled",
    "SetTurned",
    "ShoeFilled",
    "ShoeMarked",
    "Sight",
    "Taken",
    "TimerSet",
    "Unlinked",
]
"""Those of devices, of a set in a batch shuffler, of a shoe, of screen and disk stand in files of their own."""


class Moved(Change, frozen=True, tag="moved"):
    """A procedure took a transition; ``clause`` is the one behind the row."""

    procedure: str
    trigger: str
    source: str
    target: str
    clause: str


class Refused(Change, frozen=True, tag="refused"):
    """A person's step was refused: by which clause, and why, in words for the table."""

    procedure: str
    trigger: str
    clause: str
    reason: str


class Booked(OfASet, frozen=True, tag="booked"):
    """Cards moved in the books from one place to another, and why. ``face`` where one card was read."""

    source: Place
    target: Place
    count: int
    cause: str
    face: Face = UNREAD


class Began(Change, frozen=True, tag="began"):
    """A controller began; every link is closed until it opens anew."""

    boot: str
    allow_simulated: bool
    rulebook: str
    rulebook_digest: str
    table: str
    speed: float
    devices: dict[str, str]
    decks: int
    backs: tuple[str, ...]
    software: str = ""
    software_digest: str = ""
    second_backs: tuple[str, ...] = ()


class SessionBegan(Change, frozen=True, tag="session_began"):
    """A session began; its cards are outside the machine. By which software, rule book and devices stands with it.

    A device of whose kind this journal knew none yet is approved by it: the supervisor opened the table with it.
    """

    supervisor: int
    cards: int
    software: str = ""
    software_digest: str = ""
    rulebook: str = ""
    rulebook_digest: str = ""
    devices: dict[str, Identity] = field(default_factory=dict)


class DealerSigned(Change, frozen=True, tag="dealer_signed"):
    """A dealer signed in."""

    person: int


class PackBegan(Change, frozen=True, tag="pack_began"):
    """A pack of the loading began."""

    supervisor: int


class PackEnded(Change, frozen=True, tag="pack_ended"):
    """A pack ended; so many cards of it were counted at the intake."""

    cards: int


class PresenceProven(Change, frozen=True, tag="presence_proven"):
    """The person whose presence the clause asks for proved it now."""

    person: int
    role: Role


class FullCount(OfASet, frozen=True, tag="full_count"):
    """The machine was counted in full: what was found, what the books said, and whether they agree."""

    found: int
    expected: int


class CountDue(OfASet, frozen=True, tag="count_due"):
    """So many rounds were played since the last full count that no count is believed until the next (BR-005)."""


class Opened(Change, frozen=True, tag="opened"):
    """The load was counted as exactly the set, and the session opened on it."""

    cards: int


class RoundBegan(Change, frozen=True, tag="round_began"):
    """A round began with its first card."""


class RoundEnded(Change, frozen=True, tag="round_ended"):
    """The dealer said that the round is over; so many cards of it and of earlier rounds are out."""

    out: int


class RoundVoided(Change, frozen=True, tag="round_voided"):
    """This incident made a round void, by this clause or value of the house; ``shuffle``: all cards are due to be."""

    incident: int
    clause: str
    shuffle: bool = True


class FirstCardBack(Change, frozen=True, tag="first_card_back"):
    """The first card of the round was counted at the intake: claims about it are no longer admissible (PT-A12)."""


class RoundLimitRaised(Change, frozen=True, tag="round_limit_raised"):
    """The dealer said that a long round goes on."""

    limit: int


class ClaimClosed(Change, frozen=True, tag="claim_closed"):
    """A claim was closed: 1 upheld, 2 rejected, 3 withdrawn."""

    outcome: int
    person: int


class DeckJudged(Change, frozen=True, tag="deck_judged"):
    """A deck was verified: faces missing and over against a full deck, or confirmed by a person without a reader."""

    deck: int
    cards: int
    missing: tuple[Face, ...]
    over: tuple[Face, ...]
    unread: int
    by_person: bool


class DeckDoubted(OfASet, frozen=True, tag="deck_doubted"):
    """A deck was read to be this, and one card of it is wrong: it is read once more, then judged (BR-016)."""

    read: DeckJudged


class ReadAgain(Change, frozen=True, tag="read_again"):
    """A card that lies open passed the reader again, for this incident."""

    incident: int
    face: Face


class ReadingEnded(OfASet, frozen=True, tag="reading_ended"):
    """What lies open is known by these faces from now on; none given: the reading was not of all that is out."""

    incident: int
    faces: dict[Face, int]


class VerificationRestarted(Change, frozen=True, tag="verification_restarted"):
    """The decks are sorted and read again from the first one."""


class SetMarked(Change, frozen=True, tag="set_marked"):
    """The set's file: a deck marked imperfect (0: none), and the authorisation's reference (0: none in force)."""

    deck: int
    reference: int


class DeckCleared(Change, frozen=True, tag="deck_cleared"):
    """A deck's mark is gone, for it was replaced; or named wrongly, then not ``renewed``. 0: each deck of every set."""

    deck: int
    renewed: bool = True


class TookOver(Change, frozen=True, tag="took_over"):
    """A supervisor took the table, with what is open, from the one before."""

    person: int


class WrongEntry(Change, frozen=True, tag="wrong_entry"):
    """Another wrong entry in a row of this number; ``locked``: it is locked out from now on."""

    person: int
    locked: bool


class EntriesForgiven(Change, frozen=True, tag="entries_forgiven"):
    """The number's wrong entries no longer count: a right PIN, a renewed one, or the lock-out is over."""

    person: int


class Acknowledged(Change, frozen=True, tag="acknowledged"):
    """A person has seen the alarm of this incident."""

    incident: int
    person: int


class CardNamed(Change, frozen=True, tag="card_named"):
    """The damaged card of an incident: deck and face, and where the books held it."""

    incident: int
    deck: int
    face: Face
    place: Place


class ReplacementRead(Change, frozen=True, tag="replacement_read"):
    """The face of a card that was offered as the replacement."""

    incident: int
    face: Face


class Stopped(Change, frozen=True, tag="stopped"):
    """After this incident was raised, dealing is confirmed to be held."""

    incident: int


class RoundTagged(Change, frozen=True, tag="round_tagged"):
    """A card of this round came while the incident was open."""

    incident: int
    round: int


class IncidentClosed(Change, frozen=True, tag="incident_closed"):
    """Who confirmed an incident, and the action towards players (0 none needed, 1 stakes returned, 2 round void)."""

    incident: int
    person: int
    action: int


class Escalated(Change, frozen=True, tag="escalated"):
    """An alarm waited too long: it is this role's from now on."""

    incident: int
    role: Role


class Sealed(Change, frozen=True, tag="sealed"):
    """A damaged card is in its envelope."""

    incident: int
    envelope: int
    person: int


class NoticeOwed(Change, frozen=True, tag="notice_owed"):
    """The room manager owes the inspectorate a notice about this incident (PT-A1)."""

    incident: int


class NoticeSent(Change, frozen=True, tag="notice_sent"):
    """The room manager reported this incident: the notice that was owed about it, or one that he gives unasked."""

    incident: int
    person: int


class Corrected(Change, frozen=True, tag="corrected"):
    """The room manager entered a corrective action against a kind of incident (BR-013)."""

    kind: IncidentKind
    person: int


class Raised(Change, frozen=True, tag="raised"):
    """An incident opened, numbered after those before it. ``about`` names the device concerned, if any."""

    kind: IncidentKind
    about: str
    detail: str


class Postponed(Change, frozen=True, tag="postponed"):
    """An incident came while no session was under way: it opens with the next one, which must not begin over it."""

    kind: IncidentKind
    about: str
    detail: str


AnyChange = (
    Moved
    | Refused
    | Booked
    | Began
    | OfADevice
    | SessionBegan
    | DealerSigned
    | PackBegan
    | PackEnded
    | PresenceProven
    | FullCount
    | CountDue
    | Opened
    | RoundBegan
    | RoundEnded
    | RoundVoided
    | FirstCardBack
    | RoundLimitRaised
    | ClaimClosed
    | DeckJudged
    | DeckDoubted
    | ReadAgain
    | ReadingEnded
    | VerificationRestarted
    | SetMarked
    | DeckCleared
    | LaidIn
    | PassCounted
    | FacesRead
    | BacksSeen
    | SetShuffled
    | SetTurned
    | CardsCut
    | ShoeFilled
    | ShoeMarked
    | PlayStopped
    | TookOver
    | WrongEntry
    | EntriesForgiven
    | Acknowledged
    | CardNamed
    | ReplacementRead
    | Stopped
    | RoundTagged
    | IncidentClosed
    | Escalated
    | Sealed
    | NoticeOwed
    | NoticeSent
    | Corrected
    | ScreenChanged
    | RoomChanged
    | JournalWasSlow
    | OfTheDeal
    | Raised
    | Postponed
    | TimerSet
)


class Decision(Struct, frozen=True):
    """What was decided on one event: the changes, in order."""

    changes: tuple[AnyChange, ...] = ()

    @property
    def refusal(self) -> Refused | None:
        """The refusal in it, if a step was refused."""
        return next((change for change in self.changes if isinstance(change, Refused)), None)
