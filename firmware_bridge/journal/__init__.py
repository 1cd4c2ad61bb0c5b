"""The journal: kept on disk so that the procedure can be proven afterwards.

README.md has the written format.
"""

from firmware_bridge.journal.chain import Head, Opening, Record, head_text, parse_head
from firmware_bridge.journal.export import export_lines, parts
from firmware_bridge.journal.memory_store import MemoryStore
from firmware_bridge.journal.reader import heads, last_number, read_records, require_journal, segment_start
from firmware_bridge.journal.snapshot import Restored
from firmware_bridge.journal.store import SqliteStore
from firmware_bridge.journal.verify import SESSION_ENDS, VerifyReport, last_session_state, verify

__all__ = [
    "SESSION_ENDS",
    "Head",
    "MemoryStore",
    "Opening",
    "Record",
    "Restored",
    "SqliteStore",
    "VerifyReport",
    "export_lines",
    "head_text",
    "heads",
    "last_number",
    "last_session_state",
    "parse_head",
    "parts",
    "read_records",
    "require_journal",
    "segment_start",
    "verify",
]
