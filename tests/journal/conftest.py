"""A sound journal, made once for each test module, and copies of it to spoil."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.journal.bench import copy_of, make_journal


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_journal(tmp_path_factory.mktemp("sound"))


@pytest.fixture(scope="module")
def fresh(sound: Path) -> Iterator[Callable[[], Path]]:
    """A new copy of the sound journal at each call."""
    with tempfile.TemporaryDirectory() as directory:
        count = iter(range(1_000_000))
        yield lambda: copy_of(sound, Path(directory, str(next(count))))
