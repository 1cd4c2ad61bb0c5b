"""The fold: ``apply`` writes a record's changes down in the state, one small function a change; all else only reads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from drivers.protocol.messages import Kind, Operation
from firmware_bridge.core import changes as c
from firmware_bridge.core.deal import Layout
from firmware_bridge.core.deal_fold import OF_THE_DEAL
from firmware_bridge.core.device_state import Device, OpenOrder
from firmware_bridge.core.events import Identity
from firmware_bridge.core.incident_fold import DISTRUSTS_COUNTS, OF_INCIDENTS, incident_moved
from firmware_bridge.core.records import Logged
from firmware_bridge.core.sequence import Dealt
from firmware_bridge.core.set_fold import OF_A_SET
from firmware_bridge.core.shoe import Shoe
from firmware_bridge.core.shoe_fold import OF_A_SHOE
from firmware_bridge.core.state import RoundDone, SetOfCards, State, course_of
from firmware_bridge.core.words import FIRST, SECOND, THE_ONLY, Course, Incident, Procedure


def apply(state: State, logged: Logged, number: int, utc_ns: int) -> None:
    """Write one record down in the state. Never refuses: what stands in the journal has happened."""
    state.record, state.at, state.utc_ns = number, logged.table_ns, utc_ns
    for change in logged.decision.changes:
        apply_change(state, change)


def apply_change(state: State, change: c.AnyChange) -> None:
    """Write one change down."""
    _APPLY[type(change)](state, change)


def fold(records: Iterable[tuple[int, int, bytes]], state: State | None = None) -> State:
    """Fold records (number, UTC in nanoseconds, body) into a state, from an empty one or from the one given."""
    state = State() if state is None else state
    for number, utc_ns, body in records:
        apply(state, Logged.from_body(body), number, utc_ns)
    return state


def digest(state: State) -> str:
    """A digest of the whole state, the same in every process: replay and followers compare it."""
    plain = msgspec.to_builtins(state, str_keys=True)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()


# ---- one small function a change


def _moved(state: State, change: c.Moved) -> None:
    procedure, _, which = change.procedure.partition("/")
    if procedure == Procedure.INCIDENT:
        incident_moved(state, int(which), change)
        return
    state.positions[change.procedure] = change.target
    if change.source != change.target:
        state.moved[change.procedure] = state.moment
        state.prompt = state.record  # record numbers never repeat, so prompt ids never do
    if procedure == Procedure.COURSE and change.target == Course.IN_SHOE:
        state.playing = which


def _refused(state: State, change: c.Refused) -> None:
    """A refusal is a record and changes nothing."""


def _began(state: State, change: c.Began) -> None:
    state.table, state.speed = change.table, change.speed
    state.rulebook, state.rulebook_digest = change.rulebook, change.rulebook_digest
    state.software, state.software_digest = change.software, change.software_digest
    state.decks, state.backs = change.decks, change.backs + change.second_backs
    state.allow_simulated = change.allow_simulated
    if not state.under_way:
        _take_sets(state, change)
    known, state.devices = state.devices, {}
    for name, word in change.devices.items():
        kind = Kind[word.upper()]
        device = known.get(name) or Device(kind)
        device.kind = kind
        device.open, device.caught_up, device.hold_confirmed = False, False, False
        device.reason = "not connected yet"
        state.devices[name] = device
    state.locked_out = dict.fromkeys(state.locked_out, state.at)  # a lock-out starts again in full


def _take_sets(state: State, change: c.Began) -> None:
    """The sets that the configuration has: between sessions alone, for books that are open are kept to their end."""
    backs = {THE_ONLY: change.backs}
    if change.second_backs:
        backs = {FIRST: change.backs, SECOND: change.second_backs}
    state.sets = {name: state.sets.get(name) or SetOfCards() for name in backs}
    for name, cards in state.sets.items():
        cards.backs = backs[name]
    if state.playing not in state.sets:
        state.playing = next(iter(state.sets))


def _linked(state: State, change: c.Linked) -> None:
    device, hello = state.devices[change.device], change.hello
    if change.memory_lost or device.memory != hello.memory:
        device.memory = hello.memory
        device.begin_memory()
    device.open, device.caught_up, device.hold_confirmed, device.reason = True, False, False, change.ignores
    if device.boot != hello.boot:
        device.barred = 0
    device.capabilities, device.boot = hello.capabilities, hello.boot
    device.model, device.serial, device.firmware = hello.model, hello.serial, hello.firmware
    device.digest, device.simulated = hello.digest.hex(), hello.simulated
    device.heard_at, device.silent = state.at, False


def _unlinked(state: State, change: c.Unlinked) -> None:
    device = state.devices[change.device]
    device.open, device.caught_up, device.hold_confirmed, device.reason = False, False, False, change.reason


def _taken(state: State, change: c.Taken) -> None:
    device = state.devices[change.device]
    device.taken, device.heard_at, device.silent = change.number, state.at, False


def _seen(state: State, change: c.Seen) -> None:
    device = state.devices[change.device]
    setattr(device, change.sight.value, change.value)
    if change.sight is c.Sight.CAUGHT_UP:
        device.reason = ""


def _hindered(state: State, change: c.Hindered) -> None:
    state.devices[change.device].hindered_by = list(change.by)


def _commands_barred(state: State, change: c.CommandsBarred) -> None:
    state.devices[change.device].barred = change.highest


def _order_due(state: State, change: c.OrderDue) -> None:
    state.order = OpenOrder(0, change.device, 0, change.operation, change.asked_by, state.at)


def _order_given(state: State, change: c.OrderGiven) -> None:
    number = change.id or state.record
    state.order = OpenOrder(
        number, change.device, change.boot, change.operation, change.asked_by, state.at, state.record
    )
    if change.id:
        state.devices[change.device].barred = change.id


def _order_closed(state: State, change: c.OrderClosed) -> None:
    if state.order is not None and state.order.id == change.id:
        is_shuffle = state.order.operation is Operation.SHUFFLE and not state.takes_whole_sets
        if change.outcome == "done" and is_shuffle:  # of a batch shuffler it says that a cycle began
            state.played.shuffled_at = state.order.record
            state.dealt.shuffled()
        state.order = None


def _session_began(state: State, change: c.SessionBegan) -> None:
    state.session_number += 1
    state.session_began = state.record
    state.supervisor, state.dealer = change.supervisor, 0
    for name, cards in state.sets.items():
        state.positions.pop(course_of(name), None)
        cards.begin_session(change.cards)
    state.playing = next(iter(state.sets))
    state.decks_read, state.earlier_decks = [], []
    state.dealt, state.shoe, state.layout, state.deal = Dealt(), Shoe(), Layout(), None
    state.positions.pop(Procedure.DEAL, None)
    state.packs, state.pack_cards, state.rounds, state.burned = [], 0, [], 0
    state.incidents_closed, state.postponed = {}, []
    state.first_back_at, state.opened = None, False
    unsettled = [one for one in state.incidents.values() if one.state is not Incident.CLEARED]
    for cards in state.sets.values():
        cards.counts_trusted = not any(one.kind in DISTRUSTS_COUNTS for one in unsettled)
    for name, identity in change.devices.items():
        state.approved.setdefault(state.devices[name].kind, _whole(state, name, identity))


def _dealer_signed(state: State, change: c.DealerSigned) -> None:
    state.dealer = change.person


def _pack_began(state: State, change: c.PackBegan) -> None:
    state.supervisor, state.pack_cards = change.supervisor, 0


def _pack_ended(state: State, change: c.PackEnded) -> None:
    state.packs.append(change.cards)
    state.pack_cards = 0


def _presence_proven(state: State, change: c.PresenceProven) -> None:
    state.present_at = state.at


def _opened(state: State, change: c.Opened) -> None:
    state.opened = True


def _round_began(state: State, change: c.RoundBegan) -> None:
    state.rounds.append(RoundDone(len(state.rounds) + 1, state.moment))
    state.first_back_at, state.round_limit, state.burned = None, 0, 0


def _round_ended(state: State, change: c.RoundEnded) -> None:
    state.dealt.round_ended()
    state.burned = 0
    if state.rounds:
        last = state.rounds[-1]
        last.ended, last.out = state.moment, change.out


def _round_voided(state: State, change: c.RoundVoided) -> None:
    last = state.rounds[-1]
    state.incidents[change.incident].void = last.void = change.clause
    last.shuffle = last.shuffle or change.shuffle


def _first_card_back(state: State, change: c.FirstCardBack) -> None:
    state.first_back_at = state.at


def _round_limit_raised(state: State, change: c.RoundLimitRaised) -> None:
    state.round_limit = change.limit


def _claim_closed(state: State, change: c.ClaimClosed) -> None:
    """The outcome stands in the record; where the claim stands is moved by its own transition."""


def _took_over(state: State, change: c.TookOver) -> None:
    state.supervisor = change.person


def _wrong_entry(state: State, change: c.WrongEntry) -> None:
    state.wrong_entries[change.person] = state.wrong_entries.get(change.person, 0) + 1
    if change.locked:
        state.locked_out[change.person] = state.at


def _entries_forgiven(state: State, change: c.EntriesForgiven) -> None:
    state.wrong_entries.pop(change.person, None)
    state.locked_out.pop(change.person, None)


def _machine_retired(state: State, change: c.MachineRetired) -> None:
    state.retired[change.machine] = state.moment


def _machine_returned(state: State, change: c.MachineReturned) -> None:
    state.retired.pop(change.machine, None)


def _device_checked(state: State, change: c.DeviceChecked) -> None:
    incident = state.incidents[change.incident]
    incident.checked, incident.checked_by = _whole(state, incident.about, change.identity), change.person


def _device_approved(state: State, change: c.DeviceApproved) -> None:
    state.approved[state.devices[change.device].kind] = _whole(state, change.device, change.identity)


def _whole(state: State, device: str, identity: Identity) -> Identity:
    """An identity with the capabilities; a record from before these were noted was about what the device told then."""
    if identity.capabilities is not None:
        return identity
    return replace(identity, capabilities=state.devices[device].capabilities)


def _screen_changed(state: State, change: c.ScreenChanged) -> None:
    state.screen_shown = change.shown


def _room_changed(state: State, change: c.RoomChanged) -> None:
    state.disk_low = change.low


def _journal_was_slow(state: State, change: c.JournalWasSlow) -> None:
    state.slow_flush_ms, state.slow_flush_at = change.milliseconds, state.at


def _timer_set(state: State, change: c.TimerSet) -> None:
    if change.running:
        state.timers[change.timer] = state.at
    else:
        state.timers.pop(change.timer, None)


_APPLY: dict[type[c.Change], Callable[[State, Any], None]] = {
    **OF_INCIDENTS,
    **OF_A_SET,
    **OF_A_SHOE,
    **OF_THE_DEAL,
    c.Moved: _moved,
    c.Refused: _refused,
    c.Began: _began,
    c.Linked: _linked,
    c.Unlinked: _unlinked,
    c.Taken: _taken,
    c.Seen: _seen,
    c.Hindered: _hindered,
    c.CommandsBarred: _commands_barred,
    c.OrderDue: _order_due,
    c.OrderGiven: _order_given,
    c.OrderClosed: _order_closed,
    c.SessionBegan: _session_began,
    c.DealerSigned: _dealer_signed,
    c.PackBegan: _pack_began,
    c.PackEnded: _pack_ended,
    c.PresenceProven: _presence_proven,
    c.Opened: _opened,
    c.RoundBegan: _round_began,
    c.RoundEnded: _round_ended,
    c.RoundVoided: _round_voided,
    c.FirstCardBack: _first_card_back,
    c.RoundLimitRaised: _round_limit_raised,
    c.ClaimClosed: _claim_closed,
    c.TookOver: _took_over,
    c.WrongEntry: _wrong_entry,
    c.EntriesForgiven: _entries_forgiven,
    c.MachineRetired: _machine_retired,
    c.MachineReturned: _machine_returned,
    c.DeviceChecked: _device_checked,
    c.DeviceApproved: _device_approved,
    c.ScreenChanged: _screen_changed,
    c.RoomChanged: _room_changed,
    c.JournalWasSlow: _journal_was_slow,
    c.TimerSet: _timer_set,
}
