"""Invariant 10: what leaves the process holds nothing secret."""

from __future__ import annotations

import re

from drivers.cards import ALL_FACES, UNREAD, Face, face_name
from drivers.protocol.messages import CardDrawn, CardIn
from firmware_bridge.service.inspection import Logged, changes, events
from firmware_bridge.view import describe
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World

NAMES: dict[Face, bytes] = {face: face_name(face).encode() for face in ALL_FACES}
EXAMPLE = re.compile(b"2307( =|:) deck 2, 7 of hearts")
"""How the screen, and a refusal, say that a card is typed."""


class NothingSecretLeaves(Invariant):
    """10: what leaves the process (view, journal, log) holds no undealt order and no PIN.

    A face may be told once a reader or a person saw it come out; whatever is missing may be named once a deck was read.
    The log holds each record's words.
    """

    number = 10

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._pins = [pin.encode() for pin in watch.pins]
        # a number on its own: among the digits of a time in nanoseconds one stands by chance now and then
        self._alone = re.compile(f"(?<![0-9])(?:{'|'.join(watch.pins)})(?![0-9])".encode())
        self._named: set[Face] = set()
        self._hidden = dict(NAMES)

    def shown(self, screen: bytes) -> None:
        """No PIN on a screen, and no card that lies in the machine or the shoe."""
        self._look_for_pins(screen, "a screen")
        self._look_for_faces(screen, "a screen")

    def _look_for_pins(self, told: bytes, where: str) -> None:
        if any(pin in told for pin in self._pins) and self._alone.search(told):
            raise self.broken(f"{where} holds a PIN")

    def _look_for_faces(self, told: bytes, where: str) -> None:
        told = EXAMPLE.sub(b"", told)
        if self._hidden and any(name in told for name in self._hidden.values()):
            raise self.broken(f"{where} names a card that nobody has seen yet")

    def recorded(self, number: int, logged: Logged) -> None:
        """No PIN in a record or its words; and a face only of a card that came out, or that a person named."""
        self._look_for_pins(self.world.disk.flushed[number - 1].body, f"record {number}")
        self._follow(logged)
        event = logged.event
        if isinstance(event, events.Told) and isinstance(event.body, CardIn) and event.body.face != UNREAD:
            raise self.broken(f"record {number} tells the face of a card that went in")
        faced = isinstance(event, events.Acted) or (
            isinstance(event, events.Told) and isinstance(event.body, CardDrawn)
        )
        for change in logged.decision.changes:
            if isinstance(change, changes.Booked) and change.face != UNREAD and not faced:
                raise self.broken(f"record {number} books a face that nobody saw")
        if words := describe(logged, number):
            self._look_for_pins(words.encode(), f"the log of record {number}")
            self._look_for_faces(words.encode(), f"the log of record {number}")

    def _follow(self, logged: Logged) -> None:
        """Which faces have come out in this session, or were named by somebody in this shift."""
        if isinstance(logged.event, events.Told) and isinstance(logged.event.body, CardDrawn):
            self._hidden.pop(logged.event.body.face, None)
        elif isinstance(logged.event, events.Acted):
            suit, rank = divmod(logged.event.value % 1000, 100)
            if 1 <= suit <= 4 and 1 <= rank <= 13:  # a card that somebody typed: the refusal repeats it to him
                self._hidden.pop(ALL_FACES[(suit - 1) * 13 + rank - 1], None)
        for change in logged.decision.changes:
            if isinstance(change, changes.SessionBegan):
                self._hidden = {face: name for face, name in NAMES.items() if face not in self._named}
            elif isinstance(change, changes.CardNamed):
                self._named.add(change.face)
                self._hidden.pop(change.face, None)
            elif isinstance(change, changes.FacesRead):  # a batch shuffler's cycle: how many of each, in no order
                for face in (*change.missing, *change.over):
                    self._hidden.pop(face, None)
            elif isinstance(change, changes.DeckJudged | changes.DeckDoubted):
                self._hidden.clear()
