"""The controller's process: it starts, shows itself, checks PINs, refuses a second one, and ends with all held."""

from __future__ import annotations

import json
import os
import pty
import signal
import stat
import time
import tty
from pathlib import Path

import pytest

from drivers.protocol.messages import Level
from firmware_bridge.core.events import (
    BadFrames,
    EntryDropped,
    Identified,
    LinkDown,
    LinkUp,
    PinRenewed,
    Rejected,
    ScreenSeen,
    Started,
)
from firmware_bridge.core.records import Entry
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.words import Role
from firmware_bridge.journal import SqliteStore, verify
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.service.people import add_person
from firmware_bridge.service.run import key_of
from sim_hardware.table import PhysicalTable
from tests.service import live
from tests.table.evening import Evening

MOST_OF_A_CORE = 0.2
"""Share of a core that waiting for four absent devices may cost; a busy loop takes a whole one."""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    live.enrol(tmp_path)
    return live.write_config(tmp_path)


def journal(config: Path) -> Path:
    return config.parent / "table.journal"


def status(config: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((config.parent / "status/status.json").read_text(encoding="utf-8"))
    return found


def events(config: Path, kind: type[live.One]) -> list[live.One]:
    return live.events(journal(config), kind)


def losses_of(config: Path, device: str) -> list[str]:
    return [one.reason for one in events(config, LinkDown) if one.device == device]


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_idle_ends_it_clean(config: Path, with_signal: signal.Signals) -> None:
    before = signal.signal(with_signal, signal.SIG_DFL)  # else the process inherits what the test run was started with
    try:
        running = live.Running(config)
    finally:
        signal.signal(with_signal, before)
    with running:
        running.wait_for("controller_started")
        live.eventually(lambda: len(events(config, LinkDown)) == 4, "each absent device is in the journal")
        assert running.end(with_signal) == 0
        assert running.errors == ""
    (lock,) = (config.parent / "status").iterdir()
    assert lock.read_text() == "", "nobody is at work any more, and no file says otherwise"


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_an_orderly_end_signs_the_journal_to_its_last_record(config: Path, with_signal: signal.Signals) -> None:
    with live.Running(config) as running:
        running.wait_for("controller_started")
        live.eventually(lambda: len(events(config, LinkDown)) == 4, "records after the signed start")
        assert running.end(with_signal) == 0
    report = verify(journal(config))
    assert report.ok
    assert report.signed_to == report.complete_to > 4


def test_the_status_is_fresh_readable_and_names_the_last_record(config: Path) -> None:
    with live.Running(config) as running:
        running.wait_for("controller_started")
        live.eventually((config.parent / "status/status.json").exists, "a status")
        first = status(config)
        live.eventually(lambda: status(config)["utc_ns"] != first["utc_ns"], "a fresher status")
        assert stat.S_IMODE((config.parent / "status/status.json").stat().st_mode) == 0o644
        (started,) = events(config, Started)
        assert isinstance(started, Started)
        assert status(config)["boot"] == started.boot
        assert running.end(signal.SIGTERM) == 0


def test_another_rule_book_than_the_session_s_under_way_is_refused_before_any_device_is_opened(config: Path) -> None:
    evening = Evening()
    evening.open_table()
    entries = [Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in evening.table.store.records()]
    with SqliteStore.open(journal(config), table="BJ-07", key_path=key_of(journal(config))) as store:
        store.append(entries, sign=True)
    before = journal(config).read_bytes()
    ours = config.parent / "ours.toml"
    ours.write_text('id = "ours"\ntitle = "Ours"\nextends = "portugal"\n', encoding="utf-8")
    config.write_text(config.read_text(encoding="utf-8").replace('rulebook = "portugal"', f'rulebook = "{ours}"'))
    done = live.sabot("run", "--config", config)
    assert done.returncode == 1
    told = done.stderr
    assert f"rule book {ours}: its digest is {load_rulebook(ours).digest}, and session 1 of journal" in told
    assert f"by rule book portugal with digest {load_rulebook('portugal').digest}" in told
    assert "end the session, then change the book" in told
    assert journal(config).read_bytes() == before, "nothing is recorded"
    assert "port_" not in done.stdout


@pytest.mark.field("BR-031")
def test_a_second_controller_is_refused_and_told_of_the_first(config: Path) -> None:
    with live.Running(config) as running:
        running.wait_for("controller_started")
        second = live.sabot("run", "--config", config)
        assert second.returncode == 1
        assert f"process {running.process.pid} shows its table there already" in second.stderr
        assert "Traceback" not in second.stderr
        assert (config.parent / "status/status.json").exists(), "the first one's status stays"
        assert running.end(signal.SIGTERM) == 0


@pytest.mark.field("BR-031")
def test_a_second_controller_of_one_device_is_refused_and_told_of_the_first(config: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    live.enrol(other)
    second = live.write_config(other)
    second.write_text(second.read_text().replace(str(other / "ports"), str(tmp_path / "ports")))
    with live.devices(tmp_path), live.Running(config) as running:
        live.eventually(lambda: len(events(config, LinkUp)) == 4, "all four links")
        refused = live.sabot("run", "--config", second)
        assert refused.returncode == 1
        assert f"process {running.process.pid} has it open already. Stop that one first" in refused.stderr
        assert str(tmp_path / "ports" / "shuffler") in refused.stderr
        assert running.end(signal.SIGTERM) == 0
    assert not (other / "table.journal").exists(), "nothing was begun"


@pytest.mark.field("BR-031")
@pytest.mark.parametrize(
    ("key", "told"),
    [("status", "shows its table there already. Stop that one first"), ("journal", "writes it already. Stop that one")],
)
def test_a_second_table_in_a_folder_or_journal_of_another_is_refused_and_told_of_the_first(
    config: Path, tmp_path: Path, key: str, told: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    live.enrol(other)
    second = live.write_config(other)
    shared = {"status": "status", "journal": "table.journal"}[key]
    second.write_text(second.read_text().replace(f'{key} = "{shared}"', f'{key} = "{tmp_path / shared}"'))
    with live.Running(config) as running:
        running.wait_for("controller_started")
        refused = live.sabot("run", "--config", second)
        assert refused.returncode == 1
        assert f"process {running.process.pid} {told}" in refused.stderr
        assert str(tmp_path / shared) in refused.stderr
        assert status(config)["boot"], "the first one's status stays"
        assert running.end(signal.SIGTERM) == 0
    assert not (other / "table.journal").exists(), "nothing was begun"


def test_a_device_that_is_not_taken_is_a_warning_with_port_and_remedy(config: Path) -> None:
    config.write_text(config.read_text().replace("allow_simulated = true", "allow_simulated = false"))
    with live.devices(config.parent), live.Running(config) as running:
        live.eventually(lambda: len(events(config, LinkUp)) == 4, "all four links")
        live.eventually(lambda: running.output.count("device_refused") == 4, "a warning for each")
        assert running.end(signal.SIGTERM) == 0
        lines = [json.loads(line) for line in running.output.splitlines()]
    told = {line["device"]: line for line in lines if line["event"] == "device_refused"}
    assert set(told) == set(live.DEVICES)
    assert told["shoe"]["level"] == "warning"
    assert told["shoe"]["link"] == str(config.parent / "ports" / "shoe")
    assert "set allow_simulated" in told["shoe"]["reason"]


@pytest.mark.parametrize("received", [b"", b"\x55" * 300], ids=["silence", "garbage"])
def test_a_port_on_which_nothing_answers_is_told_in_journal_and_log(config: Path, received: bytes) -> None:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    port = os.ttyname(theirs)
    config.write_text(config.read_text().replace(str(config.parent / "ports" / "shoe"), port))
    try:
        with live.Running(config) as running:
            running.wait_for("controller_started")
            running.wait_for("nothing has answered")
            live.eventually(lambda: losses_of(config, "shoe"), "its record")
            (reason,) = losses_of(config, "shoe")
            assert reason.startswith(f"{port}: the port is open, but nothing has answered")
            assert not events(config, BadFrames)
            if received:
                live.eventually(lambda: os.write(ours, received) and events(config, BadFrames), "its garbage")
            assert ("longer than 202 bytes" in running.output) == bool(received)
            assert running.end(signal.SIGTERM) == 0
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_restart_goes_on_in_the_same_journal(config: Path) -> None:
    for _ in range(2):
        with live.Running(config) as running:
            running.wait_for("controller_started")
            assert running.end(signal.SIGTERM) == 0
    records = live.logged(journal(config))
    assert [type(one.event) for one in records].count(Started) == 2
    assert [one.table_ns for one in records] == sorted(one.table_ns for one in records)


def test_devices_are_opened_and_left_held_and_no_pin_stays_anywhere(config: Path) -> None:
    folder = config.parent
    with live.devices(folder) as runner, live.Running(config) as running:
        live.eventually(lambda: len(events(config, LinkUp)) == 4, "all four links")
        with runner.hands() as table:
            press(table, f"c{live.SUPERVISOR}e{live.PIN}")
        live.eventually(lambda: status(config)["digits"] == len(live.PIN), "the dots of the PIN")
        with runner.hands() as table:
            press(table, "e")
        live.eventually(lambda: events(config, Identified), "the supervisor is known")
        assert events(config, Identified) == [Identified(live.SUPERVISOR, Role.SUPERVISOR)]
        arguments = running.arguments
        found = live.files_with(folder, live.traces_of(live.PIN))  # the log of the journal is still there now
        assert running.end(signal.SIGINT) == 0
        with runner.hands() as table:
            assert table.devices["shoe"].released_for is None
            assert table.devices["shuffler"].released_for is None
            assert table.devices["shuffler"].values[Level.INTAKE] == 0
    assert not found + live.files_with(folder, live.traces_of(live.PIN))
    assert not any(trace in arguments for trace in live.traces_of(live.PIN)[:1])
    assert live.sabot("replay", journal(config)).returncode == 0


def test_a_wrong_pin_is_rejected_and_a_check_that_cannot_be_made_is_nobodys_wrong_pin(config: Path) -> None:
    with live.devices(config.parent) as runner, live.Running(config) as running:
        live.eventually(lambda: len(events(config, LinkUp)) == 4, "all four links")
        with runner.hands() as table:
            press(table, f"c{live.SUPERVISOR}e111222e")
        live.eventually(lambda: len(events(config, Rejected)) == 1, "the wrong PIN is rejected")
        (config.parent / "people.json").chmod(0o644)
        with runner.hands() as table:
            press(table, f"c{live.SUPERVISOR}e{live.PIN}e")
        live.eventually(lambda: events(config, EntryDropped), "nobody waits for a check that fails")
        assert len(events(config, Rejected)) == 1, "and nothing counts towards a lock-out"
        assert "no PIN can be checked" in status(config)["message"]
        assert "credential_check_failed" in running.output
        assert running.end(signal.SIGTERM) == 0


@pytest.mark.clause("SB-3")
def test_the_room_manager_renews_a_pin_at_the_keypad_and_no_file_shows_it(config: Path) -> None:
    folder, manager, new = config.parent, 3, "418860"
    add_person(folder / "people.json", manager, Role.ROOM_MANAGER, Pin(live.PIN))
    with live.devices(folder) as runner, live.Running(config) as running:
        live.eventually(lambda: len(events(config, LinkUp)) == 4, "all four links")
        with runner.hands() as table:
            press(table, f"c{manager}e{live.PIN}e")
        live.eventually(lambda: status(config)["asking"] == "step", "the room manager is known")
        with runner.hands() as table:
            press(table, f"55e{live.SUPERVISOR}e{new}e")
        live.eventually(lambda: status(config)["asking"] == "again", "the new PIN is asked for again")
        with runner.hands() as table:
            press(table, f"{new}e")
        live.eventually(lambda: events(config, PinRenewed), "the PIN is renewed")
        assert events(config, PinRenewed) == [PinRenewed(live.SUPERVISOR, manager)]
        with runner.hands() as table:
            press(table, f"{live.SUPERVISOR}e{new}e")
        live.eventually(lambda: len(events(config, Identified)) == 2, "the supervisor is known by the new one")
        assert running.end(signal.SIGTERM) == 0
    assert not live.files_with(folder, [*live.traces_of(new), *live.traces_of(live.PIN)])


@pytest.mark.clause("SB-2")
def test_a_table_that_needs_a_screen_sees_it_come_and_go(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    config = live.write_config(tmp_path, extra="screen_required = true")
    with live.Running(config) as running:
        running.wait_for("controller_started")
        live.eventually(lambda: events(config, ScreenSeen) == [ScreenSeen(False)], "no screen is there")
        with live.process("watch", journal(config), "--status", tmp_path / "status"):
            live.eventually(lambda: events(config, ScreenSeen)[1:] == [ScreenSeen(True)], "a screen has come")
        live.eventually(lambda: events(config, ScreenSeen)[2:] == [ScreenSeen(False)], "the screen has gone")
        assert running.end(signal.SIGTERM) == 0


def test_a_journal_that_cannot_be_written_is_told_with_its_remedy(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    config = live.write_config(tmp_path, journal="/proc/table.journal")
    refused = live.sabot("run", "--config", config)
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: journal /proc/table.journal")
    assert "Traceback" not in refused.stderr


def test_a_status_folder_that_cannot_be_written_is_told_before_anything_is_opened(config: Path) -> None:
    (config.parent / "status").write_text("in the way")
    refused = live.sabot("run", "--config", config)
    assert refused.returncode == 1
    assert "table.status" in refused.stderr


def press(table: PhysicalTable, keys: str) -> None:
    table.type_keys([{"e": 10, "c": 11}.get(key) or int(key) for key in keys])


@pytest.mark.field("BR-027")
def test_devices_that_stay_away_are_waited_for_and_cost_next_to_nothing(config: Path) -> None:
    links = config.parent / "status" / "links.json"
    with live.Running(config) as running:
        running.wait_for("controller_started")
        live.eventually(links.exists, "the links")
        worked, began = live.processor_seconds(running.process.pid), time.monotonic()

        def each_failed() -> bool:
            return all(
                one["statistics"]["failures"] >= 6
                for one in json.loads(links.read_text(encoding="utf-8"))["links"].values()
            )

        live.eventually(each_failed, "six tries of each port")
        share = (live.processor_seconds(running.process.pid) - worked) / (time.monotonic() - began)
        assert running.end(signal.SIGTERM) == 0
    assert share < MOST_OF_A_CORE
