"""The journal: kept on disk so that the procedure can be proven afterwards.

README.md has the written format.
"""

from firmware_bridge.journal.chain import Record
from firmware_bridge.journal.export import export_lines, parts
from firmware_bridge.journal.memory_store import MemoryStore
from firmware_bridge.journal.reader import heads, is_begun, last_number, read_records, require_journal, segment_start
from firmware_bridge.journal.snapshot import Restored
from firmware_bridge.journal.store import SqliteStore
from firmware_bridge.journal.verify import VerifyReport, last_session_state, verify

__all__ = [
    "MemoryStore",
    "Record",
    "Restored",
    "SqliteStore",
    "VerifyReport",
    "export_lines",
    "heads",
    "is_begun",
    "last_number",
    "last_session_state",
    "parts",
    "read_records",
    "require_journal",
    "segment_start",
    "verify",
]
