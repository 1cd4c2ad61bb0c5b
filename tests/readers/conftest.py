"""Journals that several files read."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.core.words import Trigger
from tests.readers.papers import LEFT_IN
from tests.readers.test_report import troubled, written
from tests.table.byways import give_up_the_machine, unloading, verify_and_find_no_more
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, Evening


@pytest.fixture(scope="session")
def evening() -> Evening:
    """Two sessions: a jam in each, in the second a damaged card whose first replacement is a wrong one."""
    return troubled()


@pytest.fixture(scope="session")
def journal(evening: Evening, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(evening, tmp_path_factory.mktemp("receipts"))


@pytest.fixture(scope="session")
def carried_away(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evening, Path]:
    """The machine dies with sixteen cards in it; it is said to be emptied by hand, and nobody took them out."""
    evening = Evening()
    evening.open_and_load()
    evening.play_round()
    unloading(evening, evening.state.account.cards - LEFT_IN)
    give_up_the_machine(evening)
    assert evening.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    verify_and_find_no_more(evening)
    evening.confirm_all()
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    return evening, written(evening, tmp_path_factory.mktemp("carried_away"))
