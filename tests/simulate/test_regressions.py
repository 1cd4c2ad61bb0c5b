"""Seeds that once failed hold every invariant now."""

from __future__ import annotations

import pytest

from sim_hardware.commands.simulate.report import told
from sim_hardware.commands.simulate.shift import Settings, Shift
from tests.simulate.regressions import ONCE_FAILED


@pytest.mark.timeout(300)
@pytest.mark.parametrize("settings", [once.settings for once in ONCE_FAILED], ids=[once.found for once in ONCE_FAILED])
def test_a_seed_that_once_failed_does_not_fail_again(settings: Settings) -> None:
    result = Shift(settings).play()
    assert not result.violation, "\n".join(told(result))
