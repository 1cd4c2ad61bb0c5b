"""What tests of whole tables share."""

from __future__ import annotations

import pytest

from tests.table.evening import Evening


@pytest.fixture
def ready() -> Evening:
    """A table that is open and loaded, between rounds."""
    evening = Evening()
    evening.open_and_load()
    return evening
