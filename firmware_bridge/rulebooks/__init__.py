"""The rule books as data: one TOML file a book, every value with its clause; the house fills silences."""

from firmware_bridge.rulebooks.loader import BOOKS, load_for_table, load_rulebook
from firmware_bridge.rulebooks.schema import RuleBook

__all__ = ["BOOKS", "RuleBook", "load_for_table", "load_rulebook"]
