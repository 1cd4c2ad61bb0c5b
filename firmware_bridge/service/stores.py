"""The journal's stores, for those who put a table together."""

from firmware_bridge.journal import MemoryStore, Record, SqliteStore, read_records

__all__ = ["MemoryStore", "Record", "SqliteStore", "read_records"]
