"""What whoever checks a controller from outside is handed: records read back, the fold, and the tables behind them."""

from firmware_bridge.core import changes, deal_changes, events
from firmware_bridge.core.fold import apply, fold
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.procedures import INCIDENT_TABLES, TABLES
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Course, Incident, IncidentKind, Place, Procedure, Role, Session, Trigger
from firmware_bridge.errors import BridgeError, JournalError
from firmware_bridge.rulebooks import BOOKS, RuleBook, load_for_table, load_rulebook
from firmware_bridge.rulebooks.permissions import day_of, not_yet

__all__ = [
    "BOOKS",
    "INCIDENT_TABLES",
    "TABLES",
    "BridgeError",
    "Course",
    "Entry",
    "Incident",
    "IncidentKind",
    "JournalError",
    "Logged",
    "Place",
    "Procedure",
    "Role",
    "RuleBook",
    "Session",
    "State",
    "Trigger",
    "apply",
    "changes",
    "day_of",
    "deal_changes",
    "events",
    "fold",
    "load_for_table",
    "load_rulebook",
    "not_yet",
    "why_not_deal",
]
