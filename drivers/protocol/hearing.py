"""Whether a device hears: what is asked of it again and again must show in its heartbeats (rule 9, BR-026).

Bytes may be lost in one direction only, and such a device goes on telling of itself as if all were well. One that
answers the next opening hears, and ignores what it was asked: it is not taken for ready before it has done that.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from drivers.protocol.messages import Ack, Ask, Command, Heartbeat, Lease, Level, Message, SetLevel

LIMIT = 2.0
"""Seconds from the first heartbeat that did not show it, after which what was asked for will not come."""

TRIES = 4
"""Times, apart from each other, that it was asked for by then: what comes in one piece after a stall is one."""

_REVISIONS = {
    Level.HOLD: "hold_revision",
    Level.LAMP: "lamp_revision",
    Level.LID: "lid_revision",
    Level.INTAKE: "intake_revision",
    Level.PROMPT: "prompt_revision",
}


class _Asked(Struct):
    """One thing asked for: how far the device showed itself with it, since when, how often and when last."""

    shown: int
    since: float
    latest: float
    times: int = 1


RELEASE = "release"
"""Nobody releases a device that is not ready, so it could never show that it obeys: people confirm first each time."""


class Hearing:
    """What the heartbeats of a link leave unanswered, each from the first that did, and what links were lost for."""

    def __init__(self) -> None:
        self._ignored: set[str] = set()
        self.open(afresh=True)

    def open(self, *, afresh: bool) -> None:
        """Begin a link: its hello has just proved that the device hears.

        ``afresh``: it began anew, its port did, or it did not hear the opening at once: what was left undone before
        says nothing of it.
        """
        self._asked: dict[str, _Asked] = {}
        if afresh:
            self._ignored.clear()

    @property
    def ignored(self) -> str:
        """What an earlier link of this boot was lost for, and no heartbeat has shown since; empty if there is none."""
        return ", ".join(sorted(self._ignored))

    def all_is_asked(self) -> None:
        """Whatever is wanted was asked for in this link: what the heartbeat last judged did not leave open is done."""
        self._ignored &= self._asked.keys()

    def judge(self, now: float, heartbeat: Heartbeat, again: Iterable[Message | None]) -> str:
        """Note what a heartbeat has sent again; return in words what was asked in vain for too long, else nothing.

        Any step that the device makes is an answer: of ten acks under way it may have heard five.
        """
        asked, self._asked = self._asked, {}
        for message in again:
            what, shown = _question(heartbeat, message)
            if not what:
                continue
            one = asked.get(what)
            if one is None or one.shown != shown:
                one = _Asked(shown, since=now, latest=now)
            elif now > one.latest:
                if now >= one.since + LIMIT and one.times >= TRIES and what not in self._ignored:
                    self._ignored |= {what} - {RELEASE}
                    return hears_nothing(f"in {LIMIT} s it answered none of {one.times} askings ({what})")
                one.latest, one.times = now, one.times + 1
            self._asked[what] = one
        return ""


def _question(heartbeat: Heartbeat, message: Message | None) -> tuple[str, int]:
    """What a message asks for, and how far this heartbeat is with it; nothing if the device may leave it undone."""
    match message:
        case SetLevel(level=level):
            return level.name.lower(), int(getattr(heartbeat, _REVISIONS[level]))
        case Lease():
            return RELEASE, heartbeat.hold_revision
        case Ack():
            return "ack", heartbeat.first_kept
        case Ask(number=number):
            return "event", number
        case Command() if not heartbeat.busy:
            return "command", heartbeat.highest_command
        case _:
            return "", 0


def ignores(what: str) -> str:
    """Say what a device that answers has left undone, and what to do; empty where that is nothing."""
    if not what:
        return ""
    return (
        f"it answers, but does not do what it is asked ({what}); restart it; "
        "if that does not help, see to its firmware, or connect another one"
    )


def hears_nothing(how: str) -> str:
    """Say what a device that sends and does not answer seems to be, and what to do; ``how`` it shows."""
    return (
        f"the device sends, but seems to hear nothing: {how}; "
        "check its cable, the direction from here to the device, then restart it"
    )
