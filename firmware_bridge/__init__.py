"""The controller: it enforces the procedures at the table and keeps the journal that proves it."""
