"""Errors of the controller; each says when it is raised, whether cards may have moved, and what to do."""

from __future__ import annotations


class BridgeError(Exception):
    """Anything that the controller says went wrong. Its text names what happened, where, and what to do."""


class ConfigError(BridgeError):
    """A configuration, people file or rule book cannot be used. Raised before any device is opened; nothing moved."""


class JournalError(BridgeError):
    """The journal cannot be written or read. Raised by the store: all is held, nothing unwritten is acknowledged."""


class JournalLostError(JournalError):
    """The journal is damaged, or a part of it is missing. Raised at start; nothing moved. Lay it aside: begin anew."""


class AlreadyRunningError(BridgeError):
    """Another controller has this journal, port or folder. Stop the other one first.

    Raised at start: nothing moved. Of a journal whose lock was removed also in play: all is held, and this one ends.
    """
