"""The command prints what was played: at its end, and when it is interrupted."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout

import pytest
from click.testing import CliRunner

from firmware_bridge.service.interrupts import INTERRUPTED
from sim_hardware.batch_faults import BatchFault
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.simulate import command
from sim_hardware.commands.simulate.fate import BEFALLS
from sim_hardware.commands.simulate.report import NAMED_FROM, NEVER, all_rows, lines
from sim_hardware.commands.simulate.shift import Result, Settings
from sim_hardware.faults import Fault


def interrupted(wanted: Iterator[Settings], _jobs: int) -> Iterator[Result]:
    """Play one shift of seven records; then somebody presses Ctrl-C."""
    yield Result(next(wanted), events=7)
    raise KeyboardInterrupt


class Terminal(io.StringIO):
    """Standard error at a terminal."""

    def isatty(self) -> bool:
        return True


def played(wanted: Iterator[Settings], _jobs: int) -> Iterator[Result]:
    """Play shifts of seven records, each of which ends verified."""
    for settings in wanted:
        yield Result(settings, events=7, ends=Counter(verified=1))


@pytest.mark.parametrize(("stderr", "told"), [(Terminal, 3), (io.StringIO, 0)])
def test_at_a_terminal_each_shift_is_told_when_it_was_played(
    monkeypatch: pytest.MonkeyPatch, stderr: type[io.StringIO], told: int
) -> None:
    monkeypatch.setattr(command, "play", played)
    with pytest.raises(SystemExit), redirect_stderr(stderr()) as said, redirect_stdout(io.StringIO()) as out:
        command.simulate.main(["--shifts", "3", "--seed", "4"])
    lines = said.getvalue().splitlines()
    assert lines == [f"seed {seed}: 7 events; 1 verified" for seed in (4, 5, 6)][:told]
    assert out.getvalue().splitlines()[-1] == "3 shifts, 21 events, 0 violations, 100.0% verified"


def results(shifts: int) -> list[Result]:
    """Shifts in each of which one row fired, one fault struck and one person did wrong, always the same ones."""
    return [
        Result(
            Settings(seed),
            rows=Counter([all_rows()[0]]),
            struck=Counter([str(Fault.JAM_EXIT)]),
            people=Counter(careful=6, hasty=1),
            misdeeds=Counter([str(Habit.KEEP_A_CARD)]),
        )
        for seed in range(shifts)
    ]


def test_who_sat_at_the_tables_and_what_they_did_wrong_is_printed() -> None:
    told = list(lines(results(2)))
    assert "Who sat at the tables: 12 careful, 2 hasty, 0 absent, 0 dishonest" in told
    assert any(line.split() == ["2", "keep_a_card"] for line in told)


def test_in_a_few_shifts_what_never_happened_is_one_line() -> None:
    told = list(lines(results(NAMED_FROM - 1)))
    assert len([line for line in told if line.endswith(NEVER)]) == 0
    summed = [int(line.split()[0]) for line in told if "more never did" in line]
    assert summed == [len(Fault) + len(BatchFault) + len(BEFALLS) - 1, len(Habit) - 1, len(all_rows()) - 1]
    assert len(told) < 20


def test_in_many_shifts_what_never_happened_is_named() -> None:
    told = list(lines(results(NAMED_FROM)))
    things = len(Fault) + len(BatchFault) + len(BEFALLS) + len(Habit) + len(all_rows())
    assert len([line for line in told if line.endswith(NEVER)]) == things - 3
    assert not [line for line in told if "more never did" in line]


def test_ctrl_c_prints_what_was_played_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "play", interrupted)
    told = CliRunner().invoke(command.simulate, ["--shifts", "3"])
    assert told.exit_code == INTERRUPTED
    assert told.output.splitlines()[-1] == "1 shifts, 7 events, 0 violations, 0.0% verified"
    assert "How often each fault struck:" in told.output
