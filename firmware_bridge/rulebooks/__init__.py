"""The rule books as data: one TOML file a book, every value with its clause; the house fills silences."""

from firmware_bridge.rulebooks.loader import BOOKS, load_for_table, load_rulebook
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.shelf import Shelf

__all__ = ["BOOKS", "RuleBook", "Shelf", "load_for_table", "load_rulebook"]
