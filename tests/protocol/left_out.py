"""The rules of the link, each left out by the core or by the device: what the promises must notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from drivers.protocol import codec, framing
from drivers.protocol import messages as m
from drivers.protocol.event_order import EventOrder
from drivers.protocol.hearing import Hearing
from drivers.protocol.hold import Hold
from drivers.protocol.levels import Levels
from drivers.protocol.link_core import LinkCore, State
from drivers.protocol.strokes import Strokes
from sim_hardware.event_store import EventStore
from sim_hardware.firmware import Firmware


class LeftOut(NamedTuple):
    """A rule left out, and what puts a function in place of the one that keeps it."""

    rules: tuple[int, ...]
    what: str
    owner: Any
    name: str
    made: Callable[[Any], Any]

    def apply(self, patch: pytest.MonkeyPatch) -> None:
        """Leave it out until the patch is undone."""
        patch.setattr(self.owner, self.name, self.made(vars(self.owner)[self.name]))


def first(also: Callable[..., object]) -> Callable[[Any], Any]:
    """Make of a method one that first does something else."""
    return lambda was: lambda self, *args, **kw: (also(self, *args, **kw), was(self, *args, **kw))[1]


def then(also: Callable[..., object]) -> Callable[[Any], Any]:
    """Make of a method one that does something else as well."""
    return lambda was: lambda self, *args, **kw: (was(self, *args, **kw), also(self, *args, **kw))[0]


def instead(other: Any) -> Callable[[Any], Any]:
    """Put something in a method's place."""
    return lambda was: other  # noqa: ARG005


def of_any_link(kind: type[m.Message]) -> Callable[[Any], Any]:
    """Let the device take messages of a kind, whatever link they name."""

    def made(was: Any) -> Any:
        def take(self: Firmware, payload: bytes) -> None:
            if payload[0] == _type_of(kind) and self.link:
                message: Any = codec.decode(payload)
                if isinstance(message, m.Lease):  # else the number of its heartbeat, of no use here, bars it too
                    self._session.heartbeats.setdefault(message.heartbeat, self.now)
                self._handlers[kind](message)
            else:
                was(self, payload)

        return take

    return made


def _type_of(kind: type[m.Message]) -> int:
    samples: dict[type[m.Message], m.Message] = {
        m.Ack: m.Ack(1, 1),
        m.Command: m.Command(1, 1, m.Operation.INVENTORY, 0),
        m.Lease: m.Lease(1, 1, m.Purpose.DEAL, 1),
    }
    return codec.encode(samples[kind])[0]


# ---- in the core


def _of_any_link(kind: type[m.Message]) -> Callable[[Any], Any]:
    def also(self: LinkCore, now: float, message: Any) -> None:  # noqa: ARG001
        if isinstance(message, kind) and self._state is State.OPEN:
            self._link_told, self._link = self._link, message.link  # type: ignore[attr-defined]

    def back(self: LinkCore, now: float, message: Any) -> None:  # noqa: ARG001
        if isinstance(message, kind) and self._state is State.OPEN:
            self._link = self._link_told  # type: ignore[attr-defined]

    return lambda was: then(back)(first(also)(was))


def _once(was: Any) -> Any:
    def ask(self: LinkCore, now: float) -> bool:
        if getattr(self, "_asked_with", None) == self._nonce:
            return False
        self._asked_with = self._nonce  # type: ignore[attr-defined]
        return bool(was(self, now))

    return ask


def _any_hello(self: LinkCore, now: float, hello: Any) -> None:  # noqa: ARG001
    self._nonce = hello.nonce


def _ack_before_flush(self: LinkCore, event: m.Event) -> None:
    if self._events._memory is not None:
        self._journalled(self._events._memory, event.number)


def _renew_alone(self: LinkCore, heartbeat: m.Heartbeat) -> None:
    if self._hold._purpose is not None:
        self._send(self._hold.release(self._hold._purpose, self._link, heartbeat.number))


def _no_repeats(self: LinkCore, heartbeat: m.Heartbeat) -> None:  # noqa: ARG001
    self._command = None


def _no_id_told(self: LinkCore) -> None:
    self._highest_command = 0


def _other_boot(self: LinkCore) -> None:
    if self._command is not None:
        self._command = self._command.__class__(self._command.id, self._boot, self._command.operation)


def _known_again(self: EventOrder, event: m.Event) -> None:
    if event.number == self._taken:
        self._taken -= 1


def _gap_skipped(self: EventOrder, event: m.Event) -> None:
    self._taken = max(self._taken, event.number - 1)


def _only_asks(was: Any) -> Any:
    def answer(self: EventOrder, first_kept: int, last: int) -> m.Ack | m.Ask | None:
        told = was(self, first_kept, last)
        return None if isinstance(told, m.Ack) else told

    return answer


def _only_acks(was: Any) -> Any:
    def answer(self: EventOrder, first_kept: int, last: int) -> m.Ack | m.Ask | None:
        told = was(self, first_kept, last)
        return None if isinstance(told, m.Ask) and self._kept_at_opening < last else told

    return answer


def _memory_by_counter(self: EventOrder, hello: m.Hello) -> None:
    self._memory = None if self._memory is None else hello.memory


def _entry_goes_on(self: Strokes, *_: object) -> None:
    self._ignoring = False


# ---- in the device


def _session_kept(self: Firmware, message: m.Open) -> None:
    if self._session.link:
        self._session.nonce = message.nonce


def _released_at_opening(was: Any) -> Any:
    def on_open(self: Firmware, message: m.Open) -> None:
        before = self._session
        was(self, message)
        self._session.purpose, self._session.lease_end = before.purpose, before.lease_end

    return on_open


def _asked_once(was: Any) -> Any:
    def on_ask(self: Firmware, message: m.Ask) -> None:
        if self._session.next_event is None:
            was(self, message)

    return on_ask


def _number_without_place(was: Any) -> Any:
    def add(self: EventStore, body: m.EventBody) -> None:
        before = self.last
        was(self, body)
        if self.last == before:
            self.last += 1

    return add


def _lower_ids(self: Firmware, message: m.Command) -> None:
    if message.id != self._highest_command:
        self._highest_command = 0


def _same_id_again(self: Firmware, message: m.Command) -> None:
    if message.id == self._highest_command:
        self._highest_command -= 1


def _as_new(self: Firmware, message: m.Lease) -> None:
    """As if no revision had been heard of above this lease's own."""
    revisions = self._session.revisions
    revisions[m.Level.HOLD] = min(revisions[m.Level.HOLD], message.revision - 1)


def _lease_from_receipt(self: Firmware, message: m.Lease) -> None:
    if self.link:
        self._session.heartbeats[message.heartbeat] = self.now


def _renews_what_lapsed(self: Firmware, message: m.Lease) -> None:
    if self._session.lapsed and message.revision == self._session.revisions[m.Level.HOLD]:
        self._session.purpose = message.purpose


def _never_lapses(self: Firmware, now: float) -> None:
    self._session.lease_end = now + 1.0


LEFT_OUT = (
    LeftOut((1,), "an OPEN lost is not sent again", LinkCore, "_ask_to_open", _once),
    LeftOut((1, 3), "any HELLO is taken", LinkCore, "_hear_hello", first(_any_hello)),
    LeftOut((2,), "a new OPEN keeps the link", Firmware, "_on_open", first(_session_kept)),
    LeftOut((2, 20), "a new OPEN does not hold", Firmware, "_on_open", _released_at_opening),
    LeftOut((4,), "acks of any link are taken", Firmware, "_take", of_any_link(m.Ack)),
    LeftOut((4,), "leases of any link and heartbeat are taken", Firmware, "_take", of_any_link(m.Lease)),
    LeftOut((4,), "commands of any link are taken", Firmware, "_take", of_any_link(m.Command)),
    LeftOut((4,), "events of any link are taken", LinkCore, "_hear_numbered", _of_any_link(m.Event)),
    LeftOut((4, 30), "strokes of any link are taken", LinkCore, "_hear_numbered", _of_any_link(m.Stroke)),
    LeftOut((5, 12), "a lost memory is told by its counter", EventOrder, "open", first(_memory_by_counter)),
    LeftOut((6,), "a card needs no place", EventStore, "card_place_free", instead(property(lambda _: True))),
    LeftOut((7,), "what is dropped has a number", EventStore, "add", _number_without_place),
    LeftOut((8,), "a second ASK is ignored", Firmware, "_on_ask", _asked_once),
    LeftOut((10,), "an ack that was lost is not repeated", EventOrder, "answer", _only_asks),
    LeftOut((10,), "a heartbeat that shows more is not answered", EventOrder, "answer", _only_acks),
    LeftOut((10,), "a known event is taken again", EventOrder, "take", first(_known_again)),
    LeftOut((10,), "a gap is passed over", EventOrder, "take", first(_gap_skipped)),
    LeftOut((11,), "the ack leaves before the flush", LinkCore, "_hear_event", then(_ack_before_flush)),
    LeftOut((14,), "the highest id is not told", LinkCore, "_tell_caught_up", first(_no_id_told)),
    LeftOut((15,), "any id but the last is accepted", Firmware, "_on_command", first(_lower_ids)),
    LeftOut((15,), "the last id is accepted again", Firmware, "_on_command", first(_same_id_again)),
    LeftOut((17,), "a command is not repeated", LinkCore, "_asked_again", first(_no_repeats)),
    LeftOut((17,), "a command is repeated in another boot", LinkCore, "_command_of_this_boot", first(_other_boot)),
    LeftOut((21, 23), "a lease of an old revision is taken", Firmware, "_on_lease", first(_as_new)),
    LeftOut((22,), "any confirmation is believed", Hold, "confirms", instead(lambda *_: True)),
    LeftOut((24,), "a lease runs from its receipt", Firmware, "_on_lease", first(_lease_from_receipt)),
    LeftOut((24,), "a lease never ends", Firmware, "tick", first(_never_lapses)),
    LeftOut((25,), "the core renews by itself", LinkCore, "_follow", then(_renew_alone)),
    LeftOut((26,), "what lapsed is renewed", Firmware, "_on_lease", first(_renews_what_lapsed)),
    LeftOut((27,), "released before all is journalled", EventOrder, "flushed", instead(property(lambda _: True))),
    LeftOut((29,), "a hold is not repeated", Hold, "hear", lambda was: lambda *args: was(*args)[:0]),
    LeftOut((29,), "a level is not repeated", Levels, "hear", instead(lambda *_: [])),
    LeftOut((29,), "a device that hears nothing is kept", Hearing, "judge", instead(lambda *_: "")),
    LeftOut((31,), "a gap is not seen", Strokes, "gap", instead(lambda *_: False)),
    LeftOut((31,), "an entry goes on after a gap", Strokes, "gap", then(_entry_goes_on)),
    LeftOut((31,), "an entry goes on after an opening", Strokes, "open", then(_entry_goes_on)),
    LeftOut((), "the check of a frame is not looked at", framing, "crc32", instead(lambda _: framing.RESIDUE)),
)
"""Each alone. Not among them: what is the controller's to keep (18, 19, 28), or has no one place (3, 9, 13, 16)."""
