"""Decide on one event: which rows fire, what is booked, which incidents open.

``decide`` works on the *working* state that it is handed and writes each change into it as it goes, so that what
follows from a change (an incident's condition gone, a card's place in the books) is decided on the state as it then
is. Beyond that it is a pure function: the same state, event, number and time give the same decision in every process,
which ``sabot replay`` checks. A restart applies the recorded changes and never decides again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from drivers.cards import SPECIAL, UNREAD
from drivers.protocol.messages import Capability, CardDrawn, DealerKeyPressed, HoldConfirmed, Kind, Purpose
from firmware_bridge.core import acts
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.accounts import is_dealt
from firmware_bridge.core.alarms import next_call
from firmware_bridge.core.deciding import Deciding
from firmware_bridge.core.device_state import MACHINES, OpenOrder
from firmware_bridge.core.incident_fold import BY_NOW
from firmware_bridge.core.machine import Row
from firmware_bridge.core.outputs import (
    AT_THE_READER,
    NOT_BLOCKING,
    cards_are_awaited,
    cards_untold,
    order_is_touched,
    purpose,
    why_not_approved,
    why_not_deal,
)
from firmware_bridge.core.procedures import RAISE_AN_INCIDENT
from firmware_bridge.core.procedures.incidents import JUDGED, KINDS
from firmware_bridge.core.report import Report
from firmware_bridge.core.reports import REPORTS, left_the_shoe, where_it_lies
from firmware_bridge.core.sequence import order_at_the_end
from firmware_bridge.core.state import State
from firmware_bridge.core.words import OPENS, ROUND_RUNS, Incident, IncidentKind, Place, Session, Trigger
from firmware_bridge.rulebooks.schema import VOID_AND_SHUFFLE, RuleBook

WITHOUT_CARDS = frozenset({Kind.KEYPAD, Kind.LAMP, Kind.DEALER_KEYS})
"""Kinds that no card passes: a new memory of theirs has lost none, and a key that nothing came of is pressed again."""

LAST_COMMAND = 2**64 - 1
"""No command has a higher id: a device that has accepted this one takes none until it starts anew."""

RESULTS = frozenset({Trigger.COUNTED, Trigger.COUNT_UNKNOWN, Trigger.SHUFFLED})
"""Triggers that answer a command: they go to whoever ordered it."""


def decide(state: State, event: e.AnyEvent, *, number: int, table_ns: int, utc_ns: int, book: RuleBook) -> c.Decision:
    """Decide on an event as record ``number``; the working state is left as ``apply`` of that record would leave it."""
    state.record, state.at, state.utc_ns = number, table_ns, utc_ns
    event = _as_read(state, _under_what_may_leave(state, event))
    deciding = Deciding(state, event, book)
    _EVENTS[type(event)](deciding, event)
    _settle(deciding)
    return c.Decision(tuple(deciding.changes))


def _under_what_may_leave(state: State, event: e.AnyEvent) -> e.AnyEvent:
    """A shoe that no release reaches repeats none: its mouth's card came under what may leave now, or out of turn."""
    if not (isinstance(event, e.Told) and isinstance(event.body, CardDrawn)):
        return event
    if event.body.purpose or state.devices[event.device].can(Capability.CAN_HOLD):
        return event
    may = purpose(state)
    if may is None or may is Purpose.VERIFY:  # what is verified comes from the shoe's own tray, and it says so
        return event
    return replace(event, body=replace(event.body, purpose=may))


def _as_read(state: State, event: e.AnyEvent) -> e.AnyEvent:
    """A special card among a machine's cards, or in a sorted deck, is a card whose face nobody knows (SB-1)."""
    if not (isinstance(event, e.Told) and isinstance(event.body, CardDrawn)) or event.body.face != SPECIAL:
        return event
    if state.fed_by_hand and event.body.purpose != Purpose.VERIFY:
        return event
    return replace(event, body=replace(event.body, face=UNREAD))


def _settle(deciding: Deciding) -> None:
    """What follows, in fixed order: steps not asked, the split of machine and shoe, each condition, the order due."""
    state = deciding.state
    if state.fed_by_hand:
        _hear_of_the_shoe(deciding)
    while state.session in OPENS and isinstance(deciding.fire(Trigger.NOT_ASKED), Row):
        pass  # each such row leads on, to the loading at the latest
    if state.takes_whole_sets:
        _settle_sets(deciding)
    if state.session is Session.DECLARED_CLOSED and state.order is None and not state.takes_single_cards:
        _hear(deciding, Trigger.COUNT_UNKNOWN)  # the cycle, or the shoe, that an incident awaits does not come any more
    told = any(incident.kind is IncidentKind.COUNT_MISMATCH for incident in state.incidents.values())
    differs = state.account.at(Place.SHOE) < 0 or cards_untold(state) > 0
    lagging = differs and not told and state.session not in JUDGED  # there it would only be raised again and again
    for timer, runs in (("split", lagging), ("return", cards_are_awaited(state, deciding.book))):
        if runs != (timer in state.timers):
            deciding.add(c.TimerSet(timer, runs))
    for number, incident in list(state.incidents.items()):
        if incident.state is Incident.AWAITING_APPROVAL and not _is_there(state, incident.about):
            deciding.fire_incident(number, Trigger.DEVICE_LOST)
        gone = KINDS[incident.kind].gone(state, incident)
        if gone and incident.state is not Incident.CLEARED:
            deciding.fire_incident(number, Trigger.CONDITION_GONE)
        elif not gone and incident.state is Incident.CLEARED:
            deciding.fire_incident(number, Trigger.CONDITION_BACK)
    _give_what_is_due(deciding)


def _is_there(state: State, name: str) -> bool:
    device = state.devices.get(name)
    return device is not None and device.is_there


def _give_what_is_due(deciding: Deciding) -> None:
    """An order waits for its device to have caught up: what that tells before may answer another of the same id."""
    state, due = deciding.state, deciding.state.order
    if due is None or due.is_given or not state.devices[due.device].is_there:
        return
    device = state.devices[due.device]
    above = min(device.barred + 1, LAST_COMMAND) if device.barred >= state.record else 0
    deciding.add(c.OrderGiven(due.device, device.boot, due.operation, due.asked_by, above))


def _settle_sets(deciding: Deciding) -> None:
    """A set of which nothing is inside any more is out; one in the machine, when something touched it, unshuffled."""
    state = deciding.state
    touched = order_is_touched(state)
    for name, cards in state.sets.items():
        if touched:
            deciding.fire_set(name, Trigger.NOT_SHUFFLED)
        if cards.account.inside <= 0:
            deciding.fire_set(name, Trigger.ALL_OUT)


def _hear(deciding: Deciding, trigger: Trigger) -> None:
    """Let every open incident hear what nobody ordered by itself."""
    for number in list(deciding.state.incidents):
        deciding.fire_incident(number, trigger)


def _hear_of_the_shoe(deciding: Deciding) -> None:
    """At a shoe filled by hand all that came out of it is the count, and its next filling the shuffle."""
    for change in tuple(deciding.changes):
        if isinstance(change, c.FullCount) and change.found == change.expected:
            _hear(deciding, Trigger.COUNTED)
        elif isinstance(change, c.ShoeFilled):
            _hear(deciding, Trigger.SHUFFLED)


# ---- one function an event


def _started(deciding: Deciding, event: e.Started) -> None:
    deciding.add(
        c.Began(
            boot=event.boot,
            allow_simulated=event.allow_simulated,
            rulebook=event.rulebook,
            rulebook_digest=event.rulebook_digest,
            table=event.table,
            speed=event.speed,
            devices=event.devices,
            decks=event.decks,
            backs=event.backs,
            software=event.software,
            software_digest=event.software_digest,
            second_backs=event.second_backs,
        )
    )
    if deciding.state.session in ROUND_RUNS and deciding.book.after_error.host_break == VOID_AND_SHUFFLE:
        deciding.raise_incident(IncidentKind.HOST_BREAK, "", "the controller was gone in a round")


def _link_up(deciding: Deciding, event: e.LinkUp) -> None:
    reason = _why_not_taken(deciding.state, event)
    if reason:
        deciding.add(c.Unlinked(event.device, reason))
        return
    known, hello = deciding.state.devices[event.device], event.hello
    started_anew = known.boot not in (0, hello.boot) and _holds_cards(deciding.state, hello.kind)
    deciding.add(c.Linked(event.device, hello, event.memory_lost, event.ignores))
    if event.memory_lost and hello.kind not in WITHOUT_CARDS:
        detail = "the device lost its memory: up to a window of cards may have left unseen"
        deciding.raise_incident(IncidentKind.MEMORY_LOST, event.device, detail)
    if event.behind:
        detail = "it was acknowledged further than this journal reaches"
        deciding.raise_incident(IncidentKind.JOURNAL_BEHIND, event.device, detail)
    if started_anew:
        detail = "it started anew: what it was doing counts as not done"
        deciding.raise_incident(IncidentKind.POWER_LOST, event.device, detail)
    how = why_not_approved(deciding.state, event.device)
    if how:
        deciding.raise_incident(IncidentKind.IDENTITY_CHANGED, event.device, how)
        _named_again(deciding, event.device, how)


def _named_again(deciding: Deciding, device: str, how: str) -> None:
    """What stands there differs otherwise than the incident tells: it must name what two people are to approve."""
    for number, one in list(deciding.state.incidents.items()):
        is_its_own = (one.kind, one.about) == (IncidentKind.IDENTITY_CHANGED, device)
        if is_its_own and one.detail.rpartition(BY_NOW)[2] != how:
            deciding.add(c.DeviceChangedAgain(number, how))


def _holds_cards(state: State, kind: Kind) -> bool:
    """Whether a power cut may have touched cards: in a continuous shuffler always, in a batch one if a set is in it."""
    if kind is Kind.BATCH_SHUFFLER:
        return any(cards.account.at(Place.MACHINE) > 0 for cards in state.sets.values())
    return kind in MACHINES


def _why_not_taken(state: State, event: e.LinkUp) -> str:
    hello = event.hello
    if hello.simulated and not state.allow_simulated:
        return "it is a simulated device, which this table does not allow; connect the real one, or set allow_simulated"
    for name, device in state.devices.items():
        same = (device.model, device.serial) == (hello.model, hello.serial) and hello.serial
        if same and name != event.device and device.open:
            twin = f"it says that it is {' '.join(filter(None, (hello.model, hello.serial)))}, as {name} does"
            return f"{twin}: two devices with one identity; unplug one of the two"
    return ""


def _caught_up(deciding: Deciding, event: e.DeviceCaughtUp) -> None:
    state = deciding.state
    deciding.add(c.Seen(event.device, c.Sight.CAUGHT_UP, True))
    highest, known = event.highest_command, state.devices[event.device].barred
    if highest >= state.record and highest > known:  # this record may order already: its number is taken too
        deciding.add(c.CommandsBarred(event.device, highest))
    _reading_broke_off(deciding, event.device)
    order = state.order
    if order is None or order.device != event.device or not order.is_given:
        return
    if order.boot != state.devices[event.device].boot:
        _order_is_unknown(deciding)  # after another boot, and the result is not among the kept events (rule 18)


def _reading_broke_off(deciding: Deciding, device: str) -> None:
    """A shoe that is back with an empty tray reads nothing any more, whether it remembers the last card or not."""
    shoe = deciding.state.devices[device]
    if shoe.kind is Kind.SHOE and not shoe.tray_occupied:
        for number, incident in list(deciding.state.incidents.items()):
            if incident.state in AT_THE_READER:
                deciding.fire_incident(number, Trigger.SHOE_TRAY_EMPTIED)


def _order_is_unknown(deciding: Deciding) -> None:
    order = deciding.state.order
    if order is not None:
        deciding.add(c.OrderClosed(order.id, "unknown"))
        deciding.answer(order.asked_by, Trigger.COUNT_UNKNOWN)


def _link_down(deciding: Deciding, event: e.LinkDown) -> None:
    is_keypad = deciding.state.devices[event.device].kind is Kind.KEYPAD
    held_already = bool(why_not_deal(deciding.state))  # a lost shoe says only later that it held
    deciding.add(c.Unlinked(event.device, event.reason))
    kind = IncidentKind.KEYPAD_LOST if is_keypad else IncidentKind.LINK_LOST
    deciding.raise_incident(kind, event.device, event.reason, held_already)


def _told(deciding: Deciding, event: e.Told) -> None:
    deciding.add(c.Taken(event.device, event.number))
    if isinstance(event.body, DealerKeyPressed):
        acts.dealer_key(deciding, event.body)
        return
    order = deciding.state.order
    report = REPORTS[type(event.body)](deciding.state, event)
    for change in report.changes:
        deciding.add(change)
    if report.incident is not None:
        deciding.raise_incident(*report.incident)
    _note_for_incidents(deciding, event)
    _send_on(deciding, report, order)
    for trigger in report.heard_by_all:
        deciding.device(trigger)
    if any(isinstance(change, c.Booked) and is_dealt(change) for change in deciding.changes):
        _watch_the_order(deciding)
        _watch_the_faces(deciding, event)


def _send_on(deciding: Deciding, report: Report, order: OpenOrder | None) -> None:
    """Send an event's trigger to whoever it is for; where no row takes a card or a lid, it is an incident."""
    if report.trigger is None:
        return
    if report.trigger in RESULTS:
        if order is not None:
            deciding.answer(order.asked_by, report.trigger)
    elif not deciding.device(report.trigger) and report.trigger in RAISE_AN_INCIDENT:
        for change in report.out_of_place:
            deciding.add(change)
        deciding.raise_incident(*report.out_of_place_incident)


def _watch_the_order(deciding: Deciding) -> None:
    """Cards in an order that no shuffled set has hold the table at once (SB-5, SB-9)."""
    shown = order_at_the_end(deciding.state.dealt.faces, deciding.book.house.sequence_holds_at)
    if shown:
        deciding.raise_incident(IncidentKind.SEQUENCE, "", shown)


def _watch_the_faces(deciding: Deciding, event: e.Told) -> None:
    """A card that a reader cannot read, and one more of a face than the set has, hold the table at once (SB-1)."""
    state, body = deciding.state, event.body
    if not isinstance(body, CardDrawn) or not state.devices[event.device].can(Capability.READS_FACES):
        return
    if body.face == UNREAD:
        deciding.raise_incident(IncidentKind.UNREADABLE, event.device, "a card came whose face the reader did not see")
    elif state.account.too_often(body.face, state.decks):
        detail = "more cards of one face came out than the set has"
        deciding.raise_incident(IncidentKind.DUPLICATE, event.device, detail)


def _note_for_incidents(deciding: Deciding, event: e.Told) -> None:
    """The moment at which dealing stopped, and the rounds in which a card came though an incident was open (BR-011)."""
    state, body = deciding.state, event.body
    blocking = {n: one for n, one in state.incidents.items() if one.kind not in NOT_BLOCKING}
    if isinstance(body, HoldConfirmed) and event.current and state.devices[event.device].kind is Kind.SHOE:
        for number, incident in blocking.items():
            if incident.stopped is None:
                deciding.add(c.Stopped(number))
    elif isinstance(body, CardDrawn) and body.purpose == Purpose.DEAL and state.rounds:
        for number, incident in blocking.items():
            if len(state.rounds) not in incident.rounds:
                deciding.add(c.RoundTagged(number, len(state.rounds)))


def _timer_due(deciding: Deciding, event: e.TimerDue) -> None:
    timer, _, number = event.timer.partition("/")
    if timer == "presence":
        deciding.device(Trigger.PRESENCE_DUE)
    elif timer == "order":
        _order_is_unknown(deciding)
    elif timer == "split":
        deciding.add(c.TimerSet("split", False))
        _split_is_off(deciding)
    elif timer == "silence":
        deciding.add(c.Seen(number, c.Sight.SILENT, True))
    elif timer == "return":
        out = deciding.state.account.out
        deciding.raise_incident(IncidentKind.CARD_LOST, "", f"{out} cards of the round did not come back")
    elif timer == "call":
        call = next_call(deciding.state.incidents[int(number)], deciding.book.house)
        if call is not None:
            deciding.add(c.Escalated(int(number), call[0]))
    elif timer == "lock_out":
        deciding.add(c.EntriesForgiven(int(number)))


def _split_is_off(deciding: Deciding) -> None:
    """The machine's word and the shoe's differ for too long: what the shoe did not tell of has left it unread."""
    untold = cards_untold(deciding.state)
    if untold:
        cause = "fed, and not told by the shoe"
        for entry in left_the_shoe(deciding.state.account, where_it_lies(deciding.state), untold, cause):
            deciding.add(entry)
        detail = f"the machine fed {untold} more than the shoe told of: a card left it unheard"
    else:
        detail = "more cards were drawn than the machine fed to the shoe"
    deciding.raise_incident(IncidentKind.COUNT_MISMATCH, "", detail)


def _screen_seen(deciding: Deciding, event: e.ScreenSeen) -> None:
    deciding.add(c.ScreenChanged(event.shown))
    if not event.shown:
        deciding.raise_incident(IncidentKind.SCREEN_LOST, "", "no screen shows this table any more")


def _pin_renewed(deciding: Deciding, event: e.PinRenewed) -> None:
    if not event.refused:
        deciding.add(c.EntriesForgiven(event.person))


def _right_taken(deciding: Deciding, event: e.RightTaken) -> None:
    if event.person == deciding.state.dealer:
        deciding.add(c.DealerSigned(0))


def _flush_was_slow(deciding: Deciding, event: e.FlushWasSlow) -> None:
    deciding.add(c.JournalWasSlow(event.milliseconds))
    if event.milliseconds > deciding.book.house.flush_limit_ms:
        deciding.raise_incident(IncidentKind.SLOW_JOURNAL, "", f"a flush of the journal took {event.milliseconds} ms")


def _journal_resumed(deciding: Deciding, event: e.JournalResumed) -> None:
    """No count is distrusted: what was not recorded was not acknowledged, so its device still keeps it and tells it."""
    seconds = max(0, deciding.state.utc_ns - event.since_utc_ns) // 10**9
    detail = f"nothing was recorded for {seconds} s; {event.reason}"
    deciding.raise_incident(IncidentKind.JOURNAL_FAILED, "", detail)


def _begun_anew(deciding: Deciding, event: e.JournalBegunAnew) -> None:
    detail = f"the journal was begun anew, the one before lies in {event.folder}: {event.reason}"
    deciding.raise_incident(IncidentKind.JOURNAL_FAILED, "", detail)


def _room_seen(deciding: Deciding, event: e.RoomSeen) -> None:
    deciding.add(c.RoomChanged(event.low))
    if event.low:
        deciding.raise_incident(IncidentKind.DISK_LOW, "", f"{event.free_mb} MB are left for the journal")


def _only_recorded(deciding: Deciding, event: e.AnyEvent) -> None:
    """An event that decides nothing: that it happened is the record."""


_EVENTS: dict[type[e.Event], Callable[[Deciding, Any], None]] = {
    e.Started: _started,
    e.LinkUp: _link_up,
    e.DeviceCaughtUp: _caught_up,
    e.LinkDown: _link_down,
    e.Told: _told,
    e.BadFrames: _only_recorded,
    e.Identified: acts.identified,
    e.Rejected: acts.rejected,
    e.EntryDropped: _only_recorded,
    e.Acted: acts.acted,
    e.TimerDue: _timer_due,
    e.ScreenSeen: _screen_seen,
    e.RightTaken: _right_taken,
    e.RenewalBegan: _only_recorded,
    e.PinRenewed: _pin_renewed,
    e.FlushWasSlow: _flush_was_slow,
    e.JournalResumed: _journal_resumed,
    e.JournalBegunAnew: _begun_anew,
    e.RoomSeen: _room_seen,
    e.ClockJumped: _only_recorded,
}
