"""What ``sabot devices`` and ``sabot check`` say of a table's ports, with and without a controller at work."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import structs

from drivers.capture import read_capture, replay
from drivers.errors import LinkError
from drivers.link import LinkStatistics
from drivers.protocol.messages import DealerKey, Key, Lamp
from drivers.protocol.notices import LinkOpened
from drivers.reconnect import Stage
from drivers.registry import DRIVERS
from drivers.transport.ports import open_port
from drivers.transport.serial_port import SerialPort
from firmware_bridge.service import checkup, port_facts
from firmware_bridge.service.checkup import Finding, Verdict, check_ports, try_keys, try_lamps
from firmware_bridge.service.cli import main
from firmware_bridge.service.config import Config, load_config
from firmware_bridge.service.devices import device_lines
from firmware_bridge.service.links_file import LinkSeen, LinksSeen
from firmware_bridge.service.port_facts import Holder, Roots
from firmware_bridge.service.status import StatusFile
from firmware_bridge.view.device_texts import DEVICES
from sim_hardware.config import Config as SimConfig
from sim_hardware.config import DeviceConfig, DevicesConfig, ShoeConfig
from sim_hardware.runner import Runner
from sim_hardware.service import offered
from tests.readers.test_report import written
from tests.service import live
from tests.table.evening import Evening


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configured table, with its people."""
    live.enrol(tmp_path)
    return live.write_config(tmp_path)


def said(*arguments: str | Path) -> tuple[int, list[str]]:
    """Run a command in this process; return its status and lines."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output.splitlines()


# ---- sabot devices


def test_without_devices_each_port_is_told_to_be_missing(config: Path) -> None:
    status, lines = said("devices", "--config", config)
    assert status == 0
    assert [line for line in lines if not line.startswith(" ")] == [
        f"{name}: {driver} on {config.parent / 'ports' / name}" for name, driver in live.DEVICES.items()
    ]
    assert sum("no such port; plug the device in" in line for line in lines) == 4


def test_without_a_controller_nothing_is_opened_unless_asked(config: Path) -> None:
    with live.devices(config.parent) as runner:
        before = dict(runner._table.devices["shoe"].dropped)
        _, lines = said("devices", "--config", config)
        assert sum("--identify opens the port" in line for line in lines) == 4
        with runner.hands() as table:
            assert table.devices["shoe"].link == 0, "nobody opened a link"
            assert dict(table.devices["shoe"].dropped) == before


def test_asked_each_device_says_who_it_is_and_what_it_can(config: Path) -> None:
    with live.devices(config.parent):
        _, lines = said("devices", "--config", config, "--identify")
    text = "\n".join(lines)
    assert "Sabot Shoe SS-0001, firmware simulated 1, simulated; can hold, reads faces, counts cards" in text
    assert "Sabot Keypad SK-0001, firmware simulated 1, simulated; sends strokes" in text


def test_beside_a_controller_its_links_statistics_are_told_and_who_holds_the_ports(config: Path) -> None:
    with live.devices(config.parent), live.Running(config) as running:
        shown = "Sabot Shoe SS-0001, firmware simulated 1, simulated: connected"
        live.eventually(lambda: shown in "\n".join(said("devices", "--config", config)[1]), "the shoe's link")
        _, lines = said("devices", "--config", config, "--identify")
        at = next(place for place, line in enumerate(lines) if line.startswith("shoe:"))
        assert f"process {running.process.pid} (python" in lines[at + 1]
        assert "heard 0." in lines[at + 3] or "heard 1." in lines[at + 3]
        assert "the port opened 1 times and failed 0 times" in lines[at + 3]
        assert running.end(signal.SIGTERM) == 0
    assert not (config.parent / "status" / "links.json").exists()


def statistics(heard_age: float | None) -> LinkStatistics:
    return LinkStatistics(opens=1, failures=0, frames=7, errors=0, heard_age=heard_age, stage=Stage.UP)


def shoe_lines(config: Path, written: LinksSeen, seconds_on: float) -> list[str]:
    """What is said of the shoe so long after the controller wrote this."""
    folder = config.parent / "status"
    folder.mkdir(exist_ok=True)
    (folder / "links.json").write_bytes(msgspec.json.encode(written))
    lines = list(device_lines(load_config(config), written.utc_ns + round(seconds_on * 10**9)))
    return lines[next(at for at, line in enumerate(lines) if line.startswith("shoe:")) :][1:4]


def test_what_was_seen_is_as_old_as_the_file_that_tells_it_and_a_mute_device_never_speaks(config: Path) -> None:
    seen = LinkSeen(True, "", "Sabot Shoe", "1", False, statistics(heard_age=1.0))
    assert "heard 4.5 s ago" in shoe_lines(config, LinksSeen(10**9, {"shoe": seen}), 3.5)[2]
    mute = structs.replace(seen, statistics=statistics(heard_age=None))
    assert "it never speaks; 7 frames" in shoe_lines(config, LinksSeen(10**9, {"shoe": mute}), 0.0)[2]
    lost = structs.replace(mute, open=False)
    assert "never heard; 7 frames" in shoe_lines(config, LinksSeen(10**9, {"shoe": lost}), 0.0)[2]


def test_what_a_controller_that_is_gone_wrote_is_not_believed_beyond_five_seconds(config: Path) -> None:
    seen = LinkSeen(True, "", "Sabot Shoe", "1", False, statistics(heard_age=1.0))
    written = LinksSeen(10**9, {"shoe": seen})
    with live.devices(config.parent):
        assert "connected" in shoe_lines(config, written, 5.0)[1]
        assert "no controller runs" in shoe_lines(config, written, 5.1)[1]


@pytest.mark.field("BR-031")
def test_whoever_has_locked_the_port_of_a_table_without_reports_is_told_of(config: Path) -> None:
    seen = LinksSeen(10**9, {})
    status = StatusFile(config.parent / "status")
    with live.devices(config.parent), closing(SerialPort(str(config.parent / "ports" / "shoe"))):
        said_then = shoe_lines(config, seen, 12.0)
        assert f"process {os.getpid()} has locked the port and is not this table's controller" in said_then[1]
        with status.lock():
            said_then = shoe_lines(config, seen, 12.0)
    assert "the controller that has the port does not report (wrote last 12 s ago)" in said_then[1]


@pytest.mark.clause("SB-1")
def test_of_a_device_that_only_talks_or_only_listens_no_more_is_said_than_can_be_known(config: Path) -> None:
    config.write_text(config.read_text().replace('driver = "shoe"', 'driver = "line_shoe"'))
    seen = LinkSeen(True, "", "Old Shoe", "1", False, statistics(heard_age=1.0))
    assert shoe_lines(config, LinksSeen(10**9, {"shoe": seen}), 2.0)[1].endswith(": connected")
    unknown = ": port open, whether it is still there is unknown"
    assert shoe_lines(config, LinksSeen(10**9, {"shoe": seen}), 2.1)[1].endswith(unknown)


@pytest.mark.clause("SB-10")
def test_approve_says_from_the_journal_what_two_people_type_and_opens_no_port(config: Path) -> None:
    evening = Evening()
    evening.open_table()
    evening.hands.replace_device("lamp", firmware="simulated 2")
    evening.table.run(3)
    assert written(evening, config.parent) == Path(load_config(config).table.journal)
    status, lines = said("devices", "approve", "--config", config)
    assert status == 0
    assert "firmware simulated 2 instead of simulated 1" in "\n".join(lines)
    assert any(line.strip().startswith("Technician: step 62") for line in lines)
    assert "Nothing is approved from here" in lines[-1]


def test_a_controllers_port_is_never_opened_a_second_time(config: Path) -> None:
    with live.devices(config.parent), live.Running(config) as running:
        live.eventually(lambda: (config.parent / "status" / "links.json").exists(), "a controller")
        said("devices", "--config", config, "--identify")
        _, lines = said("check", "--config", config, "--keys")
        tried = [line for line in lines if ": keys:" in line]
        assert len(tried) == 2
        assert all(f"process {running.process.pid} has the port; stop the controller" in line for line in tried)
        assert running.end(signal.SIGTERM) == 0


# ---- sabot check: ports


def test_a_table_without_its_devices_fails_the_check(config: Path) -> None:
    status, lines = said("check", "--config", config)
    assert status == 1
    assert [line.split()[0] for line in lines] == ["BAD"] * 4


def test_simulated_ports_are_good_but_for_the_simulator_that_has_them_too(config: Path) -> None:
    with live.devices(config.parent):
        status, lines = said("check", "--config", config)
    assert status == 0
    assert {line.split()[0] for line in lines} == {"ok", "doubtful"}
    assert all(f"process {os.getpid()} " in line for line in lines if line.startswith("doubtful"))


class Usb:
    """A USB adapter as the system shows it, for the first port of a table."""

    def __init__(self, folder: Path, port: Path) -> None:
        self.roots = Roots(proc=folder / "proc", tty=folder / "tty", udev=folder / "udev")
        self._usb = folder / "usb" / "1-1"
        interface = self._usb / "1-1:1.0" / "ttyUSB0"
        (interface).mkdir(parents=True)
        (self._usb / "power").mkdir()
        (self._usb / "idVendor").write_text("0403\n")
        tty = self.roots.tty / os.path.basename(os.path.realpath(port))
        tty.mkdir(parents=True)
        (tty / "device").symlink_to(interface)
        self.roots.udev.mkdir()
        number = port.stat().st_rdev
        self._rules = self.roots.udev / f"c{os.major(number)}:{os.minor(number)}"
        self._latency = interface / "latency_timer"

    def set(self, latency: str, power: str, rules: str) -> None:
        self._latency.write_text(latency)
        (self._usb / "power" / "control").write_text(power)
        self._rules.write_text(rules)


@pytest.fixture
def usb(config: Path, tmp_path: Path) -> Iterator[Usb]:
    """The shuffler's port, as if a USB adapter stood behind it."""
    with live.devices(config.parent):
        yield Usb(tmp_path / "system", config.parent / "ports" / "shuffler")


def verdicts(config: Path, usb: Usb) -> dict[str, Verdict]:
    """Return what was found of the shuffler's adapter."""
    found = check_ports(load_config(config), usb.roots)
    return {one.what: one.verdict for one in found if one.device == "shuffler"}


@pytest.mark.field("BR-029")
def test_an_adapter_that_is_set_up_as_the_udev_rules_do_is_good(config: Path, usb: Usb) -> None:
    usb.set(latency="1\n", power="on\n", rules="E:ID_BUS=usb\nE:ID_MM_DEVICE_IGNORE=1\n")
    found = verdicts(config, usb)
    assert {found[what] for what in ("latency timer", "power saving", "ModemManager")} == {Verdict.GOOD}


@pytest.mark.field("BR-029")
@pytest.mark.field("BR-047")
def test_a_sleeping_device_is_bad_and_a_slow_adapter_or_a_modem_probe_doubtful(config: Path, usb: Usb) -> None:
    usb.set(latency="16\n", power="auto\n", rules="E:ID_BUS=usb\n")
    found = verdicts(config, usb)
    assert found["power saving"] is Verdict.BAD
    assert found["latency timer"] is found["ModemManager"] is Verdict.DOUBTFUL


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [fifo, zero, Path.touch, Path.mkdir])
def test_what_is_no_terminal_is_told_as_the_controller_would(config: Path, make: Callable[[Path], None]) -> None:
    with live.devices(config.parent):
        port = config.parent / "ports" / "shoe"
        port.unlink()
        make(port)
        with pytest.raises(LinkError) as refused:
            SerialPort(str(port))
        found = [one for one in check_ports(load_config(config)) if one.device == "shoe"]
        _, lines = said("devices", "--config", config)
    assert [(one.what, one.verdict, one.words) for one in found] == [("port", Verdict.BAD, str(refused.value))]
    assert "    port: this is not a serial port; correct the path in the configuration" in lines
    port.rmdir() if port.is_dir() else port.unlink()


def test_a_port_of_others_is_bad(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with live.devices(config.parent):
        monkeypatch.setattr(port_facts.os, "access", lambda *_: False)
        found = {one.what: one.verdict for one in check_ports(load_config(config))}
    assert found["rights"] is Verdict.BAD


@pytest.mark.field("BR-031")
def test_a_port_is_for_this_tables_controller_alone(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, other = Holder(os.getpid(), "sabot"), Holder(4711, "minicom")
    held: list[Holder] = []
    monkeypatch.setattr(port_facts, "holders", lambda _port, _roots: held)
    with live.devices(config.parent):
        table = load_config(config)

        def shoe() -> Finding:
            return next(one for one in check_ports(table) if (one.device, one.what) == ("shoe", "exclusive use"))

        assert (shoe().verdict, shoe().words) == (Verdict.GOOD, "nobody has it, as far as this user may see")
        held[:] = [ours]
        assert shoe().verdict is Verdict.DOUBTFUL, "no controller of this table is at work: who is that?"
        status = StatusFile(Path(table.table.status))
        with status.lock():
            assert shoe().verdict is Verdict.GOOD
            assert f"this table's controller has it (process {os.getpid()}) and keeps others out" in shoe().words
            held[:] = [ours, other]
            assert shoe().verdict is Verdict.DOUBTFUL
            assert "process 4711 (minicom) has it beside this table's controller" in shoe().words
        assert "beside" not in shoe().words


@pytest.mark.field("BR-031")
def test_a_port_that_another_program_has_locked_fails_the_check_as_it_would_the_start(config: Path) -> None:
    port = config.parent / "ports" / "shoe"
    with live.devices(config.parent), closing(SerialPort(str(port))):
        found = [one for one in check_ports(load_config(config)) if one.what == "exclusive use"]
    assert {one.device for one in found if one.verdict is Verdict.BAD} == {"shoe"}
    assert f"process {os.getpid()} has locked it, so no controller starts here" in str(found)


# ---- sabot check: lamps and keys


@pytest.fixture
def table(config: Path) -> Config:
    """The configured table, read."""
    return load_config(config)


def test_a_lamp_is_put_to_flash_to_shine_and_dark_again(config: Path, table: Config) -> None:
    shown: list[Lamp] = []
    with live.devices(config.parent) as runner:

        def looks(question: str) -> bool:
            if "of lamp" in question:
                wanted = (Lamp.FLASHING, Lamp.STEADY, Lamp.OFF)[len(shown)]
                live.eventually(lambda: lamp_of(runner) is wanted, f"the lamp {wanted}")
                shown.append(wanted)
            return True

        found = list(try_lamps(table, open_port, looks))
    assert shown == [Lamp.FLASHING, Lamp.STEADY, Lamp.OFF]
    assert [(one.device, one.verdict) for one in found] == [("shuffler", Verdict.GOOD), ("lamp", Verdict.GOOD)]


def lamp_of(runner: Runner) -> Lamp:
    with runner.hands() as physical:
        return physical.lamp_shown


def test_a_lamp_that_nobody_saw_flash_is_bad(config: Path, table: Config) -> None:
    with live.devices(config.parent):
        found = list(try_lamps(table, open_port, lambda question: "flash" not in question))
    assert {one.verdict for one in found} == {Verdict.BAD}
    assert "it did not flash" in found[0].words


def test_keys_are_counted_and_a_keypads_never_named(config: Path, table: Config) -> None:
    asked = threading.Event()

    def says(_text: str) -> None:
        asked.set()

    with live.devices(config.parent) as runner:
        stop = threading.Event()

        def fingers() -> None:
            asked.wait(live.LIMIT)
            while not stop.wait(0.3):
                with runner.hands() as physical:
                    physical.type_keys([Key.CLEAR, *range(10), Key.ENTER])
                    for key in DealerKey:
                        physical.press_dealer_key(key)

        presser = threading.Thread(target=fingers)
        presser.start()
        try:
            found = list(try_keys(table, open_port, says))
        finally:
            stop.set()
            presser.join()
    assert [(one.device, one.verdict) for one in found] == [("shoe", Verdict.GOOD), ("keypad", Verdict.GOOD)]
    assert found[1].words == "all twelve were heard"


def test_dead_keys_are_bad_and_the_dealers_named(config: Path, table: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "KEYS_LIMIT", 0.5)
    with live.devices(config.parent) as runner:
        with runner.hands() as physical:
            for key in DealerKey:  # before the test: the shoe keeps them, and tells them when it is asked
                physical.press_dealer_key(key)
        shoe, keypad = try_keys(table, open_port, lambda _text: None)
    assert shoe.verdict is keypad.verdict is Verdict.BAD
    assert "round over, call supervisor, damaged card, claim, yes" in shoe.words
    assert "0 of 12 were heard" in keypad.words


# ---- the older makes, over ports


def test_a_controller_runs_the_older_makes_over_their_ports_and_captures_them(config: Path) -> None:
    text = config.read_text()
    text = text.replace('driver = "shoe"', 'driver = "line_shoe"\nformat = "9600 8N1"\ncapture = "shoe.jsonl"')
    config.write_text(text.replace('driver = "lamp"', 'driver = "stack_light"'))
    makes = DevicesConfig(shoe=ShoeConfig(make="line_shoe"), lamp=DeviceConfig(make="stack_light"))
    simulated = SimConfig(folder=str(config.parent / "ports"), seed=1, quick=True, devices=makes)
    with offered(simulated) as runner, live.Running(config) as running:
        live.eventually(lambda: "press its test key" in running.output, "the shoe's port")
        with runner.hands() as physical:
            physical.press_test_key()
        shown = "\n".join(said("devices", "--config", config)[1])
        # Three seconds after its only word nobody knows whether it is still there, and this machine may be slower.
        shoe = re.compile(f"Sabot Shoe SS-0001, simulated: (connected|{DEVICES['unknown']})")
        live.eventually(lambda: shoe.search(devices_of(config)), "the shoe's link")
        assert "USB stack light: port open" in devices_of(config), shown
        assert running.end(signal.SIGTERM) == 0
    told = [notice for _, notice in replay(read_capture(config.parent / "shoe.jsonl"), DRIVERS)]
    assert any(isinstance(notice, LinkOpened) and notice.hello.serial == "SS-0001" for notice in told)


def devices_of(config: Path) -> str:
    return "\n".join(said("devices", "--config", config)[1])
