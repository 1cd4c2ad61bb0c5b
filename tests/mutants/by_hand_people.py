"""Deliberate faults in what people may do: entries at the keypad, steps, incidents, the closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace as with_fields

from firmware_bridge.core import events as e
from firmware_bridge.core.machine import Effect, Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import reading
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import Incident, IncidentKind, Role, Session, Trigger
from tests.mutants.mutant import Mutant, change_rows, put, replace

CONSOLE = "firmware_bridge.core.console:Console"
ACTS = "firmware_bridge.core.acts"
DECIDE = "firmware_bridge.core.decide"
KINDS = "firmware_bridge.core.procedures.incidents"


# ---- the keypad


def _checked_as(made_role: Callable[[Any], Any]) -> Callable[[], None]:
    """The credential check's answer is taken for another."""

    def apply() -> None:
        def made(checked: Any) -> Any:
            return lambda self, entry, role, now, failed="": checked(self, entry, made_role(role), now, failed)

        replace(CONSOLE, "checked", made)

    return apply


def _old_answer_taken() -> None:
    def made(_awaits: Any) -> Any:
        return lambda self, _entry: bool(self._person)

    replace(CONSOLE, "_awaits", made)


def _pin_in_a_record() -> None:
    def made(take: Any) -> Any:
        def _take_pin(self: Any, typed: str) -> Any:
            outcome = take(self, typed)
            return with_fields(outcome, events=(e.EntryDropped(f"checked {typed}"),))

        return _take_pin

    replace(CONSOLE, "_take_pin", made)


def _pin_on_the_screen() -> None:
    def made(take: Any) -> Any:
        def _take_pin(self: Any, typed: str) -> Any:
            outcome = take(self, typed)
            self.message = f"checking {typed}"
            return outcome

        return _take_pin

    replace(CONSOLE, "_take_pin", made)


def _entry_stays_open() -> None:
    def made(act: Any) -> Any:
        def _act(self: Any, value: int) -> Any:
            person, role = self._person, self._role
            outcome = act(self, value)
            from firmware_bridge.core.console import Asking

            self._person, self._role, self.asking = person, role, Asking.STEP
            return outcome

        return _act

    replace(CONSOLE, "_act", made)


def _lock_out_ignored() -> None:
    def made(take: Any) -> Any:
        def _take_outcome(self: Any, outcome: Any, now: Any) -> None:
            locked, self.state.locked_out = self.state.locked_out, {}
            take(self, outcome, now)
            self.state.locked_out = locked

        return _take_outcome

    replace("firmware_bridge.core.controller:Controller", "_take_outcome", made)


# ---- steps


def _late_key_counts() -> None:
    replace(ACTS, "ANSWERS", lambda _keys: frozenset())


def _blind_answers() -> None:
    def made(acted: Any) -> Any:
        def seeing(deciding: Any, event: Any) -> None:
            shown, deciding.state.screen_shown = deciding.state.screen_shown, True
            acted(deciding, event)
            deciding.state.screen_shown = shown

        return seeing

    put(DECIDE, "_EVENTS", e.Acted, made)


def _anybody_may(name: str) -> Callable[[], None]:
    """A step beside the tables takes anybody for the one whose it is."""
    whose = STEPS[Trigger[name]].role

    def apply() -> None:
        def made(step: Any) -> Any:
            return lambda deciding, event: step(deciding, with_fields(event, role=whose))

        put(ACTS, "_BESIDE_THE_TABLES", Trigger[name], made)

    return apply


def _take_over_ignored() -> None:
    put(ACTS, "_BESIDE_THE_TABLES", Trigger.TAKE_OVER, lambda _step: lambda _deciding, _event: None)


# ---- incidents


def _gone(kind: IncidentKind, gone: Callable[[Any, Any], bool]) -> Callable[[], None]:
    return lambda: put(KINDS, "KINDS", kind, lambda one: with_fields(one, gone=gone))


def _lid_is_shut(state: Any, incident: Any) -> bool:
    return not state.devices[incident.about].lid_open


def _always(_state: Any, _incident: Any) -> bool:
    return True


def _sequence_not_watched() -> None:
    replace("firmware_bridge.core.decide", "_watch_the_order", lambda _watches: lambda _deciding: None)


def _sequence_is_longer() -> None:
    def made(shows: Callable[[bytes, int], str]) -> Callable[[bytes, int], str]:
        return lambda faces, length: shows(faces, length + 1)

    replace("firmware_bridge.core.decide", "order_at_the_end", made)


def _is_no_matter(*fields: str) -> Callable[[], None]:
    """Of what a device says of itself, something is not compared with what was approved."""

    def made(compared: dict[str, str]) -> dict[str, str]:
        return {field: words for field, words in compared.items() if field not in fields}

    return lambda: replace("firmware_bridge.core.events", "_OF_IDENTITY", made)


def _faces_not_watched() -> None:
    replace("firmware_bridge.core.decide", "_watch_the_faces", lambda _watches: lambda _deciding, _event: None)


def _not_raised(event: type[e.Event]) -> Callable[[], None]:
    """An event is decided on without the incident that it is."""

    def apply() -> None:
        def made(decides: Any) -> Any:
            def quietly(deciding: Any, event: Any) -> None:
                deciding.raise_incident = lambda *_about: None
                decides(deciding, event)

            return quietly

        put(DECIDE, "_EVENTS", event, made)

    return apply


def _nothing_follows(event: type[e.Event]) -> Callable[[], None]:
    """An event is recorded, and decides nothing."""
    return lambda: put(DECIDE, "_EVENTS", event, lambda _decides: lambda _deciding, _event: None)


def _clears_itself() -> None:
    """A cleared incident is confirmed by nobody, with the next event."""

    def made(settle: Any) -> Any:
        def _settle(deciding: Any) -> None:
            settle(deciding)
            for number, incident in list(deciding.state.incidents.items()):
                if incident.state is Incident.CLEARED:
                    from firmware_bridge.core import changes as c

                    deciding.add(c.Moved(f"incident/{number}", Trigger.CONDITION_GONE, "cleared", "confirmed", "SB-2"))

        return _settle

    replace(DECIDE, "_settle", made)


# ---- rows


def _row(source: str, trigger: Trigger, target: str, made: Callable[[Row], Row]) -> Callable[[], None]:
    """One row, told by where it goes from, by what, and to, is another."""

    def change(row: Row) -> Row:
        return made(row) if (row.source, row.trigger, row.target) == (source, trigger, target) else row

    return lambda: change_rows(change)


def _to(target: str) -> Callable[[Row], Row]:
    return lambda row: with_fields(row, target=target)


def _approved_at_once(row: Row) -> Row:
    return with_fields(row, target=Incident.CLEARED, effect=do.approve_device)


def _unloaded_over_the_books(facts: Any) -> Any:
    """What came out is booked out of the shoe, whether or not the books hold a card inside."""
    return list(do.book_unloaded(facts))[-1:]


def _instead(old: Effect, new: Effect | None) -> Callable[[], None]:
    return lambda: change_rows(lambda row: with_fields(row, effect=new) if row.effect is old else row)


S, T, OF = Session, Trigger, Incident

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "wrong_pin_accepted",
        "a wrong PIN is taken for a supervisor's",
        _checked_as(lambda role: role or Role.SUPERVISOR),
    ),
    Mutant(
        "everybody_a_supervisor",
        "everybody is taken for a supervisor",
        _checked_as(lambda role: role and Role.SUPERVISOR),
    ),
    Mutant("old_answer_taken", "an answer for an entry that is gone opens the next one", _old_answer_taken),
    Mutant("pin_in_a_record", "a record holds the digits of a PIN", _pin_in_a_record),
    Mutant("pin_on_the_screen", "the screen shows the digits of a PIN", _pin_on_the_screen),
    Mutant("entry_stays_open", "one PIN opens more than one act", _entry_stays_open),
    Mutant("lock_out_never", "wrong entries are not counted", _nothing_follows(e.Rejected)),
    Mutant("lock_out_ignored", "who is locked out is checked all the same", _lock_out_ignored),
    Mutant("right_kept", "a dealer who may act no more goes on", _nothing_follows(e.RightTaken)),
    Mutant("renewal_forgives_nothing", "a renewed PIN leaves its lock-out", _nothing_follows(e.PinRenewed)),
    Mutant("late_key_counts", "a key answers what was not asked when it was pressed", _late_key_counts),
    Mutant("blind_answers", "an alarm is answered though no screen shows it", _blind_answers),
    Mutant("anybody_acknowledges", "anybody acknowledges an alarm", _anybody_may("ACKNOWLEDGE")),
    Mutant("anybody_takes_over", "anybody takes the table over", _anybody_may("TAKE_OVER")),
    Mutant("anybody_declares_foreign", "anybody says that a card is none of the set", _anybody_may("DECLARE_FOREIGN")),
    Mutant("anybody_declares_a_spill", "anybody declares a spill", _anybody_may("DECLARE_SPILL")),
    Mutant("anybody_sends_notice", "anybody says that the notice is sent", _anybody_may("NOTICE_SENT")),
    Mutant("anybody_returns_to_service", "anybody returns a machine to service", _anybody_may("RETURN_TO_SERVICE")),
    Mutant("take_over_ignored", "a take-over changes nothing", _take_over_ignored),
    Mutant("jam_gone_by_itself", "a jam is settled without count and shuffle", _gone(IncidentKind.JAM, _always)),
    Mutant("lid_shut_is_enough", "a lid that is shut again settles it", _gone(IncidentKind.LID_OPENED, _lid_is_shut)),
    Mutant("spill_gone_by_itself", "a spill is settled without a count", _gone(IncidentKind.SPILL, _always)),
    Mutant(
        "card_lost_gone_by_itself", "a card that is missed is settled by time", _gone(IncidentKind.CARD_LOST, _always)
    ),
    Mutant(
        "mismatch_gone_by_itself", "a mismatch is settled without a count", _gone(IncidentKind.COUNT_MISMATCH, _always)
    ),
    Mutant(
        "power_lost_gone_by_itself",
        "power lost is settled without count and shuffle",
        _gone(IncidentKind.POWER_LOST, _always),
    ),
    Mutant(
        "sequence_gone_by_itself",
        "cards in sequence are settled without count and shuffle",
        _gone(IncidentKind.SEQUENCE, _always),
    ),
    Mutant("foreign_card_gone", "a foreign card is settled unsealed", _gone(IncidentKind.FOREIGN_CARD, _always)),
    Mutant(
        "no_deck_doubted",
        "a deck with one wrong read is judged at once",
        _instead(reading.doubt_deck, reading.judge_deck),
    ),
    Mutant(
        "wrong_card_not_told",
        "a right total with a wrong card raises nothing",
        _instead(reading.judge_set, reading.judge_deck),
    ),
    Mutant("duplicate_gone", "a face too often is settled unread", _gone(IncidentKind.DUPLICATE, _always)),
    Mutant("unreadable_gone", "an unread card is played on with", _gone(IncidentKind.UNREADABLE, _always)),
    Mutant("faces_not_watched", "no face too often and no unread card holds the table", _faces_not_watched),
    Mutant("sequence_not_watched", "cards in sequence hold nothing", _sequence_not_watched),
    Mutant("sequence_is_longer", "cards in sequence hold only one card later", _sequence_is_longer),
    Mutant("link_down_not_raised", "a lost link raises nothing", _not_raised(e.LinkDown)),
    Mutant("link_up_not_raised", "a device that lost power or memory raises nothing", _not_raised(e.LinkUp)),
    Mutant(
        "another_device_is_as_good",
        "another device than the approved one is no incident",
        _gone(IncidentKind.IDENTITY_CHANGED, _always),
    ),
    Mutant("any_serial_number", "a device's serial number is not compared", _is_no_matter("serial")),
    Mutant("any_firmware", "a device's firmware is not compared", _is_no_matter("firmware", "digest")),
    Mutant(
        "one_person_approves",
        "the technician's check alone approves a device",
        _row(OF.RAISED, T.CHECK_DEVICE, OF.AWAITING_APPROVAL, _approved_at_once),
    ),
    Mutant("screen_lost_not_raised", "a lost screen raises nothing", _not_raised(e.ScreenSeen)),
    Mutant("told_not_raised", "no event of a device raises anything", _not_raised(e.Told)),
    Mutant("clears_itself", "a cleared incident ends by itself", _clears_itself),
    Mutant(
        "no_shuffle_after_count",
        "after a jam nothing is shuffled",
        _row(OF.COUNTING, T.COUNTED, OF.SHUFFLING, _to(OF.CLEARED)),
    ),
    Mutant("mismatch_swallowed", "a count that differs raises nothing", _instead(do.count_differs, do.full_count)),
    Mutant(
        "empty_without_a_count",
        "an empty feed proves the machine empty",
        _row(S.UNLOADING, T.FEED_EMPTY, S.COUNTING_EMPTY, lambda row: with_fields(row, target=S.LOOKING, effect=None)),
    ),
    Mutant(
        "difference_is_regular",
        "a deck that differs ends as regular",
        _row(S.READING_DECK, T.SHOE_TRAY_EMPTIED, S.DIFFERENCE, _to(S.ALL_REGULAR)),
    ),
    Mutant(
        "wrong_load_opens",
        "a count of the load that differs opens the session",
        _row(S.COUNTING_LOAD, T.COUNTED, S.WRONG_LOAD, _to(S.READY)),
    ),
    Mutant(
        "presence_does_not_stop",
        "unanswered presence does not shut the intake",
        _row(S.LOADING_PACK, T.PRESENCE_DUE, S.ASKING_PRESENCE, _to(S.LOADING_PACK)),
    ),
    Mutant(
        "unloaded_over_the_books",
        "cards that come out beyond the books go below zero",
        _instead(do.book_unloaded, _unloaded_over_the_books),
    ),
    Mutant("returned_not_booked", "cards that come back are not booked", _instead(do.book_returned, None)),
    Mutant(
        "damage_needs_no_count",
        "a cleared jam is not counted",
        _row(OF.ASKING_DAMAGE, T.ANSWER_NO, OF.COUNTING, lambda row: with_fields(row, target=OF.CLEARED, effect=None)),
    ),
    Mutant(
        "lid_closed_is_cleared",
        "a closed lid ends a jam, blocked or not",
        _row(OF.LID_OPEN, T.LID_CLOSED, OF.STILL_BLOCKED, _to(OF.ASKING_DAMAGE)),
    ),
    Mutant(
        "wrong_replacement_taken",
        "another card is taken as the replacement",
        _row(OF.READING_REPLACEMENT, T.CARD_DRAWN, OF.WRONG_REPLACEMENT, _to(OF.ASKING_BACK)),
    ),
    Mutant(
        "difference_bars_nothing",
        "a set with a difference may open again",
        _row("good", T.SIGN_DIFFERENCE, "barred", _to("good")),
    ),
    Mutant("machine_not_retired", "a machine out of service opens the next session", _instead(do.retire_machine, None)),
)
