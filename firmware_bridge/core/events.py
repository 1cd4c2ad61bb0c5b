"""What happened: the inputs that the journal holds. Keys, heartbeats and entries in the making are none of them."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from drivers.protocol.messages import Capability, EventBody, Hello, capability_words
from firmware_bridge.core.words import Role, Trigger

DIGEST = 12
"""Digits of a firmware's digest, and characters of a name, that are told in words."""


class Event(Struct, frozen=True, tag_field="type"):
    """Something that happened and was decided upon."""


class Identity(Struct, frozen=True):
    """What a device says that it is and can do; all empty where it was not connected yet.

    ``capabilities``: None only in records written before they were noted; ``fold`` then takes what the device told.
    """

    model: str
    serial: str
    firmware: str
    digest: str
    simulated: bool
    capabilities: Capability | None = None

    @property
    def name(self) -> str:
        """Model and serial number, by which a machine is remembered."""
        return f"{self.model} {self.serial}".strip()

    def unlike(self, other: Identity) -> str:
        """What differs from another one, in words; empty where nothing does."""
        mine, theirs = asdict(self), asdict(other)
        differing = [
            f"{words} {_short(mine[name])} instead of {_short(theirs[name])}"
            for name, words in _OF_IDENTITY.items()
            if mine[name] != theirs[name]
        ]
        can, could = self.capabilities or Capability(0), other.capabilities or Capability(0)
        if could & ~can:
            differing.append(f"no longer: {capability_words(could & ~can)}")
        if can & ~could:
            differing.append(f"new: {capability_words(can & ~could)}")
        return ", ".join(differing)


_OF_IDENTITY = {
    "model": "model",
    "serial": "serial number",
    "firmware": "firmware",
    "digest": "firmware digest",
    "simulated": "simulated",
}


def _short(value: object) -> str:
    return str(value)[:DIGEST] or "none"


class Started(Event, frozen=True, tag="started"):
    """A controller started on this journal. ``speed`` is table seconds a real second, 1.0 in a casino.

    ``software_digest`` is over the program's own files; a journal of an earlier version has none.
    """

    boot: str
    software: str
    rulebook: str
    rulebook_digest: str
    table: str
    speed: float
    devices: dict[str, str]
    decks: int
    backs: tuple[str, ...]
    allow_simulated: bool
    software_digest: str = ""
    second_backs: tuple[str, ...] = ()


class LinkUp(Event, frozen=True, tag="link_up"):
    """A device's link opened, with what the device says of itself; ``ignores``: why it cannot be used yet, in words."""

    device: str
    hello: Hello
    memory_lost: bool
    behind: bool
    ignores: str = ""


class DeviceCaughtUp(Event, frozen=True, tag="caught_up"):
    """All events that the device had kept are taken; it takes no command up to ``highest_command`` in its boot."""

    device: str
    highest_command: int = 0


class LinkDown(Event, frozen=True, tag="link_down"):
    """A device's link is gone, or never came to be, and why."""

    device: str
    reason: str


class Told(Event, frozen=True, tag="told"):
    """A device told a numbered event. ``current`` is false for a hold or lapse of an earlier link or revision."""

    device: str
    number: int
    body: EventBody
    current: bool = True


class BadFrames(Event, frozen=True, tag="bad_frames"):
    """Frames were dropped on a line; nothing was taken from them."""

    device: str
    count: int
    latest: str


class Identified(Event, frozen=True, tag="identified"):
    """A person proved who he is, by number and PIN."""

    person: int
    role: Role


class Rejected(Event, frozen=True, tag="rejected"):
    """An entry was turned away: unknown number, wrong PIN, or disabled (which of them is not told)."""

    person: int


class EntryDropped(Event, frozen=True, tag="entry_dropped"):
    """An open entry was dropped, and why (a gap, a new link, too long a pause)."""

    reason: str


class Acted(Event, frozen=True, tag="acted"):
    """An identified person took a step: about the alarm presented as the entry began, with the value typed."""

    person: int
    role: Role
    step: Trigger
    about: int = 0
    value: int = 0


class TimerDue(Event, frozen=True, tag="timer_due"):
    """A deadline of the state passed; recorded only where it decides something."""

    timer: str


class ScreenSeen(Event, frozen=True, tag="screen_seen"):
    """A screen that shows this table was seen, or is no longer."""

    shown: bool


class RightTaken(Event, frozen=True, tag="right_taken"):
    """The dealer who is signed in may not act any more: his keys count no longer (SB-3)."""

    person: int


class RenewalBegan(Event, frozen=True, tag="renewal_began"):
    """The room manager (``by``) has a person's PIN renewed; recorded before the people file is touched."""

    person: int
    by: int


class PinRenewed(Event, frozen=True, tag="pin_renewed"):
    """A person's PIN was renewed at the table, and by whom; or why it was not (``refused``)."""

    person: int
    by: int
    refused: str = ""


class FlushWasSlow(Event, frozen=True, tag="flush_was_slow"):
    """A flush of the journal took more than a second; over the house's limit it is an incident.

    Recorded with what is recorded next, at once only where it is an incident: the longest since the record before it.
    """

    milliseconds: int


class JournalResumed(Event, frozen=True, tag="journal_resumed"):
    """The journal goes on in a new segment: what failed, since when, and how many decided records were given up."""

    reason: str
    since_utc_ns: int
    given_up: int


class JournalBegunAnew(Event, frozen=True, tag="journal_begun_anew"):
    """A damaged journal was laid aside in a folder beside it, and this one begun: what was wrong, and by whom."""

    reason: str
    folder: str
    supervisor: int
    technician: int


class RoomSeen(Event, frozen=True, tag="room_seen"):
    """The journal's disk has less free room than the table's configuration wants, or enough again."""

    low: bool
    free_mb: int


class ClockJumped(Event, frozen=True, tag="clock_jumped"):
    """The wall's clock was set: what it would have shown, and what it shows. No step of the table runs by it."""

    expected_utc_ns: int
    utc_ns: int


AnyEvent = (
    Started
    | LinkUp
    | DeviceCaughtUp
    | LinkDown
    | Told
    | BadFrames
    | Identified
    | Rejected
    | EntryDropped
    | Acted
    | TimerDue
    | ScreenSeen
    | RightTaken
    | RenewalBegan
    | PinRenewed
    | FlushWasSlow
    | JournalResumed
    | JournalBegunAnew
    | RoomSeen
    | ClockJumped
)
