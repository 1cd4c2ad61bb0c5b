"""Ports: the pipe in memory, the pty and its symlink, the runner in real time, and that nothing is left behind."""

from __future__ import annotations

import fcntl
import os
import select
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
import serial

from drivers.protocol import codec, framing
from drivers.protocol import messages as m
from sim_hardware.faults import DEVICES
from sim_hardware.memory_port import MemoryPort
from sim_hardware.pty_port import TIOCGEXCL, PtyPort
from sim_hardware.runner import Runner, RunnerError
from sim_hardware.table import CarouselTable, Now
from tests.sim.host import FAST, frame

PATIENCE = 5.0
"""Seconds of real time after which what never came is a fault."""


# ---- in memory


def test_what_one_end_writes_the_other_reads() -> None:
    here, there = MemoryPort.pair()
    here.write(b"abc")
    here.write(b"de")
    assert here.read() == b""
    assert there.read() == b"abcde"
    assert there.read() == b""


def test_a_pipe_can_give_one_byte_at_a_time() -> None:
    here, there = MemoryPort.pair(one_byte=True)
    there.write(b"abc")
    assert [here.read() for _ in range(4)] == [b"a", b"b", b"c", b""]


# ---- pty


@pytest.fixture
def port(tmp_path: Path) -> Iterator[PtyPort]:
    made = PtyPort(tmp_path / "shoe")
    yield made
    made.close()


def wait_for(port: PtyPort) -> bytes:
    descriptor = port.fileno()
    assert descriptor is not None
    assert select.select([descriptor], [], [], PATIENCE)[0]
    return port.read()


def test_bytes_pass_both_ways_unchanged(port: PtyPort) -> None:
    every_byte = bytes(range(256))
    with serial.Serial(str(port.link), timeout=PATIENCE, exclusive=True) as driver:
        port.write(every_byte)
        assert driver.read(256) == every_byte
        driver.write(every_byte)
        received = b""
        while len(received) < 256:
            received += wait_for(port)
        assert received == every_byte


def test_nothing_is_echoed_and_a_driver_may_come_and_go(port: PtyPort) -> None:
    for _ in range(3):
        with serial.Serial(str(port.link), timeout=PATIENCE) as driver:
            driver.write(b"\r\n\x03\x04")
            assert wait_for(port) == b"\r\n\x03\x04"
            assert driver.in_waiting == 0
        assert port.read() == b""


def test_a_line_that_nobody_reads_overruns_and_does_not_block(port: PtyPort) -> None:
    for _ in range(1000):
        port.write(bytes(200))
    with serial.Serial(str(port.link), timeout=PATIENCE) as driver:
        port.write(b"now")
        assert driver.read(3) == b"now"


def test_unplugged_the_driver_is_hung_up_and_the_name_is_gone(port: PtyPort) -> None:
    with serial.Serial(str(port.link), timeout=PATIENCE) as driver:
        port.unplug()
        with pytest.raises(serial.SerialException):
            driver.read(1)
        assert not os.path.lexists(port.link)
        assert port.fileno() is None
        assert (port.read(), port.name) == (b"", "")
        port.write(b"into the air")
        port.plug()
    with serial.Serial(str(port.link), timeout=PATIENCE) as driver:
        port.write(b"again")
        assert driver.read(5) == b"again"


@pytest.mark.field("BR-031")
def test_a_line_is_exclusive_until_its_driver_closes_it_or_dies(port: PtyPort) -> None:
    with serial.Serial(str(port.link), timeout=PATIENCE, exclusive=True) as driver:
        fcntl.ioctl(driver.fileno(), termios.TIOCEXCL)
        assert port.read() == b""
        assert is_exclusive(driver), "its driver is there"
        # closed without clearing it, as a kill does
    assert port.read() == b""
    with serial.Serial(str(port.link), timeout=PATIENCE, exclusive=True) as driver:
        assert not is_exclusive(driver), "as a real line has it, which the kernel gives up with its last user"


def is_exclusive(driver: serial.Serial) -> bool:
    return any(fcntl.ioctl(driver.fileno(), TIOCGEXCL, bytes(4)))


def test_a_stale_link_is_replaced_and_a_real_file_is_left_alone(tmp_path: Path) -> None:
    link, real = tmp_path / "shoe", tmp_path / "lamp"
    link.symlink_to("/nowhere")
    real.write_text("mine")
    port = PtyPort(link)
    assert os.readlink(link) == port.name
    port.close()
    port.close()
    with pytest.raises(FileExistsError, match="left alone"):
        PtyPort(real)
    assert real.read_text() == "mine"


def test_a_link_taken_over_by_another_is_not_removed(tmp_path: Path) -> None:
    first, second = PtyPort(tmp_path / "shoe"), PtyPort(tmp_path / "shoe")
    first.close()
    assert os.readlink(tmp_path / "shoe") == second.name
    second.close()


# ---- the runner, in real time


@contextmanager
def running(folder: Path, speed: float = 1.0) -> Iterator[Runner]:
    ports = {name: PtyPort(folder / name) for name in DEVICES}
    runner = Runner(lambda now: CarouselTable(Random(1), now, FAST), ports, speed)
    try:
        runner.start()
        yield runner
    finally:
        runner.stop()


def hear(driver: serial.Serial, wanted: Callable[[m.Message], bool]) -> m.Message:
    decoder, end = framing.FrameDecoder(), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for payload in decoder.feed(driver.read(max(1, driver.in_waiting))):
            message = codec.decode(payload)
            if wanted(message):
                return message
    raise AssertionError("what was waited for never came")


def read_for_ever(driver: serial.Serial) -> None:
    while True:
        driver.read(1)


def opened(driver: serial.Serial, nonce: int) -> m.Hello:
    driver.write(b"\0" + frame(m.Open(1, nonce)))
    hello = hear(driver, lambda message: isinstance(message, m.Hello) and message.nonce == nonce)
    assert isinstance(hello, m.Hello)
    return hello


def test_every_device_answers_on_its_own_port(tmp_path: Path) -> None:
    with running(tmp_path):
        for number, name in enumerate(DEVICES):
            with serial.Serial(str(tmp_path / name), timeout=0.1) as driver:
                assert opened(driver, 5).kind == m.Kind(number + 1)
    assert not list(tmp_path.iterdir())


def test_what_hands_do_is_told_at_once(tmp_path: Path) -> None:
    with running(tmp_path) as runner, serial.Serial(str(tmp_path / "keypad"), timeout=0.1) as driver:
        opened(driver, 5)
        with runner.hands() as table:
            table.press_key(7)
        stroke = hear(driver, lambda message: isinstance(message, m.Stroke))
        assert isinstance(stroke, m.Stroke)
        assert stroke.key == 7


def test_unplugged_and_plugged_in_again_a_device_goes_on_in_the_same_boot(tmp_path: Path) -> None:
    with running(tmp_path) as runner:
        with serial.Serial(str(tmp_path / "shoe"), timeout=PATIENCE) as driver:
            before = opened(driver, 5)
            runner.unplug("shoe")
            with pytest.raises(serial.SerialException):
                read_for_ever(driver)
        assert not os.path.lexists(tmp_path / "shoe")
        runner.replug("shoe")
        with serial.Serial(str(tmp_path / "shoe"), timeout=0.1) as driver:
            after = opened(driver, 6)
        assert (after.boot, after.memory) == (before.boot, before.memory)
        assert after.link != before.link


def test_speed_scales_moving_parts_and_not_the_link(tmp_path: Path) -> None:
    clock = Clock()
    ports = {name: PtyPort(tmp_path / name) for name in DEVICES}
    runner = Runner(lambda now: CarouselTable(Random(1), now, FAST), ports, speed=10.0, clock=clock)
    try:
        with runner.hands() as table:
            assert table.now == Now(50.0, 0.0)
        clock.time = 52.0
        with runner.hands() as table:
            assert table.now == Now(52.0, 20.0)
    finally:
        runner.stop()


def test_a_runner_whose_table_failed_says_so_and_leaves_nothing_behind(tmp_path: Path) -> None:
    ports = {name: PtyPort(tmp_path / name) for name in DEVICES}
    runner = Runner(BrokenTable, ports)
    runner.start()
    with pytest.raises(RunnerError, match="start it again") as stopped:
        runner.stop()
    assert isinstance(stopped.value.__cause__, ZeroDivisionError)


class Clock:
    """A clock that stands until it is set."""

    time = 50.0

    def __call__(self) -> float:
        return self.time


class BrokenTable(CarouselTable):
    """A table that fails at its first step."""

    def __init__(self, now: Now) -> None:
        super().__init__(Random(1), now, FAST)

    def step(self, now: Now, received: Mapping[str, bytes]) -> dict[str, bytes]:
        raise ZeroDivisionError(f"at {now}, given {received}")
