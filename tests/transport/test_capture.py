"""A capture holds what passed over a link and no PIN; replayed, the driver tells the same again."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from random import Random
from time import monotonic

import pytest
from click.testing import CliRunner
from pytest_mock import MockerFixture
from structlog.testing import capture_logs

from drivers import capture as module
from drivers.capture import Capture, Entry, read_capture, replay
from drivers.device import Driver
from drivers.errors import CaptureError
from drivers.link import LinkThread
from drivers.protocol.messages import Capability, DealerKey, Kind
from drivers.protocol.notices import (
    AckEvents,
    EventTold,
    HeartbeatHeard,
    LinkLost,
    LinkOpened,
    Notice,
    RemoteErrors,
    Step,
    StrokeTold,
)
from drivers.reconnect import SETTLE
from drivers.registry import DRIVERS
from drivers.tap import Tap
from drivers.transport.memory import memory_pair
from firmware_bridge.service.cli import main
from sim_hardware.line_shoe import LineShoe
from sim_hardware.stack_light import StackLight
from sim_hardware.table import CarouselTable, Fittings, Now
from tests.protocol.lines import DRIVER_OF
from tests.transport.link_bench import Delays, ObedientCore, Socket, Told


class Conversation:
    """A device and its driver over a captured pipe, stepped by a tenth of a second."""

    def __init__(self, path: Path, device: str, driver: str, fittings: Fittings | None = None) -> None:
        self.now = 0.0
        self.device = device
        self.table = CarouselTable(Random(1), Now(0.0, 0.0), fittings or Fittings())
        random = Random(2)
        self.core = DRIVERS[driver].core(lambda: random.getrandbits(64))
        self._tap = Tap(Capture(path, device, driver, lambda: self.now))
        self.told: list[Notice] = []
        self._memory = 0
        self.connect()

    def connect(self) -> None:
        self._near, self._far = memory_pair()
        self._tap.opened()
        self.table.plugged_in(self.device)
        self._take(self.core.connected(self.now))

    def disconnect(self) -> None:
        self._near.close()
        self._tap.closed()
        self._take(self.core.disconnected(self.now, "the capture has it closed"), sends=False)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            self.now = round(self.now + 0.1, 1)
            out = self.table.step(Now(self.now, self.now), {self.device: self._far.read(0)})
            if out.get(self.device):
                self._far.write(out[self.device])
            received = self._near.read(0)
            self._tap.received(received)
            self._take(self.core.step(self.now, received, ()))

    def hear(self, data: bytes) -> None:
        """Have the line carry this by itself, a tenth of a second on."""
        self.now = round(self.now + 0.1, 1)
        self._tap.received(data)
        self._take(self.core.step(self.now, data, ()))

    def _take(self, step: Step, sends: bool = True) -> None:
        self.told += step.notices
        self._tap.told(step.notices)
        if step.to_send and sends:
            self._tap.sent(step.to_send)
            self._near.write(step.to_send)
        for notice in step.notices:
            if isinstance(notice, LinkOpened):
                self._memory = notice.hello.memory
        numbers = [notice.number for notice in step.notices if isinstance(notice, EventTold)]
        if numbers:
            self._take(self.core.step(self.now, b"", [AckEvents(max(numbers), self._memory)]))


def replayed(path: Path) -> list[Notice]:
    return [notice for _, notice in replay(read_capture(path), DRIVERS)]


@pytest.mark.parametrize("device", DRIVER_OF)
def test_a_captured_link_is_told_again_as_it_was(tmp_path: Path, device: str) -> None:
    path = tmp_path / "link.jsonl"
    talk = Conversation(path, device, DRIVER_OF[device])
    talk.run(3)
    talk.disconnect()
    talk.now += 1.0
    talk.connect()
    talk.run(3)
    if device == "shoe":
        talk.table.press_dealer_key(DealerKey.CLAIM)
        talk.run(1)
    heard = [notice for notice in talk.told if isinstance(notice, LinkOpened)]
    assert len(heard) == 2
    if device != "keypad":
        assert replayed(path) == talk.told


@pytest.mark.field("BR-028")
def test_a_flick_of_the_plug_is_replayed_as_the_core_lived_it(tmp_path: Path) -> None:
    path, socket, told = tmp_path / "link.jsonl", Socket(), Told()
    obedient = Driver(
        name="obedient",
        kind=Kind.SHOE,
        required=Capability.COUNTS_CARDS,
        bodies=frozenset(),
        levels=frozenset(),
        wire=lambda _kind, _nonces, _resume: ObedientCore(),
    )
    link = LinkThread(
        device="shoe",
        port="/dev/shoe",
        core=obedient.core(lambda: 1),
        open_port=socket.open,
        sink=told,
        clock=monotonic,
        tap=Tap(Capture(path, "shoe", "obedient", monotonic)),
        delay=Delays(),
    )
    link.start()
    try:
        for times in (1, 2):
            device = socket.next_end()
            device.write(b"H..")  # the second time within the time that it has to settle
            told.wait_for(HeartbeatHeard, 2 * times)
            device.close()
            told.wait_for(LinkLost, times)
    finally:
        assert link.stop()
    entries = read_capture(path)
    again = [type(notice) for _, notice in replay(entries, {"obedient": obedient})]
    assert again[: len(told.notices)] == [type(notice) for notice in told.notices], "whatever the end closed besides"
    closed, opened = (next(one.t for one in entries[1:] if one.what == what) for what in ("closed", "opened"))
    assert opened - closed >= SETTLE, "connected is when the core was told so, not when the port was opened"


def test_what_was_told_while_nothing_came_is_told_again(tmp_path: Path) -> None:
    path = tmp_path / "link.jsonl"
    talk = Conversation(path, "shoe", "shoe")
    talk.run(2)
    talk.table.pull_cable("shoe")
    talk.run(4)
    talk.table.plug_in("shoe")
    talk.run(3)
    assert [type(notice) for notice in talk.told].count(LinkLost) == 1
    assert replayed(path) == talk.told


def beats(talk: Conversation) -> bytes:
    """The device's next heartbeat, which is not put on the line."""
    while not (out := talk.table.step(Now(talk.now, talk.now), {talk.device: b""}).get(talk.device, b"")):
        talk.hear(b"")
    return out


@pytest.mark.parametrize("noise", [b"\x07\x82\x06\xf0", b"U" * 300], ids=["four bytes", "300 bytes"])
def test_a_link_lost_within_noise_is_told_again_with_all_that_came_after_it(tmp_path: Path, noise: bytes) -> None:
    """The zero that ends what began in the open comes when nothing is written any more: all but it is masked."""
    path = tmp_path / "link.jsonl"
    talk = Conversation(path, "lamp", "lamp")
    talk.run(2)
    talk.hear(noise)
    for _ in range(30):
        talk.hear(b"")
    talk.hear(b"\0")
    talk.run(3)
    kinds = [type(notice) for notice in talk.told]
    assert [kinds.count(kind) for kind in (LinkLost, LinkOpened, RemoteErrors)] == [1, 2, 1]
    assert replayed(path) == talk.told


@pytest.mark.parametrize("cut", [1, 20])
@pytest.mark.parametrize("piece", [1, 100])
def test_a_link_lost_within_a_frame_is_told_again_with_all_that_came_after_it(
    tmp_path: Path, cut: int, piece: int
) -> None:
    path = tmp_path / "link.jsonl"
    talk = Conversation(path, "lamp", "lamp")
    talk.run(2)
    frame = beats(talk)
    talk.hear(frame[:cut])
    for _ in range(30):
        talk.hear(b"")
    for at in range(cut, len(frame), piece):
        talk.hear(frame[at : at + piece])
    talk.run(3)
    kinds = [type(notice) for notice in talk.told]
    assert [kinds.count(kind) for kind in (LinkLost, LinkOpened, RemoteErrors)] == [1, 2, 0]
    assert replayed(path) == talk.told


def test_a_shoe_that_only_talks_is_captured_and_replayed_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "link.jsonl"
    talk = Conversation(path, "shoe", "line_shoe", Fittings(shoe=LineShoe))
    talk.run(1)
    talk.table.press_test_key()
    talk.table.press_dealer_key(DealerKey.CLAIM)
    talk.run(1)
    talk.disconnect()
    again, live = replayed(path), talk.told
    assert [type(notice) for notice in again] == [type(notice) for notice in live]
    assert [one for one in again if isinstance(one, EventTold)] == [one for one in live if isinstance(one, EventTold)]


def test_a_light_is_captured_by_what_was_sent_to_it(tmp_path: Path) -> None:
    path = tmp_path / "link.jsonl"
    Conversation(path, "lamp", "stack_light", Fittings(lamp=StackLight)).run(1)
    assert [entry.hex for entry in read_capture(path) if entry.what == "out"] == ["a00100a1"]


def test_no_byte_of_a_keypad_stands_in_its_capture_nor_a_key_in_its_replay(tmp_path: Path) -> None:
    path = tmp_path / "keypad.jsonl"
    talk = Conversation(path, "keypad", "keypad")
    talk.run(2)
    sent: list[bytes] = []
    original = talk.table.step

    def step(now: Now, received: dict[str, bytes]) -> dict[str, bytes]:
        out = original(now, received)
        sent.append(out.get("keypad", b""))
        return out

    talk.table.step = step  # type: ignore[method-assign, assignment]
    talk.table.type_keys([11, 2, 7, 1, 8, 2, 8, 10])
    talk.run(3)
    assert sum(isinstance(notice, StrokeTold) for notice in talk.told) == 7
    entries = read_capture(path)
    masked = [entry for entry in entries if entry.what == "in"]
    assert masked
    assert all(entry.hex == "" and entry.masked > 0 for entry in masked)
    text = path.read_text()
    assert not [data for data in sent if data and data.hex() in text]
    assert not [notice for notice in replayed(path) if isinstance(notice, StrokeTold)]


def test_a_capture_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "link.jsonl"
    Capture(path, "shoe", "shoe", lambda: 1.5).note("out", b"\x00\xff")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == '{"t":1.5,"link":"shoe","driver":"shoe","what":"out","hex":"00ff"}\n'


def test_a_capture_that_cannot_be_written_says_so_once_and_the_link_goes_on(tmp_path: Path) -> None:
    with capture_logs() as logged:
        talk = Conversation(tmp_path / "no folder" / "link.jsonl", "lamp", "lamp")
        talk.run(2)
    assert [line["event"] for line in logged] == ["capture_failed"]
    assert any(isinstance(notice, LinkOpened) for notice in talk.told)


@pytest.mark.parametrize("other", [b"\x8f" * 32, b"{\n", b'{"people": []}\n'])
def test_a_file_that_is_no_capture_is_left_as_it_is_and_that_is_said_once(tmp_path: Path, other: bytes) -> None:
    path = tmp_path / "table.journal.key"
    path.write_bytes(other)
    path.chmod(0o640)
    with capture_logs() as logged:
        talk = Conversation(path, "lamp", "lamp")
        talk.run(2)
    assert [line["event"] for line in logged] == ["capture_failed"]
    assert "left as it is; name another" in logged[0]["reason"]
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (other, 0o640)
    assert any(isinstance(notice, LinkOpened) for notice in talk.told)


def test_an_earlier_capture_is_gone_on_with_and_becomes_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "link.jsonl"
    for _ in range(2):
        path.touch()
        path.chmod(0o666)
        Capture(path, "shoe", "shoe", lambda: 1.5).note("opened")
        assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.what for entry in read_capture(path)] == ["opened"] * 2


def test_a_disk_that_fills_up_ends_the_capture_alone(tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch.object(os, "write", autospec=True, side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    with capture_logs() as logged:
        Conversation(tmp_path / "link.jsonl", "lamp", "lamp").run(2)
    assert [line["event"] for line in logged] == ["capture_failed"]


def test_a_capture_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    with capture_logs() as logged:
        Conversation(tmp_path / "link.jsonl", "lamp", "lamp").run(60)
    assert [line["event"] for line in logged] == ["capture_full"]
    assert (tmp_path / "link.jsonl").stat().st_size < 1500


@pytest.mark.parametrize("line", ["nonsense", '{"t": 1}', '{"t":1,"link":"a","driver":"shoe","what":"in","hex":"0"}'])
def test_a_file_that_is_no_capture_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    good = Entry(1.0, "shoe", "shoe", "opened")
    path = tmp_path / "file"
    path.write_bytes(module.msgspec.json.encode(good) + b"\n" + line.encode() + b"\n")
    with pytest.raises(CaptureError, match="line 2 is none of a capture"):
        read_capture(path)
    with pytest.raises(CaptureError, match="can be read"):
        read_capture(tmp_path / "missing")


def test_a_capture_whose_last_line_is_cut_is_replayed_up_to_it_and_that_is_said(tmp_path: Path) -> None:
    """The machine lost its power while the line was written."""
    path = tmp_path / "link.jsonl"
    talk = Conversation(path, "lamp", "lamp")
    talk.run(2)
    whole = read_capture(path)
    path.write_bytes(path.read_bytes()[:-5])
    with capture_logs() as logged:
        assert read_capture(path) == whole[:-1]
    assert [(line["event"], line["line"]) for line in logged] == [("capture_cut", len(whole))]


def test_the_command_says_what_is_masked_and_so_not_told(tmp_path: Path) -> None:
    path = tmp_path / "keypad.jsonl"
    Conversation(path, "keypad", "keypad").run(2)
    result = CliRunner().invoke(main, ["replay-capture", str(path)])
    masked = sum(entry.masked for entry in read_capture(path))
    assert f"keypad      {masked} bytes are masked" in result.output


def test_a_capture_of_an_unknown_driver_is_refused() -> None:
    with pytest.raises(CaptureError, match="card_cannon"):
        list(replay([Entry(1.0, "shoe", "card_cannon", "opened")], DRIVERS))


def test_the_command_tells_what_the_driver_made_of_it(tmp_path: Path) -> None:
    path = tmp_path / "link.jsonl"
    talk = Conversation(path, "shoe", "shoe")
    talk.run(2)
    talk.table.press_dealer_key(DealerKey.CLAIM)
    talk.run(1)
    result = CliRunner().invoke(main, ["replay-capture", str(path)])
    assert result.exit_code == 0
    assert "LinkOpened(hello=Hello(" in result.output
    assert "DealerKeyPressed(key=<DealerKey.CLAIM: 4>" in result.output
    (claim,) = [line for line in result.output.splitlines() if "CLAIM" in line]
    assert claim.split()[1] == "shoe"
