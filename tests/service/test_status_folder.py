"""What a controller shows in its status folder, and what becomes of it where the folder is removed or taken."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec import structs
from structlog.testing import capture_logs

from drivers.errors import LinkNotFoundError
from drivers.transport.base import SerialFormat, Transport
from drivers.transport.usb_address import UsbInterface
from firmware_bridge.core.controller import Status
from firmware_bridge.core.state import State
from firmware_bridge.errors import AlreadyRunningError, ConfigError
from firmware_bridge.journal import MemoryStore
from firmware_bridge.service import links_file
from firmware_bridge.service import status as status_file
from firmware_bridge.service.config import load_config
from firmware_bridge.service.run import Service
from firmware_bridge.service.status import StatusFile
from tests.service import live

SECOND = 10**9


def status(utc_ns: int, digits: int = 0) -> Status:
    return Status(boot="1", record=3, utc_ns=utc_ns, asking="number", role="", digits=digits, message="", presented=0)


def test_a_status_is_written_at_each_change_and_each_second(tmp_path: Path) -> None:
    file, path = StatusFile(tmp_path), tmp_path / "status.json"
    file.prepare()
    file.show(status(0))
    path.unlink()
    file.show(status(SECOND - 1))
    assert not path.exists(), "nothing has changed, and it is fresh"
    file.show(status(SECOND - 1, digits=1))
    assert json.loads(path.read_text())["digits"] == 1
    path.unlink()
    file.show(status(2 * SECOND, digits=1))
    assert path.exists()
    file.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_heartbeat_alone_writes_no_status_and_is_in_the_next(tmp_path: Path) -> None:
    file, path = StatusFile(tmp_path), tmp_path / "status.json"
    file.prepare()
    file.show(structs.replace(status(0), heard={"shoe": 0}))
    file.show(structs.replace(status(SECOND // 2), heard={"shoe": SECOND // 2}))
    assert json.loads(path.read_text())["heard"] == {"shoe": 0}
    file.show(structs.replace(status(SECOND), heard={"shoe": SECOND // 2}))
    assert json.loads(path.read_text())["heard"] == {"shoe": SECOND // 2}


def test_a_record_alone_writes_no_status_and_is_in_the_next(tmp_path: Path) -> None:
    """Cards are the journal's to tell; a file that is written at each would hold up the next one."""
    file, path = StatusFile(tmp_path), tmp_path / "status.json"
    file.prepare()
    file.show(status(0))
    file.show(structs.replace(status(SECOND - 1), record=4))
    assert json.loads(path.read_text())["record"] == 3
    file.show(structs.replace(status(SECOND), record=5))
    assert json.loads(path.read_text())["record"] == 5


def test_a_status_folder_that_was_taken_away_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "status"
    file = StatusFile(folder)
    file.prepare()
    file.show(status(0))
    shutil.rmtree(folder)
    file.show(status(SECOND))
    assert (folder / "status.json").exists()


def test_a_status_folder_that_is_removed_in_a_run_is_made_and_locked_anew(tmp_path: Path) -> None:
    folder = tmp_path / "status"
    file = StatusFile(folder)
    with file.lock():
        shutil.rmtree(folder)
        file.show(status(0))
        assert (folder / "status.json").exists()
        with pytest.raises(AlreadyRunningError, match=f"process {os.getpid()} shows its table there"):
            StatusFile(folder).lock()
    with StatusFile(folder).lock():
        pass


def test_where_another_controller_took_the_folder_meanwhile_nothing_is_written_there_and_it_is_said_once(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "status"
    file, other = StatusFile(folder), StatusFile(folder)
    with file.lock(), capture_logs() as lines:
        shutil.rmtree(folder)
        with other.lock():
            for second in range(3):
                file.show(status(second * SECOND))
            assert not (folder / "status.json").exists()
            other.show(status(0))
            file.remove()
            assert (folder / "status.json").exists(), "the other's"
        file.show(status(5 * SECOND))
        assert (folder / "status.json").exists(), "it is ours again"
    assert [line["event"] for line in lines] == ["status_folder_lost"]


def test_a_status_that_cannot_be_written_stops_nothing_and_is_logged_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = StatusFile(tmp_path / "none" / "deeper")
    for second in range(3):
        file.show(status(second * SECOND))
    assert capsys.readouterr().out.count("status_not_written") == 1


def test_a_status_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"table\.status"):
        StatusFile(tmp_path / "none" / "deeper").prepare()


@pytest.mark.field("BR-031")
def test_a_controller_whose_folder_another_took_touches_nothing_there_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (links_file, status_file):
        monkeypatch.setattr(module, "PERIOD_NS", 0)  # each turn writes
    live.enrol(tmp_path)
    folder = tmp_path / "status"
    ours, others, turns = StatusFile(folder), StatusFile(folder), list[State]()

    def no_port(_: str, _form: SerialFormat, _interface: UsbInterface) -> Transport:
        raise LinkNotFoundError("/dev/x", "no such port", "plug it in")

    def completed(state: State) -> None:
        turns.append(state)
        if len(turns) == 1:
            assert {path.name for path in folder.iterdir()} == {"lock", "status.json", "links.json"}
            shutil.rmtree(folder)
            taken.enter_context(others.lock())
            for name in ("status.json", "links.json"):
                (folder / name).write_text("the other's")
        elif len(turns) == 3:
            running.stop()

    with ours.lock(), ExitStack() as taken:
        store = MemoryStore(table="BJ-07", seed=bytes(32))
        config = load_config(live.write_config(tmp_path))
        running = Service(config, store, State(), no_port, completed=completed, status=ours)
        running.run()
        assert (folder / "status.json").read_text() == (folder / "links.json").read_text() == "the other's"
