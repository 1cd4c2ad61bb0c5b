"""The ``line`` dialect of the older shoes, which only talk: STX, text, ETX, check byte (README.md)."""
