"""Pure: the state of a table to what anyone may see of it, in words."""

from firmware_bridge.view.alarm_texts import HOW_TO
from firmware_bridge.view.alarms import AlarmLine, IncidentLine
from firmware_bridge.view.ask_line import AskLine
from firmware_bridge.view.describe import describe
from firmware_bridge.view.difference import deck_words, difference
from firmware_bridge.view.phrases import clock, role_words
from firmware_bridge.view.session_report import DeviceReport, IncidentReport, SessionReader, SessionReport, When
from firmware_bridge.view.table_view import DeviceLine, KeypadLine, StatusLike, TableView, table_view
from firmware_bridge.view.texts import DOUBTS, Hand

__all__ = [
    "DOUBTS",
    "HOW_TO",
    "AlarmLine",
    "AskLine",
    "DeviceLine",
    "DeviceReport",
    "Hand",
    "IncidentLine",
    "IncidentReport",
    "KeypadLine",
    "SessionReader",
    "SessionReport",
    "StatusLike",
    "TableView",
    "When",
    "clock",
    "deck_words",
    "describe",
    "difference",
    "role_words",
    "table_view",
]
