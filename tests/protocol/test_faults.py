"""What is wrong with a line is told at once, then seldomer and seldomer, and nothing of its number is lost."""

from __future__ import annotations

import pytest

from drivers.protocol.faults import LONGEST, PERIOD, Faults


def babble(faults: Faults, seconds: float, every: float, start: float = 0.0) -> list[tuple[float, int]]:
    """One fault each ``every`` seconds; return when how many were told."""
    told = []
    for step in range(round(seconds / every) + 1):
        now = start + step * every
        faults.add("noise")
        told += [(now, one.count) for one in faults.tell(now)]
    return told


def test_the_first_is_told_at_once_and_then_each_after_twice_the_time_up_to_a_minute() -> None:
    told = babble(Faults(), seconds=300, every=0.5)
    assert [at for at, _ in told] == [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]
    assert [count for _, count in told] == [1, 2, 4, 8, 16, 32, 64, 120, 120, 120]


@pytest.mark.parametrize("every", [0.25, 1.5, 30.0])
def test_a_day_of_it_is_a_notice_a_minute_and_none_is_forgotten(every: float) -> None:
    faults = Faults()
    told = babble(faults, seconds=86_400, every=every)
    assert len(told) <= 86_400 / LONGEST + 8
    at = told[-1][0] + LONGEST
    assert sum(count for _, count in told + [(at, one.count) for one in faults.tell(at)]) == 86_400 / every + 1


def test_after_two_minutes_of_quiet_it_is_told_at_once_again() -> None:
    faults = Faults()
    last = babble(faults, seconds=300, every=0.5)[-1][0]
    (rest,) = faults.tell(last + LONGEST)
    assert rest.count == 114
    assert faults.deadlines() == []
    quiet = last + 3 * LONGEST
    assert babble(faults, seconds=PERIOD, every=PERIOD, start=quiet) == [(quiet, 1), (quiet + PERIOD, 1)]


def test_what_waits_says_when_it_is_due_and_may_be_given_less_time() -> None:
    faults = Faults(longest=4.0)
    assert [at for at, _ in babble(faults, seconds=19, every=1.0)] == [0, 1, 3, 7, 11, 15, 19]
    faults.add("noise")
    assert faults.deadlines() == [23.0]
