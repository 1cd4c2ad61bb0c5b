"""``sim-hardware`` as a process, and its configuration."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import serial

from drivers.protocol import codec, framing
from drivers.protocol import messages as m
from sim_hardware.config import Config, ConfigError, load
from sim_hardware.faults import PLANS
from sim_hardware.keypad import KeypadFirmware
from sim_hardware.mechanics import NORMAL, QUICK
from sim_hardware.registry import KEYPADS
from sim_hardware.service import ServiceError, offered
from sim_hardware.stack_light import StackLight
from sim_hardware.table import Now
from tests.sim.host import frame


def write(folder: Path, text: str = "") -> Path:
    path = folder / "sim.toml"
    path.write_text(f'folder = "{folder / "ports"}"\n{text}')
    return path


# ---- configuration


def test_a_configuration_needs_only_a_folder(tmp_path: Path) -> None:
    config = load(write(tmp_path))
    assert (config.decks, config.seed, config.speed, config.fittings.rates) == (4, 0, 1.0, NORMAL)


def test_everything_can_be_configured(tmp_path: Path) -> None:
    text = """
seed = 3
decks = 6
backs = ["green"]
speed = 4.0
quick = true
compartments = 54
faults = "typical"
[devices.shuffler]
model = "Other"
serial = "77"
firmware = "2.0"
reads_faces = true
can_lock_lid = false
[devices.shoe]
reads_faces = false
[devices.lamp]
make = "stack_light"
"""
    fittings = load(write(tmp_path, text)).fittings
    assert (fittings.decks, fittings.backs, fittings.rates, fittings.compartments) == (6, ("green",), QUICK, 54)
    assert fittings.faults == PLANS["typical"]
    shuffler = fittings.identities["shuffler"]
    assert (shuffler.model, shuffler.serial, shuffler.firmware) == ("Other", "77", "2.0")
    assert m.Capability.READS_FACES in shuffler.capabilities
    assert m.Capability.CAN_LOCK_LID not in shuffler.capabilities
    assert m.Capability.CAN_SHUT_INTAKE in shuffler.capabilities, "what is not named is as its make has it"
    assert fittings.lamp is StackLight
    assert m.Capability.READS_FACES not in fittings.identities["shoe"].capabilities
    assert m.Capability.HAS_DEALER_KEYS in fittings.identities["shoe"].capabilities


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 3", "unknown field `colour`.*top-level keys are folder, seed"),
        ("[devices.shoe]\nmodell = 'x'", "unknown field `modell`"),
        (
            "[devices.shuffler]\nmake = 'carrossel'",
            "devices.shuffler: make = 'carrossel': registry.py knows continuous_",
        ),
        ("[devices.keypad]\ncan_hold = true", "unknown field `can_hold`"),
        ("decks = 0", "decks = 0: give 1 to 8"),
        ("decks = 'four'", "Expected `int`, got `str`.*decks"),
        ("backs = []", "at least one colour"),
        ("speed = 0.0", "more than 0"),
        ("compartments = 65", "give 1 to 64"),
        ("faults = 'many'", "faults = 'many': the plans are none, typical"),
        ("[devices.lamp]\nserial = '%s'" % ("x" * 25), "24 printable ASCII"),
        ("decks = = 4", "sim.toml: Invalid"),
    ],
)
def test_a_wrong_configuration_is_refused_with_its_file_and_fault(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        load(write(tmp_path, text))
    assert "sim.toml" in str(refused.value)


def test_a_shuffler_beside_a_shoe_that_people_fill_is_refused(tmp_path: Path) -> None:
    assert load(write(tmp_path, "fed_by_hand = true\n")).names == ("shoe", "keypad", "lamp")
    for line in ('make = "batch_shuffler"', 'serial = "SC38-0002"'):
        with pytest.raises(ConfigError, match=r"no shuffler stands there: leave \[devices.shuffler\] out"):
            load(write(tmp_path, f"fed_by_hand = true\n[devices.shuffler]\n{line}\n"))


def test_a_missing_configuration_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.toml: No such file"):
        load(tmp_path / "none.toml")


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceError, match="choose another folder"), offered(Config(str(tmp_path / "file" / "x"))):
        pass


def test_a_folder_has_the_ports_of_one_simulator(tmp_path: Path) -> None:
    config = Config(str(tmp_path))
    with offered(config):
        names = {path.name: path.readlink() for path in tmp_path.iterdir()}
        with pytest.raises(ServiceError, match="another sim-hardware has its ports here"), offered(config):
            pass
        assert {path.name: path.readlink() for path in tmp_path.iterdir()} == names
    with offered(config):
        pass


def test_a_folder_is_read_from_the_configurations_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table").mkdir()
    monkeypatch.chdir(tmp_path)
    Path("table/devices.toml").write_text('folder = "ports"\n')
    assert load(Path("table/devices.toml")).folder == str(tmp_path / "table" / "ports")


def test_a_name_taken_by_a_file_is_refused_and_the_other_ports_are_closed(tmp_path: Path) -> None:
    (tmp_path / "lamp").write_text("")
    with pytest.raises(ServiceError, match="left alone"), offered(Config(str(tmp_path))):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["lamp"]


def test_devices_started_again_with_one_seed_show_another_boot_and_memory_and_deal_the_same(tmp_path: Path) -> None:
    runs = []
    for ids in (Random(1), Random(2)):
        with offered(Config(str(tmp_path / "ports"), seed=7), ids) as runner, runner.hands() as table:
            shoe = table.devices["shoe"]
            runs.append((shoe._boot_id, shoe.store.memory, table._clumsy.getstate()))
    (boot, memory, falls), (other_boot, other_memory, other_falls) = runs
    assert boot != other_boot
    assert memory != other_memory
    assert falls == other_falls, "how the cards fall is the seed's"


def test_a_keypad_of_another_make_is_built_as_its_make_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(KeypadFirmware):
        """Another make."""

    monkeypatch.setitem(KEYPADS, "other", replace(KEYPADS["keypad"], built_as=Other))  # type: ignore[arg-type]
    table = load(write(tmp_path, '[devices.keypad]\nmake = "other"\n')).table(Random(1), Now(0.0, 0.0))
    assert type(table.equipment["keypad"]) is Other


# ---- the process


def start(config: Path) -> subprocess.Popen[str]:
    program = "from sim_hardware.service import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, "--config", str(config)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until_ready(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    said: list[str] = []
    while not (said and said[-1].startswith("ready")):
        said.append(process.stdout.readline())
        assert said[-1], "it ended before it was ready"
    return said


def test_the_process_says_where_its_ports_are_does_lines_and_quits(tmp_path: Path) -> None:
    with start(write(tmp_path)) as process:
        said = wait_until_ready(process)
        assert said[0] == f"shuffler: {tmp_path / 'ports' / 'shuffler'}\n"
        with serial.Serial(str(tmp_path / "ports" / "lamp"), timeout=5) as driver:
            driver.write(frame(m.Open(1, 9)))
            decoder = framing.FrameDecoder()
            heard: list[m.Message] = []
            while not any(isinstance(message, m.Hello) for message in heard):
                heard += map(codec.decode, decoder.feed(driver.read(1)))
        out, errors = process.communicate("pull\nnonsense\nquit\n", timeout=20)
    assert out == "no card comes\n'nonsense' is nothing that hands can do; type help\n"
    assert (process.returncode, errors) == (0, "")
    assert not list((tmp_path / "ports").iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with start(write(tmp_path)) as process:
        wait_until_ready(process)
        process.send_signal(number)
        out, errors = process.communicate(timeout=20)
    assert (process.returncode, out, errors) == (0, "ended\n", "")
    assert not list((tmp_path / "ports").iterdir())


def test_at_the_end_of_its_input_the_process_goes_on(tmp_path: Path) -> None:
    with start(write(tmp_path)) as process:
        wait_until_ready(process)
        assert process.stdin is not None
        process.stdin.close()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.terminate()
        assert process.wait(20) == 0


def test_when_nobody_reads_what_it_says_the_devices_go_on_and_it_ends_quietly(tmp_path: Path) -> None:
    with start(write(tmp_path)) as process:
        wait_until_ready(process)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write("status\nstatus\n")
        process.stdin.flush()
        with serial.Serial(str(tmp_path / "ports" / "shoe"), timeout=5) as driver:
            driver.write(framing.END + frame(m.Open(1, 7)))
            assert driver.read(1), "the devices answer"
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == ""
        assert process.wait(20) == 0
    assert not list((tmp_path / "ports").iterdir())


def test_the_process_refuses_an_unknown_key_with_a_message_and_no_traceback(tmp_path: Path) -> None:
    with start(write(tmp_path, "sped = 2")) as process:
        out, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert out == ""
    assert errors.startswith("sim-hardware: ")
    assert "unknown field `sped`" in errors
    assert errors.count("\n") == 1
