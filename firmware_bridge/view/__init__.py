"""Pure: the state of a table to what anyone may see of it, in words."""

from firmware_bridge.view.alarm_texts import HOW_TO
from firmware_bridge.view.alarms import AlarmLine, IncidentLine
from firmware_bridge.view.approvals import approval_lines
from firmware_bridge.view.ask_line import AskLine
from firmware_bridge.view.describe import describe
from firmware_bridge.view.difference import deck_words, difference
from firmware_bridge.view.incident_course import FOUR_MOMENTS, CourseLine, Entry, When
from firmware_bridge.view.last_events import LastEvents
from firmware_bridge.view.phrases import clock, counted, role_words
from firmware_bridge.view.receipt import Receipt, ReceiptKind
from firmware_bridge.view.receipts import receipts
from firmware_bridge.view.repeats import OnDuty, Repeat, Repeats
from firmware_bridge.view.session_parts import (
    CycleLine,
    IncidentReport,
    RoundLine,
    SessionReport,
    ShoeLine,
    SoftwareLine,
)
from firmware_bridge.view.session_report import SessionReader
from firmware_bridge.view.table_view import DeviceLine, KeypadLine, StatusLike, TableView, keypad_line, table_view
from firmware_bridge.view.texts import DOUBTS, Hand

__all__ = [
    "DOUBTS",
    "FOUR_MOMENTS",
    "HOW_TO",
    "AlarmLine",
    "AskLine",
    "CourseLine",
    "CycleLine",
    "DeviceLine",
    "Entry",
    "Hand",
    "IncidentLine",
    "IncidentReport",
    "KeypadLine",
    "LastEvents",
    "OnDuty",
    "Receipt",
    "ReceiptKind",
    "Repeat",
    "Repeats",
    "RoundLine",
    "SessionReader",
    "SessionReport",
    "ShoeLine",
    "SoftwareLine",
    "StatusLike",
    "TableView",
    "When",
    "approval_lines",
    "clock",
    "counted",
    "deck_words",
    "describe",
    "difference",
    "keypad_line",
    "receipts",
    "role_words",
    "table_view",
]
