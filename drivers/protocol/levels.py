"""Lamp, lid, intake and prompt: values wanted outlive links, revisions do not (rules 21, 27 to 29)."""

from __future__ import annotations

from drivers.protocol.messages import Capability, Heartbeat, Lamp, Level, SetLevel

NEEDS = {
    Level.LAMP: Capability.SHOWS_LAMP,
    Level.LID: Capability.CAN_LOCK_LID,
    Level.INTAKE: Capability.CAN_SHUT_INTAKE,
    Level.PROMPT: Capability.HAS_DEALER_KEYS | Capability.SENDS_STROKES,
}
"""One of these capabilities makes a level a device's own; it drops any other level."""

PERMITS = {Level.LAMP: int(Lamp.OFF), Level.LID: 1, Level.INTAKE: 1}
"""The value of each level that permits something; the others restrict."""


class Levels:
    """The values wanted of one device, and what of them was sent in this link."""

    def __init__(self) -> None:
        self._wanted: dict[Level, int] = {}
        self.open(link=0, capabilities=Capability(0))

    def open(self, link: int, capabilities: Capability) -> None:
        """Begin a link: nothing is sent in it yet, and revisions count from 0."""
        self._link = link
        self._capabilities = capabilities
        self._sent: dict[Level, SetLevel] = {}

    def want(self, level: Level, value: int) -> None:
        """Note the value wanted; ``due`` sends it."""
        self._wanted[level] = value

    def due(self, may_permit: bool) -> list[SetLevel]:
        """Return what is wanted and not yet sent; permitting values wait until they may leave (rule 27)."""
        orders = []
        for level, value in self._wanted.items():
            sent = self._sent.get(level)
            permitted = may_permit or PERMITS.get(level) != value
            if NEEDS[level] & self._capabilities and permitted and (sent is None or sent.value != value):
                revision = 1 if sent is None else sent.revision + 1
                self._sent[level] = SetLevel(self._link, level, revision, value)
                orders.append(self._sent[level])
        return orders

    def hear(self, heartbeat: Heartbeat) -> list[SetLevel]:
        """Return again what a heartbeat does not show in force (rule 29)."""
        shown = {
            Level.LAMP: heartbeat.lamp_revision,
            Level.LID: heartbeat.lid_revision,
            Level.INTAKE: heartbeat.intake_revision,
            Level.PROMPT: heartbeat.prompt_revision,
        }
        return [order for level, order in self._sent.items() if shown[level] < order.revision]
