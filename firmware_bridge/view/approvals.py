"""Which devices wait to be approved, and what the two people who may do that type at the keypad (SB-10)."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_bridge.core.alarms import presented
from firmware_bridge.core.outputs import unapproved
from firmware_bridge.core.state import State
from firmware_bridge.core.words import IncidentKind
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.view.alarm_asks import alarm_lines
from firmware_bridge.view.alarm_texts import HOW_TO
from firmware_bridge.view.alarms import incident_line
from firmware_bridge.view.device_texts import APPROVALS
from firmware_bridge.view.phrases import capital
from firmware_bridge.view.texts import DUTIES


def approval_lines(state: State, book: RuleBook) -> Iterator[str]:
    """Yield the lines: each alarm with what it asks for; of a closed table, what waits for its opening."""
    numbers = [number for number, one in state.incidents.items() if one.kind is IncidentKind.IDENTITY_CHANGED]
    first = presented(state)
    for number in numbers:
        yield capital(incident_line(state, book, number, first).text)
        if number != first:
            yield "  " + APPROVALS["waits"].format(number=first)
        yield from (f"  {line.text}" for line in alarm_lines(state, number, book))
    closed = {} if state.under_way else unapproved(state)
    yield from (capital(DUTIES["unapproved"].format(device=name, how=how)) for name, how in closed.items())
    if numbers:
        yield APPROVALS["how"].format(how=HOW_TO)
    elif not closed:
        yield APPROVALS["none"]
