"""How a link comes back: its stages as one table, and what is known since it was last open. Pure: no port, no clock.

gone -> found -> settling -> identifying -> comparing -> resynchronising -> up
"""

from __future__ import annotations

from collections import Counter
from enum import Enum

from drivers.errors import LinkError, LinkNotFoundError, LinkUnpluggedError
from drivers.protocol.messages import Capability, Hello
from drivers.protocol.notices import CaughtUp, LinkLost, LinkOpened, LinkRefused, Notice


class Stage(Enum):
    """Where a link stands on its way."""

    GONE = "gone"
    """No port, or one that failed and is closed."""
    FOUND = "found"
    """A port is there, and another program has it, or this user may not open it."""
    SETTLING = "settling"
    """Open again after an outage: what boots behind it is given time before it is asked."""
    IDENTIFYING = "identifying"
    """Nobody has said yet who is there, or whoever was there is silent."""
    COMPARING = "comparing"
    """It said who it is: is it the one from before, has it started anew, is it another?"""
    RESYNCHRONISING = "resynchronising"
    """It tells what it kept."""
    UP = "up"
    """All that it kept is told."""
    REFUSED = "refused"
    """What answers is not what is configured."""


class Sign(Enum):
    """What moves a link on."""

    NOT_THERE = "there is no such port"
    NOT_OURS = "the port cannot be opened"
    OPENED = "the port is open"
    FAILED = "the port failed"
    SETTLED = "it had its time"
    SAID_WHO = "it said who it is"
    COMPARED = "it was compared with the one before"
    CAUGHT_UP = "all that it kept is told"
    LOST = "it fell silent, or began anew"
    REFUSED = "it is not what is configured"


_CLOSED = (Stage.GONE, Stage.FOUND)
_ASKED = (Stage.IDENTIFYING, Stage.COMPARING, Stage.RESYNCHRONISING, Stage.UP, Stage.REFUSED)

TABLE: dict[tuple[Stage, Sign], Stage] = {
    **{(stage, Sign.NOT_THERE): Stage.GONE for stage in _CLOSED},
    **{(stage, Sign.NOT_OURS): Stage.FOUND for stage in _CLOSED},
    **{(stage, Sign.OPENED): Stage.SETTLING for stage in _CLOSED},
    (Stage.SETTLING, Sign.SETTLED): Stage.IDENTIFYING,
    **{(stage, Sign.SAID_WHO): Stage.COMPARING for stage in _ASKED},
    (Stage.COMPARING, Sign.COMPARED): Stage.RESYNCHRONISING,
    (Stage.RESYNCHRONISING, Sign.CAUGHT_UP): Stage.UP,
    **{(stage, Sign.LOST): Stage.IDENTIFYING for stage in _ASKED},
    **{(stage, Sign.REFUSED): Stage.REFUSED for stage in _ASKED},
    **{(stage, Sign.FAILED): Stage.GONE for stage in (Stage.SETTLING, *_ASKED)},
}
"""All moves; a sign that has none where the link stands leaves it there."""

SETTLE = 0.2
"""Seconds that a port which is open again has before anything is asked of it: a board answers garbage as it boots."""

STEADY = 60.0
"""Seconds that a link must have been open for its next loss to be one for itself, and not the last one's repeat."""

_SIGNS: dict[type[Notice], Sign] = {
    LinkOpened: Sign.SAID_WHO,
    CaughtUp: Sign.CAUGHT_UP,
    LinkLost: Sign.LOST,
    LinkRefused: Sign.REFUSED,
}


class Compared(Enum):
    """What a device that came back is, beside the one that was there before."""

    FIRST = "the first here"
    SAME = "the same"
    ANEW = "the same, started anew"
    ANOTHER = "another device, other firmware or other capabilities"


def compare(before: Hello | None, now: Hello) -> Compared:
    """Compare a device with the one before it: by all that a person approves of it, then by its boot."""
    if before is None:
        return Compared.FIRST
    if _identity(before) != _identity(now):
        return Compared.ANOTHER
    return Compared.SAME if before.boot == now.boot else Compared.ANEW


def _identity(hello: Hello) -> tuple[str, str, str, bytes, Capability]:
    return hello.model, hello.serial, hello.firmware, hello.digest, hello.capabilities


class Reconnect:
    """A link's way: where it stands, how often it failed since it was open, since when it is lost, what was said."""

    def __init__(self) -> None:
        self.stage = Stage.GONE
        self.failures = 0
        self.lost_at: float | None = None
        self._cause = ""
        self._before: Hello | None = None
        self._is_unplugged = False
        self._opened_at: float | None = None
        self._said: set[str] = set()
        self._times: Counter[str] = Counter()

    def opened(self) -> float:
        """The port is open: return the seconds that it has to settle, none if nothing failed before."""
        self._move(Sign.OPENED)
        return SETTLE if self.failures else 0.0

    def settled(self) -> None:
        """Its time is over: now it is asked."""
        self._move(Sign.SETTLED)

    def failed(self, error: LinkError) -> None:
        """The port could not be opened, or an open one failed."""
        self.failures += 1
        self._is_unplugged |= isinstance(error, LinkUnpluggedError)
        if self.stage in _CLOSED:
            self._move(Sign.NOT_THERE if isinstance(error, LinkNotFoundError) else Sign.NOT_OURS)
        else:
            self._move(Sign.FAILED)

    def told(self, notice: Notice, now: float) -> None:
        """Follow what is told; the time of a loss is that of the first since the link was open."""
        if isinstance(notice, LinkOpened):
            self._opened_at = now
        if isinstance(notice, LinkLost):
            self._end_of_repeats(now)
            self.lost_at = now if self.lost_at is None else self.lost_at
        if isinstance(notice, LinkLost | LinkRefused):
            self._cause = notice.reason
        sign = _SIGNS.get(type(notice))
        if sign is not None:
            self._move(sign)

    def compared(self, hello: Hello) -> Compared:
        """Compare whoever said who it is with the one before; what was said of the outage may be said again."""
        result = compare(self._before, hello)
        self._before = hello
        self.failures, self.lost_at, self._cause, self._is_unplugged = 0, None, "", False
        self._said.clear()
        self._move(Sign.COMPARED)
        return result

    def is_told(self, error: LinkError) -> bool:
        """Whether it is what was told last of why there is no link; a core may have told more with it.

        Of a device that was unplugged, that its port is no longer there is the same loss.
        """
        return str(error) in self._cause or (self._is_unplugged and isinstance(error, LinkNotFoundError))

    def is_news(self, about: str) -> bool:
        """Whether this was not said yet since the link was open last, and is not the third, fifth … time in a row."""
        if about in self._said:
            return False
        self._said.add(about)
        self._times[about] += 1
        return self._times[about].bit_count() == 1

    def times(self, about: str) -> int:
        """How many links in a row it befell, none of which was open for long: the summary of what was not said."""
        return self._times[about]

    def _end_of_repeats(self, now: float) -> None:
        if self._opened_at is not None and now >= self._opened_at + STEADY:
            self._times.clear()
        self._opened_at = None

    def _move(self, sign: Sign) -> None:
        self.stage = TABLE.get((self.stage, sign), self.stage)
