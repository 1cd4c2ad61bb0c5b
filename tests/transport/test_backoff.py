"""A port is tried again soon at first, then every two seconds, for as long as it takes."""

from __future__ import annotations

import pytest

from drivers.backoff import delay


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 0.2), (2, 0.4), (3, 0.8), (4, 1.6), (5, 2.0), (6, 2.0), (10**9, 2.0)]
)
def test_the_wait_doubles_from_a_fifth_of_a_second_to_two_seconds(failures: int, seconds: float) -> None:
    assert delay(failures) == pytest.approx(seconds)


def test_there_is_nothing_to_wait_for_before_a_failure() -> None:
    with pytest.raises(ValueError, match="0 failures"):
        delay(0)
