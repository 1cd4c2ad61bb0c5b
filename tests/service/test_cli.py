"""The command ``sabot``: each command does its one thing, and whatever can go wrong is a message with its remedy."""

from __future__ import annotations

import json
import sqlite3
from importlib import metadata
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from pytest_mock import MockerFixture

from firmware_bridge.journal import last_number
from firmware_bridge.service import plugins
from firmware_bridge.service.cli import RECEIPTS, main
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
        metadata.EntryPoint("further", f"{__name__}:further", plugins.GROUP),
        metadata.EntryPoint("broken", "no_such_package.commands:broken", plugins.GROUP),
        metadata.EntryPoint("odd", "json:dumps", plugins.GROUP),
        metadata.EntryPoint("run", "json:dumps", plugins.GROUP),
    ]
    mocker.patch.object(metadata, "entry_points", autospec=True, return_value=registered)
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


def altered(path: Path, how: str = "UPDATE record SET utc_ns = utc_ns + 1 WHERE number = 3") -> Path:
    connection = sqlite3.connect(path)
    connection.execute(how)
    connection.commit()
    connection.close()
    return path


def badly_signed(path: Path) -> Path:
    """The chain holds, and no signature does."""
    return altered(path, "UPDATE head SET signature = zeroblob(64)")


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
    lines = invoke("journal", "export", path).stdout.splitlines()
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
    lines = everything.stdout.splitlines()
    assert "2026-01-01 00:00" in lines[0]
    end = invoke("journal", "show", path, "--last", "2").stdout.splitlines()
    assert end
    assert lines[-len(end) :] == end
    assert len(end) <= 2


def test_an_export_has_a_line_for_each_part(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    lines = [json.loads(line) for line in invoke("journal", "export", path).stdout.splitlines()]
    assert [line["record"] for line in lines if "record" in line] == list(range(1, last_number(path) + 1))


@pytest.mark.parametrize("command", [("journal", "show"), ("journal", "export"), ("replay",)], ids="-".join)
def test_what_does_not_check_signatures_says_so(tmp_path: Path, command: tuple[str, ...]) -> None:
    """An inspector must not take words, copy or replay for a proof; the answer itself stays what it is."""
    path = badly_signed(recorded.journal_in(tmp_path))
    assert invoke("journal", "verify", path).exit_code == 1
    result = invoke(*command, path)
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.endswith(f"not checked here: sabot journal verify {path}")
    assert "ignatures" in line


@pytest.mark.parametrize("command", [("journal", "show"), ("replay",)], ids="-".join)
def test_words_and_replay_end_with_1_where_a_record_does_not_follow(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = altered(recorded.journal_in(tmp_path))
    result = invoke(*command, path)
    assert result.exit_code == 1
    assert "record 3 does not follow record 2" in result.stderr


def test_an_export_of_a_bad_journal_is_a_copy_of_it_as_it_stands(tmp_path: Path) -> None:
    path = altered(recorded.journal_in(tmp_path))
    result = invoke("journal", "export", path)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) > last_number(path)
    assert "Chain and signatures are not checked here" in result.stderr


READERS = [
    ("journal", "verify"),
    ("journal", "show"),
    ("journal", "export"),
    ("replay",),
    ("report", "session"),
    *(("report", kind) for kind in RECEIPTS),
    ("watch",),
]


@pytest.mark.parametrize("command", READERS, ids="-".join)
def test_what_is_no_journal_at_all_is_named_as_what_it_is(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "text").write_text("no journal")
    (tmp_path / "empty").touch()
    sqlite3.connect(tmp_path / "other").execute("CREATE TABLE record (number)").connection.close()
    told = {"none": "no such file", "text": "not a journal", "empty": "is empty", "other": "not a journal"}
    if command == ("watch",):
        del told["none"]  # that one it waits for
    told |= {".": "cannot be read: Is a directory", "text/journal": "cannot be read: Not a directory"}
    for name, words in told.items():
        message = refused(invoke(*command, tmp_path / name))
        assert message.startswith(f"journal {tmp_path / name}: ")
        assert words in message
        assert " Give " in message, "the remedy"
        assert "BAD" not in message


def test_a_journal_of_which_only_the_newest_file_is_missing_is_a_bad_journal(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    path.rename(f"{path}.1")
    result = invoke("journal", "verify", path)
    assert result.exit_code == 1
    assert "BAD: " in result.output


def test_a_report_of_a_session_that_is_not_there_says_which_are(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    assert "no session has begun" in refused(invoke("report", "session", path))
    assert "no session has begun" in refused(invoke("report", "session", path, "--session", "2", "--format", "json"))


def test_a_report_of_an_altered_journal_tells_that_and_nothing_else(tmp_path: Path) -> None:
    path = altered(recorded.journal_in(tmp_path))
    for kind in ("session", *RECEIPTS):
        result = invoke("report", kind, path)
        assert result.exit_code == 1
        assert result.output.startswith("*** THE JOURNAL DOES NOT HOLD: record 3")


def test_replay_decides_everything_again(tmp_path: Path) -> None:
    path = recorded.journal_in(tmp_path)
    result = invoke("replay", path)
    assert result.exit_code == 0
    assert f"all {last_number(path)} records agree" in result.output


# ---- people


def test_a_pin_from_standard_input_is_one_line_and_shown_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    done = live.sabot("people", "add", file, "12", "supervisor", "--pin-from-stdin", typed=f"{live.PIN}\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "person 12 is enrolled as supervisor\n", "")
    assert Credentials(read_people(file)).check(12, live.PIN) == "supervisor"
    assert not live.files_with(tmp_path, live.traces_of(live.PIN))


@pytest.mark.parametrize("command", [("add", "12", "supervisor"), ("renew", "12")], ids=["add", "renew"])
def test_without_a_terminal_no_pin_is_taken_unless_that_is_asked_for(tmp_path: Path, command: tuple[str, ...]) -> None:
    live.enrol(tmp_path)
    before = (tmp_path / "people.json").read_bytes()
    name, *rest = command
    message = refused(invoke("people", name, tmp_path / "people.json", *rest, typed=f"{live.PIN}\n{live.PIN}\n"))
    assert "--pin-from-stdin" in message
    assert "terminal" in message
    assert (tmp_path / "people.json").read_bytes() == before


def test_a_pin_is_no_argument(tmp_path: Path) -> None:
    result = invoke("people", "add", tmp_path / "people.json", "12", "supervisor", live.PIN)
    assert result.exit_code == 2
    assert not (tmp_path / "people.json").exists()


def test_without_a_pin_nobody_is_enrolled(tmp_path: Path) -> None:
    nothing = invoke("people", "add", tmp_path / "people.json", "12", "supervisor", "--pin-from-stdin", typed="")
    assert "no PIN was given" in refused(nothing)
    assert not (tmp_path / "people.json").exists()


def test_a_forgotten_pin_is_renewed_by_who_may_write_the_file(tmp_path: Path) -> None:
    file, new = tmp_path / "people.json", "418860"
    live.enrol(tmp_path)
    done = invoke("people", "renew", file, str(live.SUPERVISOR), "--pin-from-stdin", typed=f"{new}\n")
    assert done.exit_code == 0
    assert done.output.startswith(f"person {live.SUPERVISOR}, supervisor, has a new PIN")
    assert Credentials(read_people(file)).check(live.SUPERVISOR, new) == "supervisor"
    assert Credentials(read_people(file)).check(live.SUPERVISOR, live.PIN) is None
    assert new not in done.output


def test_no_pin_is_renewed_for_nobody_nor_for_who_acts_no_more_nor_if_it_is_weak(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    live.enrol(tmp_path)

    def renewal(number: int, pin: str) -> str:
        return refused(invoke("people", "renew", file, str(number), "--pin-from-stdin", typed=f"{pin}\n"))

    assert "nobody has the number 7" in renewal(7, "418860")
    assert "is as it was" in renewal(live.SUPERVISOR, "1234")
    assert Credentials(read_people(file)).check(live.SUPERVISOR, live.PIN) == "supervisor"
    assert invoke("people", "disable", file, str(live.SUPERVISOR)).exit_code == 0
    assert "does not act any more" in renewal(live.SUPERVISOR, "418860")


def test_people_are_listed_and_disabled_by_number(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    live.enrol(tmp_path)
    assert invoke("people", "disable", file, str(live.SUPERVISOR)).exit_code == 0
    assert invoke("people", "list", file).output == f"{live.SUPERVISOR:>4}  supervisor  (disabled)\n"
    assert "nobody has the number 7" in refused(invoke("people", "disable", file, "7"))
