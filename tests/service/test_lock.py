"""What one process has for itself: who has it is said, and when that ends nobody is named and the next may come."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firmware_bridge.errors import AlreadyRunningError
from firmware_bridge.lock import Lock


def taken(path: Path) -> Lock:
    return Lock(path, lambda holder: f"process {holder} has it")


def test_the_one_that_has_it_is_named_to_the_next_and_to_nobody_once_it_let_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with taken(path) as lock:
        assert path.read_text() == f"{os.getpid()}\n"
        with pytest.raises(AlreadyRunningError, match=f"^process {os.getpid()} has it$"):
            taken(path)
        assert path.read_text() == f"{os.getpid()}\n", "who is refused leaves it as it is"
    assert path.read_text() == ""
    lock.release()  # once more changes nothing
    with taken(path):
        lock.release()
        assert path.read_text() == f"{os.getpid()}\n"
