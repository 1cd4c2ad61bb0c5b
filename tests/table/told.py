"""What a report tells of an evening, read from its records as a reader does."""

from __future__ import annotations

from firmware_bridge.core.records import Logged
from firmware_bridge.view import CourseLine, Entry, IncidentReport, SessionReader, SessionReport, TableView, table_view
from tests.table.evening import Evening


def session_told(evening: Evening, number: int | None = None) -> SessionReport:
    """The report of a session; by default of the last one."""
    reader = SessionReader(number)
    for record in evening.table.store.records():
        reader.add(record.number, record.utc_ns, Logged.from_body(record.body))
    return reader.report(evening.table.config.book)


def incident_told(evening: Evening, number: int = 1, session: int | None = None) -> IncidentReport:
    """The report of one incident of it."""
    return next(one for one in session_told(evening, session).incidents if one.number == number)


def entries(incident: IncidentReport, entry: Entry) -> list[CourseLine]:
    """The entries of one kind, in their order."""
    return [line for line in incident.course if line.entry is entry]


def screen(evening: Evening) -> TableView:
    """What the table's screen shows now."""
    controller = evening.table.assembly.controller
    return table_view(controller.state, controller.book, controller.status(), ())


def asked(evening: Evening) -> str:
    """What the screen asks of people, a line each."""
    return "\n".join(ask.text for ask in screen(evening).asks)


def due(evening: Evening) -> list[str]:
    """What the table waits for, in order."""
    return [ask.trigger for ask in screen(evening).asks if ask.due]
