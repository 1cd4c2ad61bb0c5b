"""Hold and release of one device: revisions counted in each link, the lease, the lapse (rules 20 to 26)."""

from __future__ import annotations

from collections import deque

from drivers.protocol.messages import Heartbeat, HoldConfirmed, Lapsed, Lease, Level, Purpose, SetLevel

ANSWERABLE = 6
"""Heartbeats back that a lease may still name: the device looks at none for one sent 3 s ago (rule 24)."""


class Hold:
    """What the host wants of the gate. Every opening begins held; only a lease releases."""

    def __init__(self) -> None:
        self.open(link=0, can_hold=False)

    def open(self, link: int, can_hold: bool) -> None:
        """Begin a link: the device has held itself, and counts revisions from 0."""
        self._link = link
        self._can_hold = can_hold
        self._revision = 0
        self._purpose: Purpose | None = None
        self._spent = False
        self._confirmed = False
        self._heartbeats: deque[int] = deque(maxlen=ANSWERABLE)
        self._answered = 0

    def hold(self) -> list[SetLevel]:
        """Hold under a new revision; nothing leaves where there is no gate."""
        if not self._can_hold:
            return []
        self._revision += 1
        self._purpose = None
        self._spent = False
        self._confirmed = False
        return [self._order()]

    def release(self, purpose: Purpose, link: int, heartbeat: int) -> list[Lease]:
        """Answer a heartbeat heard in the present link, once (rules 23 and 25); a new purpose is a new revision.

        After a lapse nothing leaves until the next hold: releasing again is a new decision (rule 26).
        """
        fresh = link == self._link and heartbeat in self._heartbeats and heartbeat > self._answered
        if not self._can_hold or self._spent or not fresh:
            return []
        if purpose is not self._purpose:
            self._revision += 1
            self._purpose = purpose
        self._answered = heartbeat
        return [Lease(self._link, self._revision, purpose, heartbeat)]

    def hear(self, heartbeat: Heartbeat) -> list[SetLevel]:
        """Note a heartbeat; a hold that it does not yet show leaves again (rule 29)."""
        self._heartbeats.append(heartbeat.number)
        if self.lapse_shown(heartbeat):
            self._spent = True
        waits = self._purpose is None and heartbeat.hold_revision < self._revision
        return [self._order()] if waits else []

    def unheard_lease(self, heartbeat: Heartbeat) -> list[Lease]:
        """Return the lease that a heartbeat should show and does not: one that left at once for the one before it.

        Asked before ``hear``. One that left late, after a slow flush, a device may have dropped (rule 24).
        """
        at_once = bool(self._heartbeats) and self._answered == self._heartbeats[-1]
        if self._purpose is None or not at_once or heartbeat.hold_revision >= self._revision:
            return []
        return [Lease(self._link, self._revision, self._purpose, self._answered)]

    def lapse_shown(self, heartbeat: Heartbeat) -> bool:
        """Whether a heartbeat says that the release in force has lapsed, and not an earlier one."""
        return heartbeat.lapsed and self._purpose is not None and heartbeat.hold_revision == self._revision

    def confirms(self, body: HoldConfirmed | Lapsed) -> bool:
        """Note a hold or lapse told; return whether it is of the present link and revision (rule 22)."""
        if (body.link, body.revision) != (self._link, self._revision):
            return False
        if isinstance(body, Lapsed):
            self._spent = self._purpose is not None
            return self._spent
        self._confirmed = self._purpose is None
        return self._confirmed

    def events_were_lost(self) -> list[SetLevel]:
        """Hold anew if a confirmation is still awaited: it may be among what was lost (rule 22)."""
        return [] if self._confirmed or self._purpose is not None else self.hold()

    def _order(self) -> SetLevel:
        return SetLevel(self._link, Level.HOLD, self._revision, 1)
