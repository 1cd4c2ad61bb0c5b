"""What anyone may see of a table, made from its state: may cards be dealt and why not, what is next and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from drivers.protocol.messages import Capability, Kind
from firmware_bridge.core.device_state import MACHINES, Device
from firmware_bridge.core.outputs import Reason, why_not_deal
from firmware_bridge.core.state import State
from firmware_bridge.core.words import CLEAR_FIRST, IN_PLAY, Course, Place
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view.alarm_texts import ALARM
from firmware_bridge.view.alarms import (
    AlarmLine,
    IncidentLine,
    alarm_line,
    incident_line,
    incident_words,
    locked_out_lines,
    shown_alarm,
)
from firmware_bridge.view.ask_line import AskLine, by_hand_alone, none_due
from firmware_bridge.view.asks import ask_lines, deck_due, intake_open, pack_limit
from firmware_bridge.view.device_texts import DEVICES
from firmware_bridge.view.difference import difference, since_good_count
from firmware_bridge.view.duties import duty_lines
from firmware_bridge.view.phrases import SECOND, cards, clock, span, stands_on
from firmware_bridge.view.set_asks import set_stands
from firmware_bridge.view.set_texts import COURSES
from firmware_bridge.view.texts import (
    DEAL,
    DO_NOT_DEAL,
    HOUSE_BEHIND,
    KEYPAD,
    PLACES,
    REASONS,
    SESSIONS,
    SINCE_COUNT,
    Hand,
)

STALE_NS = 3 * 10**9
"""How old a device's last word may be before the screen tells its time: most send a heartbeat twice a second."""

DEALS = frozenset({Hand.DEAL, Hand.BURN})
"""What nobody is asked for by a screen that does not know whether it may be done."""


class StatusLike(Protocol):
    """What the controller tells beside its journal: how fresh it is, and how many digits are typed."""

    @property
    def utc_ns(self) -> int:
        """When it was told."""

    @property
    def asking(self) -> str:
        """What the keypad asks for."""

    @property
    def role(self) -> str:
        """Whose choice is open, once identified."""

    @property
    def digits(self) -> int:
        """How many digits are typed."""

    @property
    def message(self) -> str:
        """What the keypad has to say."""

    @property
    def presented(self) -> int:
        """The alarm that is presented: it stays while an entry is open. 0 for none."""

    @property
    def journal(self) -> str:
        """Why nothing can be recorded now; empty while the journal is written."""

    @property
    def heard(self) -> Mapping[str, int]:
        """When each device's last word came, in UTC nanoseconds; one that this run has not heard is not in it."""


class KeypadLine(Struct, frozen=True):
    """The keypad's open entry: ``dots`` digits are typed. ``asking`` is empty where nothing is known of it."""

    asking: str = ""
    dots: int = 0
    role: str = ""
    message: str = ""

    @property
    def prompt(self) -> str:
        """What is to be typed, in words; empty where the message orders Clear first, or nothing is known."""
        return "" if CLEAR_FIRST in self.message else KEYPAD.get(self.asking, "")


class DeviceLine(Struct, frozen=True):
    """One device: whether it is there, and what it says of itself."""

    name: str
    kind: str
    there: bool
    simulated: bool
    text: str


class TableView(Struct, frozen=True):
    """A table as its people may see it; nothing in it tells a PIN or what lies undealt.

    ``as_of`` is the UTC of record ``record``, in nanoseconds.
    """

    table: str
    rulebook: str
    simulated: bool
    speed: float
    session: str
    session_state: str
    session_number: int
    round: int
    may_deal: bool
    headline: str
    reasons: tuple[str, ...]
    alarm: AlarmLine | None
    asks: tuple[AskLine, ...]
    keypad: KeypadLine
    cards: tuple[tuple[str, int], ...]
    accounts: dict[str, int]
    since_count: str
    pack_limit: int | None
    intake_open: bool
    deck_due: int
    duties: tuple[str, ...]
    incidents: tuple[IncidentLine, ...]
    locked_out: tuple[str, ...]
    difference: tuple[str, ...]
    devices: tuple[DeviceLine, ...]
    events: tuple[str, ...]
    as_of: int
    record: int
    sets: tuple[str, ...] = ()


def table_view(
    state: State,
    book: RuleBook,
    status: StatusLike | None,
    recent: Sequence[str],
    *,
    doubt: str = "",
    heard: bool = True,
) -> TableView:
    """Return the view of a state. ``doubt``: why a reader does not trust it; then no card may be dealt (SB-1).

    ``heard``: whether a controller is at work; where none is, nobody takes a key, and no step is offered.
    """
    reasons = why_not_deal(state)
    may_deal = not reasons and not doubt
    now = max(state.utc_ns, status.utc_ns if status else 0)
    alarm = shown_alarm(state, status.presented if status and not doubt else 0)
    shown, asks = alarm_line(state, book, alarm, now), ask_lines(state, book, alarm)
    if status is not None and status.journal:  # no step is taken that cannot be recorded, so the table waits for none
        asks = none_due(asks)
        shown = shown and replace(shown, asks=none_due(shown.asks))
    if not heard:
        asks = by_hand_alone(asks)
        shown = shown and replace(shown, asks=by_hand_alone(shown.asks))
    return TableView(
        table=state.table,
        rulebook=book.title,
        simulated=any(device.simulated for device in state.devices.values()),
        speed=state.speed,
        session=SESSIONS[state.session],
        session_state=state.session.value,
        session_number=state.session_number,
        round=len(state.rounds),
        may_deal=may_deal,
        headline=DEAL if may_deal else DO_NOT_DEAL,
        reasons=(
            *([f"{doubt} [SB-1]"] if doubt else []),
            *(_reason(state, book, reason, status) for reason in reasons),
        ),
        alarm=shown,
        asks=tuple(ask for ask in asks if not (doubt and ask.trigger in DEALS)),
        keypad=keypad_line(state, None if doubt else status, heard=heard),
        cards=tuple((PLACES[place], count) for place, count in state.account.shown.items()),
        accounts={place.value: state.account.at(place) for place in Place},
        since_count=_since_count(state, book),
        pack_limit=pack_limit(state, book),
        intake_open=intake_open(state, book),
        deck_due=deck_due(state),
        duties=duty_lines(state, book, now),
        incidents=tuple(incident_line(state, book, number, alarm) for number in state.incidents),
        locked_out=locked_out_lines(state, book, now, heard=heard),
        difference=difference(state) or (() if state.counts_trusted else (since_good_count(state),)),
        devices=tuple(_device(name, device, status) for name, device in state.devices.items()),
        events=tuple(recent),
        as_of=state.utc_ns,
        record=state.record,
        sets=set_stands(state),
    )


def _since_count(state: State, book: RuleBook) -> str:
    """How many rounds have passed since the last full count, of how many (BR-005); empty while none is played."""
    if state.session not in IN_PLAY:
        return ""
    return SINCE_COUNT.format(passed=state.rounds_since_count, limit=book.house.rounds_between_counts)


def _reason(state: State, book: RuleBook, reason: Reason, status: StatusLike | None) -> str:
    words = REASONS[reason.about].format_map(_REASON_FACTS[reason.about](state, reason.detail))
    if reason.about == "device":
        words = ", ".join([words, *_last_heard(reason.detail, state.devices[reason.detail], status)])
    return f"{words} [{stands_on(book, reason.clause)}]"


def _session_facts(state: State, detail: str) -> dict[str, str]:
    del detail
    house = HOUSE_BEHIND.get(state.session)
    return {"session": SESSIONS[state.session] + (f" ({source(house)})" if house else "")}


def _device_facts(state: State, detail: str) -> dict[str, str]:
    device = state.devices[detail]
    return {"device": detail, "why": device.reason or DEVICES["silent" if device.silent else "catching_up"]}


def _incident_facts(state: State, detail: str) -> dict[str, str]:
    return {"number": detail, "incident": incident_words(state.incidents[int(detail)])}


def _book_facts(state: State, detail: str) -> dict[str, str]:
    del detail
    return {"over": cards(state.account.at(Place.OVER))}


def _set_facts(state: State, detail: str) -> dict[str, str]:
    del state
    return {"set": COURSES[Course(detail)]}


def _other_set_facts(state: State, detail: str) -> dict[str, str]:
    del state
    return {"set": detail}


def _void_facts(state: State, detail: str) -> dict[str, str]:
    del state
    return {"round": detail}


def _no_facts(state: State, detail: str) -> dict[str, str]:
    del state, detail
    return {}


_REASON_FACTS = {
    "session": _session_facts,
    "device": _device_facts,
    "claim": _no_facts,
    "deal": _no_facts,
    "dealer": _no_facts,
    "incident": _incident_facts,
    "counts": _no_facts,
    "books": _book_facts,
    "empty": _no_facts,
    "last_round": _no_facts,
    "set": _set_facts,
    "discard": _other_set_facts,
    "void": _void_facts,
}


def keypad_line(state: State, status: StatusLike | None, *, heard: bool = True) -> KeypadLine:
    """Return the keypad's line: of all that a screen shows, what changes with each key."""
    if not heard:
        return KeypadLine(message=ALARM["nobody_takes_keys"])
    keypad = state.device_of(Kind.KEYPAD)
    if keypad is not None and not keypad.open:
        return KeypadLine(message=ALARM["keypad_gone"])
    if status is None:
        return KeypadLine()
    return KeypadLine(str(status.asking), status.digits, str(status.role), status.message)


def _is_fresh(name: str, device: Device, status: StatusLike | None) -> bool:
    """Whether a device's last word is so young that it is there now."""
    heard = status.heard.get(name) if status is not None else None
    return status is not None and heard is not None and device.open and status.utc_ns - heard <= STALE_NS


def _last_heard(name: str, device: Device, status: StatusLike | None) -> list[str]:
    """When a device's last word came, where that is some time ago; of one that never says anything it means nothing."""
    heard = status.heard.get(name) if status is not None else None
    if heard is None or device.can(Capability.LISTEN_ONLY) or _is_fresh(name, device, status):
        return []
    return [DEVICES["last_heard"].format(time=clock(heard))]


def _age(name: str, device: Device, status: StatusLike | None) -> list[str]:
    """How old all that is said of a device is, as far as the controller tells; nothing of one that never speaks."""
    if status is None or device.can(Capability.LISTEN_ONLY):
        return []
    if _is_fresh(name, device, status):
        return [DEVICES["fresh"].format(seconds=STALE_NS // SECOND)]
    if name not in status.heard:
        return [] if device.open else [DEVICES["unheard"]]
    age = max(status.utc_ns - status.heard[name], 0) // SECOND
    return [f"{words}, {DEVICES['age'].format(age=span(age))}" for words in _last_heard(name, device, status)]


def _link_words(device: Device, is_fresh: bool) -> str:
    """How far its link is; of one that is open and does not obey, what it ignores."""
    if not device.open:
        return DEVICES["not_open"].format(why=device.reason)
    if device.reason:
        return DEVICES["ignores"].format(why=device.reason)
    return connected_words(device.capabilities, is_fresh) if device.is_there else DEVICES["catching_up"]


def connected_words(can: Capability, is_fresh: bool) -> str:
    """What can be known of a device whose link is open; ``is_fresh``: it was heard a moment ago.

    A line on which only the device or only we speak stays open, whatever became of its other end.
    """
    if Capability.LISTEN_ONLY in can:
        return DEVICES["port_open"]
    return DEVICES["unknown" if Capability.SEND_ONLY in can and not is_fresh else "connected"]


def _device(name: str, device: Device, status: StatusLike | None) -> DeviceLine:
    said = [_link_words(device, _is_fresh(name, device, status))]
    if device.open:
        said += [f"{device.model} {device.serial}".strip()] if device.model or device.serial else []
        said += [DEVICES["simulated"]] if device.simulated else []
        gives_cards = device.kind is Kind.SHOE or device.kind in MACHINES
        said += [DEVICES["cannot_hold"]] if gives_cards and not device.can(Capability.CAN_HOLD) else []
        said += [DEVICES["send_only"]] if device.can(Capability.SEND_ONLY) else []
        said += [DEVICES["listen_only"]] if device.can(Capability.LISTEN_ONLY) else []
        said += [DEVICES["silent"]] if device.silent else []
        said += [DEVICES["jammed"]] if device.jammed else []
        said += [DEVICES["lid_open"]] if device.lid_open else []
        said += [DEVICES["tray_occupied"]] if device.tray_occupied else []
        said += [DEVICES["output_occupied"]] if device.output_occupied else []
        said += [] if device.intake_ready else [DEVICES["intake_not_ready"]]
    said += _age(name, device, status)
    return DeviceLine(name, device.kind.name.lower(), device.is_there, device.simulated, ", ".join(said))
