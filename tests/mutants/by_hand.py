"""Deliberate faults in the order of things, the journal, the fold, and what the devices are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace as with_fields

from drivers.cards import face_of
from drivers.protocol import notices as n
from drivers.protocol.messages import Lamp
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.words import Claim, IncidentKind, Session, Trigger
from firmware_bridge.errors import JournalError
from tests.mutants.mutant import Mutant, put, replace

CONTROLLER = "firmware_bridge.core.controller:Controller"
OUTPUTS = "firmware_bridge.core.outputs"
FOLD = "firmware_bridge.core.fold"
REPORTS = "firmware_bridge.core.reports"
DECIDE = "firmware_bridge.core.decide"


def _fold(change: type[c.Change], also: Callable[[Any, Any], None]) -> None:
    """After a change is written down, do something to the state beside it."""

    def made(writes: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def apply(state: Any, change: Any) -> None:
            writes(state, change)
            also(state, change)

        return apply

    put(FOLD, "_APPLY", change, made)


def _forget(change: type[c.Change]) -> None:
    """Write nothing down of a change."""
    put(FOLD, "_APPLY", change, lambda _writes: lambda _state, _change: None)


def _set(name: str, value: Any) -> Callable[[Any, Any], None]:
    return lambda state, _change: setattr(state, name, value)


# ---- the order of a turn


def _ack_before_flush() -> None:
    def made(complete: Any) -> Any:
        def _complete(self: Any) -> None:
            for device, number in self._acks.items():
                self._ports.send(device, n.AckEvents(number, self.state.devices[device].memory))
            self._acks = {}
            complete(self)

        return _complete

    replace(CONTROLLER, "_complete", made)


def _hold_after_flush() -> None:
    def made(complete: Any) -> Any:
        def _complete(self: Any) -> None:
            self._flush()
            complete(self)

        return _complete

    replace(CONTROLLER, "_complete", made)


def _lease_before_flush() -> None:
    def made(complete: Any) -> Any:
        def _complete(self: Any) -> None:
            from firmware_bridge.core.outputs import desired

            wanted = desired(self.state, self.book)
            self._restrict(wanted)
            self._renew(wanted)
            complete(self)

        return _complete

    replace(CONTROLLER, "_complete", made)


def _lease_by_timer() -> None:
    def made(_renew: Any) -> Any:
        def _renew_again(self: Any, wanted: Any) -> None:
            for device, new in wanted.items():
                if new.release is not None and device in self._heard:
                    self._ports.send(device, n.Release(new.release, *self._heard[device]))

        return _renew_again

    replace(CONTROLLER, "_renew", made)


def _no_hold_at_all() -> None:
    def made(restrict: Any) -> Any:
        def _restrict(self: Any, wanted: Any) -> None:
            restrict(
                self,
                {
                    name: with_fields(one, release=self._sent[name].release) if name in self._sent else one
                    for name, one in wanted.items()
                },
            )

        return _restrict

    replace(CONTROLLER, "_restrict", made)


def _failed_flush_ignored() -> None:
    def made(_flush: Any) -> Any:
        def _flush_and_go_on(self: Any) -> None:
            try:
                _flush(self)
            except JournalError as error:
                self.ignored = str(error)

        return _flush_and_go_on

    replace(CONTROLLER, "_flush", made)


def _slow_flush_ignored() -> None:
    replace(CONTROLLER, "_tell_slow_flush", lambda _tell: lambda _self, _now: None)


def _slow_flush_told_at_once() -> None:
    replace(CONTROLLER, "_is_held_for_its_disk", lambda _is: lambda self: bool(self._slow_ms))


def _order_not_carried_again() -> None:
    replace(CONTROLLER, "_carry_again", lambda _carry: lambda _self, _device: None)


def _order_given_too_soon() -> None:
    def made(give: Any) -> Any:
        def _give(deciding: Any) -> None:
            machine = deciding.state.devices.get("shuffler")
            if deciding.state.order is None or machine is None:
                return
            caught_up, machine.caught_up = machine.caught_up, machine.open
            give(deciding)
            machine.caught_up = caught_up

        return _give

    replace(DECIDE, "_give_what_is_due", made)


def _event_twice() -> None:
    replace(
        "firmware_bridge.service.assembly",
        "Resume",
        lambda resume: lambda memory, taken: resume(memory, max(0, taken - 1)),
    )


def _clock_not_watched() -> None:
    replace(CONTROLLER, "_watch_the_clock", lambda _watch: lambda _self, _expected, _now: None)


def _first_event_skipped() -> None:
    replace(
        "firmware_bridge.service.assembly", "Resume", lambda resume: lambda memory, taken: resume(memory, taken + 1)
    )


# ---- the fold


def _wrong_count_believed() -> None:
    def believed(state: Any, _change: Any) -> None:
        state.played.counts_trusted = True

    _fold(c.FullCount, believed)


def _good_count_of_anything() -> None:
    def good(state: Any, _change: Any) -> None:
        from firmware_bridge.core.state import GoodCount

        state.played.good_count = GoodCount(state.moment, state.account.cards)

    _fold(c.FullCount, good)


def _state_moved_beside_changes() -> None:
    def made(decides: Any) -> Any:
        def told(deciding: Any, event: Any) -> None:
            decides(deciding, event)
            deciding.state.timers["heard"] = deciding.state.at

        return told

    put(DECIDE, "_EVENTS", e.Told, made)


def _book_twice() -> None:
    def made(book: Any) -> Any:
        def twice(self: Any, entry: Any) -> None:
            book(self, entry)
            if entry.cause == "return":
                book(self, entry)

        return twice

    replace("firmware_bridge.core.accounts:Account", "book", made)


def _distrust_forgotten() -> None:
    replace("firmware_bridge.core.incident_fold", "DISTRUSTS_COUNTS", lambda _kinds: frozenset())


def _power_cycle_clears(state: Any, change: Any) -> None:
    for number in [one for one, incident in state.incidents.items() if incident.about == change.device]:
        state.incidents_closed[number] = state.incidents.pop(number)


# ---- counts and cards


def _count_off_by_one() -> None:
    def made(found: Any) -> Any:
        def less(facts: Any) -> int | None:
            number = found(facts)
            return number - 1 if number else number

        return less

    replace("firmware_bridge.core.procedures.guards.loading", "_found", made)


def _every_deck_regular() -> None:
    replace(
        "firmware_bridge.core.procedures.reading",
        "judge",
        lambda judge: lambda facts: with_fields(judge(facts), missing=(), over=(), unread=0),
    )


def _pack_limit_off() -> None:
    replace(OUTPUTS, "pack_limit", lambda _limit: lambda _state, _book: None)


def _face_leaks() -> None:
    def made(report: Any) -> Any:
        def faced(state: Any, event: Any) -> Any:
            told = report(state, event)
            (booked,) = told.changes
            return with_fields(told, changes=(with_fields(booked, face=face_of(1, 0)),))

        return faced

    from drivers.protocol.messages import CardFed

    put(REPORTS, "REPORTS", CardFed, made)


def _unexpected_card_swallowed() -> None:
    kinds = frozenset({Trigger.CARD_DRAWN, Trigger.CARD_IN})
    replace("firmware_bridge.core.procedures", "RAISE_AN_INCIDENT", lambda triggers: triggers - kinds)


def _jam_swallowed() -> None:
    replace("firmware_bridge.core.procedures", "RAISE_AN_INCIDENT", lambda triggers: triggers - {Trigger.JAMMED})


def _lid_swallowed() -> None:
    replace("firmware_bridge.core.procedures", "RAISE_AN_INCIDENT", lambda triggers: triggers - {Trigger.LID_OPENED})


# ---- levels


def _deals_at_a_jam() -> None:
    replace(OUTPUTS, "NOT_BLOCKING", lambda kinds: kinds | {IncidentKind.JAM})


def _deals_on_distrusted_counts() -> None:
    def made(why: Any) -> Any:
        return lambda state: tuple(one for one in why(state) if one.about not in ("counts", "incident"))

    replace(OUTPUTS, "why_not_deal", made)


def _deals_without_a_device() -> None:
    replace(
        OUTPUTS, "why_not_deal", lambda why: lambda state: tuple(one for one in why(state) if one.about != "device")
    )


def _deals_a_wrong_load() -> None:
    replace(OUTPUTS, "DEALING", lambda states: states | {Session.WRONG_LOAD})


def _deals_during_a_claim() -> None:
    replace(OUTPUTS, "why_not_deal", lambda why: lambda state: tuple(one for one in why(state) if one.about != "claim"))


def _deals_without_a_dealer() -> None:
    replace(
        OUTPUTS, "why_not_deal", lambda why: lambda state: tuple(one for one in why(state) if one.about != "dealer")
    )


def _lamp_never_lit() -> None:
    replace(OUTPUTS, "_lamp", lambda _lamp: lambda _state: Lamp.OFF)


def _intake_open_in_round() -> None:
    def made(is_open: Any) -> Any:
        return lambda state, book: is_open(state, book) or state.session is Session.IN_ROUND

    replace(OUTPUTS, "intake_open", made)


def _intake_open_at_claim() -> None:
    def made(is_open: Any) -> Any:
        def also(state: Any, book: Any) -> bool:
            at_claim = state.session is Session.RETURNING and state.claim is Claim.OPEN
            return is_open(state, book) or at_claim

        return also

    replace(OUTPUTS, "intake_open", made)


def _intake_open_while_asking() -> None:
    def made(is_open: Any) -> Any:
        return lambda state, book: is_open(state, book) or state.session is Session.ASKING_PRESENCE

    replace(OUTPUTS, "intake_open", made)


def _lid_always_unlocked() -> None:
    replace(OUTPUTS, "_lid_unlocked", lambda _unlocked: lambda _state: True)


def _never_due(timer: str) -> Callable[[], None]:
    def apply() -> None:
        def made(due: Any) -> Any:
            def without(state: Any, book: Any) -> dict[str, int]:
                return {name: at for name, at in due(state, book).items() if name.partition("/")[0] != timer}

            return without

        replace(OUTPUTS, "due", made)

    return apply


MUTANTS: tuple[Mutant, ...] = (
    Mutant("ack_before_flush", "events are acknowledged before they are safe", _ack_before_flush),
    Mutant("hold_after_flush", "what restricts leaves only after the flush", _hold_after_flush),
    Mutant("lease_before_flush", "a lease is renewed on what is not safe yet", _lease_before_flush),
    Mutant("lease_by_timer", "a lease is renewed at any turn, heartbeat or not", _lease_by_timer),
    Mutant("no_hold", "nothing is ever told to hold; leases only run out", _no_hold_at_all),
    Mutant("failed_flush_ignored", "a failed flush is passed over", _failed_flush_ignored),
    Mutant("slow_flush_told_at_once", "a slow flush has a second one in its turn", _slow_flush_told_at_once),
    Mutant("slow_flush_ignored", "a flush over its limit raises nothing", _slow_flush_ignored),
    Mutant("clock_not_watched", "that the wall's clock was set is not recorded", _clock_not_watched),
    Mutant("order_lost_with_link", "a command is not carried again over a new link", _order_not_carried_again),
    Mutant("order_too_soon", "a command is given before its device has told all it kept", _order_given_too_soon),
    Mutant("event_twice", "after a restart the last event is taken again", _event_twice),
    Mutant("event_skipped", "after a restart one event is taken for taken", _first_event_skipped),
    Mutant("restart_clears", "a restart closes what is open", lambda: _fold(c.Began, lambda s, _: s.incidents.clear())),
    Mutant(
        "power_cycle_clears", "a device that returns ends its incidents", lambda: _fold(c.Linked, _power_cycle_clears)
    ),
    Mutant("restart_ends_lock_out", "a restart ends a lock-out", lambda: _fold(c.Began, _set("locked_out", {}))),
    Mutant(
        "restart_forgets_order", "a restart forgets the command under way", lambda: _fold(c.Began, _set("order", None))
    ),
    Mutant("wrong_count_believed", "a count that differs is believed", _wrong_count_believed),
    Mutant("good_count_of_anything", "every count is the last good one", _good_count_of_anything),
    Mutant("distrust_forgotten", "no incident makes a count doubtful", _distrust_forgotten),
    Mutant("state_moved_beside_changes", "deciding moves the state past its changes", _state_moved_beside_changes),
    Mutant("pack_supervisor_forgotten", "who stood by a pack is not kept", lambda: _forget(c.PackBegan)),
    Mutant("notice_forgotten", "a notice that is owed is not kept", lambda: _forget(c.NoticeOwed)),
    Mutant("mark_forgotten", "which deck is imperfect is not kept", lambda: _forget(c.SetMarked)),
    Mutant("retired_forgotten", "which machine is out of service is not kept", lambda: _forget(c.MachineRetired)),
    Mutant(
        "restart_returns_to_service",
        "a restart returns a machine to service",
        lambda: _fold(c.Began, lambda s, _: s.retired.clear()),
    ),
    Mutant(
        "barred_commands_used", "commands that a device takes no more are ordered", lambda: _forget(c.CommandsBarred)
    ),
    Mutant("screen_forgotten", "whether a screen is there is not kept", lambda: _forget(c.ScreenChanged)),
    Mutant("booked_twice", "a card that came back is booked twice", _book_twice),
    Mutant("count_off_by_one", "a full count is read as one card fewer", _count_off_by_one),
    Mutant("every_deck_regular", "the verification finds every deck regular", _every_deck_regular),
    Mutant("first_pack_may_be_all", "the first pack may be the whole set", _pack_limit_off),
    Mutant("face_leaks", "a record tells a face before the card is out", _face_leaks),
    Mutant("unexpected_card_swallowed", "a card out of turn raises nothing", _unexpected_card_swallowed),
    Mutant("jam_swallowed", "a jam raises nothing", _jam_swallowed),
    Mutant("lid_swallowed", "a lid opened by force raises nothing", _lid_swallowed),
    Mutant("deals_at_a_jam", "a jam does not hold dealing", _deals_at_a_jam),
    Mutant("deals_at_any_incident", "no incident holds dealing", _deals_on_distrusted_counts),
    Mutant("deals_a_wrong_load", "a wrong load is dealt", _deals_a_wrong_load),
    Mutant("deals_during_a_claim", "an open claim does not hold dealing", _deals_during_a_claim),
    Mutant("deals_without_a_device", "dealing goes on though a device is not there", _deals_without_a_device),
    Mutant("deals_without_a_dealer", "dealing needs no dealer signed in", _deals_without_a_dealer),
    Mutant("lamp_never_lit", "the lamp is never lit", _lamp_never_lit),
    Mutant("intake_open_in_round", "the intake is open within a round", _intake_open_in_round),
    Mutant("intake_open_at_claim", "the intake is open before the claim is closed", _intake_open_at_claim),
    Mutant("intake_open_while_asking", "the intake stays open when presence is asked for", _intake_open_while_asking),
    Mutant("lid_always_unlocked", "the lid is never locked", _lid_always_unlocked),
    Mutant("presence_never_asked", "nobody is asked to show presence", _never_due("presence")),
    Mutant("order_never_due", "a machine may take for ever to count", _never_due("order")),
    Mutant("escalation_never", "nobody is called about an alarm that waits", _never_due("call")),
    Mutant("return_never_due", "cards that do not come back are not missed", _never_due("return")),
    Mutant("split_never_due", "a shoe that gives more than it got is not seen", _never_due("split")),
    Mutant("lock_out_for_ever", "a lock-out never ends", _never_due("lock_out")),
)
