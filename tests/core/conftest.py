"""An open table between rounds, and a controller of its own on its state."""

from __future__ import annotations

import pytest

from tests.core.tape import Tape
from tests.table.evening import Evening


@pytest.fixture(scope="module")
def evening() -> Evening:
    evening = Evening()
    evening.open_and_load()
    evening.table.run(1)
    return evening


@pytest.fixture
def tape(evening: Evening) -> Tape:
    """A controller of its own on the state of an open table between rounds."""
    return Tape(evening)
