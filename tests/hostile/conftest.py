"""A table between two processes, for the tests that start the installed programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.two_processes import Table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)
