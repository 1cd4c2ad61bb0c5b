"""The command ``sabot``: each command does its one thing, and whatever can go wrong is a message with its remedy."""

from __future__ import annotations

import json
import signal
import sqlite3
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from pytest_mock import MockerFixture

from firmware_bridge.journal import last_number
from firmware_bridge.service import plugins
from firmware_bridge.service.cli import main
from firmware_bridge.service.people import Credentials, read_people
from tests.service import live, recorded

COMMANDS = ("run", "watch", "replay", "journal", "report", "people")


def invoke(*arguments: str | Path, typed: str | None = None) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), input=typed)


def refused(result: Result) -> str:
    """Return the message with which a command was refused: status 1, one line on standard error, no traceback."""
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    return line.removeprefix("Error: ")


# ---- help, and other packages' commands


def test_help_lists_every_command() -> None:
    result = invoke("--help")
    assert result.exit_code == 0
    assert all(f"  {command} " in result.output for command in COMMANDS)


def test_it_runs_as_a_module() -> None:
    done = live.sabot("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: sabot ")


@click.command()
def further() -> None:
    """Do something further."""
    click.echo("done further")


def test_another_package_adds_a_command_and_a_broken_one_takes_none_away(mocker: MockerFixture) -> None:
    registered = [
        EntryPoint("further", f"{__name__}:further", plugins.GROUP),
        EntryPoint("broken", "no_such_package.commands:broken", plugins.GROUP),
        EntryPoint("odd", "json:dumps", plugins.GROUP),
        EntryPoint("run", "json:dumps", plugins.GROUP),
    ]
    mocker.patch.object(plugins, "entry_points", autospec=True, return_value=registered)
    listed = invoke("--help").output
    assert "Do something further." in listed
    assert listed.count("(cannot be loaded)") == 2
    assert invoke("further").output == "done further\n"
    assert "no_such_package" in refused(invoke("broken", "--seed", "7"))
    assert "json:dumps is no command" in refused(invoke("odd"))
    assert "Run the controller" in invoke("run", "--help").output


# ---- what is wrong with a configuration


def test_an_unknown_key_is_named(tmp_path: Path) -> None:
    config = live.write_config(tmp_path, extra='colour = "green"')
    assert "table.colour" in refused(invoke("run", "--config", config))


def test_a_missing_configuration_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "none.toml") in refused(invoke("run", "--config", tmp_path / "none.toml"))


def test_a_table_without_people_is_told_how_to_enrol_them(tmp_path: Path) -> None:
    done = live.sabot("run", "--config", live.write_config(tmp_path))
    assert done.returncode == 1
    assert "sabot people add" in done.stderr
    assert not (tmp_path / "table.journal").exists(), "nothing was begun"


# ---- journals


def altered(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE record SET utc_ns = utc_ns + 1 WHERE number = 3")
    connection.commit()
    connection.close()
    return path


def test_a_good_journal_verifies_and_says_how_far(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    result = invoke("journal", "verify", path)
    assert result.exit_code == 0
    assert f"complete to record {last_number(path)}" in result.output


def test_an_altered_record_is_named_and_the_status_is_one(tmp_path: Path) -> None:
    result = invoke("journal", "verify", altered(recorded.journal_in(tmp_path)))
    assert result.exit_code == 1
    assert "BAD: record 3: it was altered" in result.output


def test_a_head_that_left_the_machine_shows_a_cut_tail(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    result = invoke("journal", "verify", path, "--head", f"{last_number(path) + 5}:{'0' * 64}")
    assert result.exit_code == 1
    assert "were cut from the end" in result.output
    assert "is no head" in refused(invoke("journal", "verify", path, "--head", "yesterday's"))


def test_a_key_is_taken_from_a_file_or_as_digits(tmp_path: Path) -> None:
    path, file = recorded.journal_in(tmp_path), tmp_path / "noted.key"
    lines = invoke("journal", "export", path).output.splitlines()
    key = json.loads(lines[0])["public_key"]
    file.write_text(f"{key}\n", encoding="ascii")
    assert invoke("journal", "verify", path, "--key", key).exit_code == 0
    assert invoke("journal", "verify", path, "--key", file).exit_code == 0
    other = invoke("journal", "verify", path, "--key", "11" * 32)
    assert other.exit_code == 1
    assert "signed with another key" in other.output
    assert "no public key" in refused(invoke("journal", "verify", path, "--key", "g" * 64))
    assert "No such file" in refused(invoke("journal", "verify", path, "--key", tmp_path / "none"))


def test_a_journal_is_shown_in_words_and_only_its_end_if_asked(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    everything = invoke("journal", "show", path)
    assert everything.exit_code == 0
    lines = everything.output.splitlines()
    assert "2026-01-01 00:00" in lines[0]
    end = invoke("journal", "show", path, "--last", "2").output.splitlines()
    assert end
    assert lines[-len(end) :] == end
    assert len(end) <= 2


def test_an_export_has_a_line_for_each_part(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    lines = [json.loads(line) for line in invoke("journal", "export", path).output.splitlines()]
    assert [line["record"] for line in lines if "record" in line] == list(range(1, last_number(path) + 1))


@pytest.mark.parametrize(
    "command", [("journal", "show"), ("journal", "export"), ("replay",), ("report", "session")], ids="-".join
)
def test_a_file_that_is_no_journal_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    assert str(tmp_path / "none") in refused(invoke(*command, tmp_path / "none"))
    (tmp_path / "text").write_text("no journal")
    assert str(tmp_path / "text") in refused(invoke(*command, tmp_path / "text"))


def test_a_report_of_a_session_that_is_not_there_says_which_are(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    assert "no session has begun" in refused(invoke("report", "session", path))
    assert "no session has begun" in refused(invoke("report", "session", path, "--session", "2", "--format", "json"))


def test_a_report_of_an_altered_journal_tells_that_and_nothing_else(tmp_path: Path) -> None:
    result = invoke("report", "session", altered(recorded.journal_in(tmp_path)))
    assert result.exit_code == 1
    assert result.output.startswith("*** THE JOURNAL DOES NOT HOLD: record 3")


def test_replay_decides_everything_again(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    result = invoke("replay", path)
    assert result.exit_code == 0
    assert f"all {last_number(path)} records agree" in result.output


def test_a_table_is_watched_until_ctrl_c(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    with live.process("watch", path) as watching:
        assert watching.stdout is not None
        assert "BJ-07" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        assert watching.wait(live.LIMIT) == 130


def test_watching_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    assert str(tmp_path / "none") in refused(invoke("watch", tmp_path / "none"))


# ---- people


def test_a_person_is_enrolled_with_a_pin_that_is_asked_for_and_shown_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    result = invoke("people", "add", file, "12", "supervisor", typed=f"{live.PIN}\n{live.PIN}\n")
    assert result.exit_code == 0
    assert Credentials(read_people(file)).check(12, live.PIN) == "supervisor"
    assert live.PIN not in result.output + result.stderr
    assert not live.files_with(tmp_path, live.traces_of(live.PIN))


def test_a_pin_is_asked_for_again_until_it_is_typed_twice_alike(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    typed = f"{live.PIN}\n418860\n{live.PIN}\n{live.PIN}\n"
    assert invoke("people", "add", file, "12", "dealer", typed=typed).exit_code == 0


def test_a_pin_may_come_through_a_pipe(tmp_path: Path) -> None:
    done = live.sabot("people", "add", tmp_path / "people.json", "12", "supervisor", typed=f"{live.PIN}\n{live.PIN}\n")
    assert done.returncode == 0
    assert live.PIN not in done.stdout + done.stderr


def test_a_pin_is_no_argument(tmp_path: Path) -> None:
    result = invoke("people", "add", tmp_path / "people.json", "12", "supervisor", live.PIN)
    assert result.exit_code == 2
    assert not (tmp_path / "people.json").exists()


def test_without_a_pin_nobody_is_enrolled(tmp_path: Path) -> None:
    assert invoke("people", "add", tmp_path / "people.json", "12", "supervisor", typed="").exit_code == 1
    assert not (tmp_path / "people.json").exists()


def test_people_are_listed_and_disabled_by_number(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    live.enrol(tmp_path)
    assert invoke("people", "disable", file, str(live.SUPERVISOR)).exit_code == 0
    assert invoke("people", "list", file).output == f"{live.SUPERVISOR:>4}  supervisor  (disabled)\n"
    assert "nobody has the number 7" in refused(invoke("people", "disable", file, "7"))


def test_ctrl_c_ends_any_command_without_a_traceback(mocker: MockerFixture, tmp_path: Path) -> None:
    mocker.patch("firmware_bridge.service.people.read_people", autospec=True, side_effect=KeyboardInterrupt)
    result = invoke("people", "list", tmp_path / "people.json")
    assert (result.exit_code, result.output) == (130, "")
