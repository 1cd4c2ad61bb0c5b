"""What every event's body is."""

from __future__ import annotations

from msgspec import Struct


class Body(Struct, frozen=True, gc=False, tag_field="type"):
    """Any event's body."""
