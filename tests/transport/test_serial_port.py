"""What a serial port does, on a real pseudo-terminal; a mock only where none of those can fail that way."""

from __future__ import annotations

import errno
import os
import termios
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import serial
from pytest_mock import MockerFixture

from drivers.errors import (
    LinkBusyError,
    LinkError,
    LinkLostError,
    LinkNotFoundError,
    LinkPermissionError,
    LinkTimeoutError,
    LinkUnpluggedError,
)
from drivers.transport import serial_port
from drivers.transport.base import SerialFormat
from drivers.transport.serial_port import WRITE_TIMEOUT, SerialPort, holder_of, opening_error, working_error

LIMIT = 10.0
CONTROL_LINES = {termios.TIOCMBIS, termios.TIOCMBIC, termios.TIOCMSET}
"""What raises, lowers and sets a port's control lines."""

FAR_TOO_MUCH = bytes(1_000_000)
"""More than any line's buffers hold, so that writing it must wait for a reader."""


@contextmanager
def in_a_thread() -> Iterator[Any]:
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool.submit


def test_what_one_end_sends_the_other_receives(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port:
        port.write(b"\x00hello\r\n\xff")
        assert plug.receive(9) == b"\x00hello\r\n\xff"
        plug.send(b"\x00\x11\x13\r\n\x04")
        assert port.read(LIMIT) == b"\x00\x11\x13\r\n\x04", "no byte is flow control, line end or end of file"


def test_a_line_is_set_up_in_its_format_and_its_parity_checked(plug: Any) -> None:
    # a pseudo-terminal keeps the speed and the wish to check parity, and has no parity to check
    with closing(SerialPort(str(plug.path), SerialFormat(9600, 8, "E", 1))) as port:
        settings = termios.tcgetattr(port._port.fileno())
    assert settings[0] & termios.INPCK
    assert not settings[0] & (termios.IGNPAR | termios.PARMRK)
    assert settings[4] == settings[5] == termios.B9600


def test_a_line_without_parity_checks_none(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port:
        settings = termios.tcgetattr(port._port.fileno())
    assert not settings[0] & termios.INPCK
    assert settings[4] == settings[5] == termios.B115200


def test_an_idle_line_reads_as_nothing(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port:
        assert port.read(0.0) == b""


def test_bytes_are_read_when_they_come_and_not_when_the_time_is_up(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port, in_a_thread() as submit:
        reading: Future[bytes] = submit(port.read, 10 * LIMIT)
        plug.send(b"x")
        assert reading.result(LIMIT) == b"x"


def test_cancel_ends_a_read(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port, in_a_thread() as submit:
        reading: Future[bytes] = submit(port.read, 10 * LIMIT)
        port.cancel()
        assert reading.result(LIMIT) == b""


def test_cancel_before_a_read_is_not_lost_and_ends_only_one(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port:
        port.cancel()
        port.cancel()
        assert port.read(10 * LIMIT) == b""
        plug.send(b"x")
        assert port.read(LIMIT) == b"x"


def test_cancel_and_close_after_close_do_nothing(plug: Any) -> None:
    port = SerialPort(str(plug.path))
    port.close()
    port.cancel()
    port.close()


def test_using_a_closed_port_is_a_lost_link(plug: Any) -> None:
    port = SerialPort(str(plug.path))
    port.close()
    with pytest.raises(LinkLostError):
        port.read(0.0)
    with pytest.raises(LinkLostError):
        port.write(b"x")


def lowered_at_close(path: str) -> None:
    """Set a port up as the kernel does a new one."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
    settings = termios.tcgetattr(descriptor)
    settings[2] |= termios.HUPCL
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)
    os.close(descriptor)


@pytest.mark.field("BR-032")
def test_no_control_line_falls_while_a_port_is_opened_used_closed_and_opened_again(
    plug: Any, mocker: MockerFixture
) -> None:
    # A pseudo-terminal has no such lines: it shows what is asked of the kernel, and what that is to do at a close.
    lowered_at_close(str(plug.path))
    asked = mocker.patch.object(serial.serialposix.fcntl, "ioctl", wraps=serial.serialposix.fcntl.ioctl)
    for _ in range(2):
        with closing(SerialPort(str(plug.path))) as port:
            port.write(b"x")
            assert not termios.tcgetattr(port._port.fileno())[2] & termios.HUPCL, "the kernel lowers them at the close"
    control = [call.args[1] for call in asked.call_args_list if call.args[1] in CONTROL_LINES]
    assert set(control) == {termios.TIOCMBIS}, "raised, as the kernel raises them at each opening; never lowered or set"


@pytest.mark.field("BR-031")
def test_a_second_controller_is_kept_out(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))), pytest.raises(LinkBusyError, match=f"process {os.getpid()} has it open"):
        SerialPort(str(plug.path))
    SerialPort(str(plug.path)).close()  # and the lock goes with the port


@pytest.mark.field("BR-031")
def test_an_open_port_keeps_out_whoever_opens_it_without_asking_for_a_lock(plug: Any) -> None:
    plug.path.parent.chmod(0o755)
    plug.node_mode(0o666)
    path = os.path.realpath(plug.path)
    with closing(SerialPort(path)), as_nobody():
        with pytest.raises(OSError, match="busy") as refused:
            os.open(path, os.O_RDWR | os.O_NOCTTY)
        assert type(opening_error(path, refused.value)) is LinkBusyError
    with as_nobody():
        os.close(os.open(path, os.O_RDWR | os.O_NOCTTY))  # the line is still open at its other end, the lock is gone


def test_a_port_has_a_holder_for_as_long_as_it_is_open(plug: Any, tmp_path: Path) -> None:
    assert holder_of(str(plug.path)) is None
    with closing(SerialPort(str(plug.path))):
        assert holder_of(str(plug.path)) == os.getpid()
    assert holder_of(str(plug.path)) is None
    assert holder_of(str(tmp_path / "none")) is None


def test_unplugging_ends_a_read(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port, in_a_thread() as submit:
        reading: Future[bytes] = submit(port.read, 10 * LIMIT)
        plug.unplug()
        with pytest.raises(LinkLostError, match=r"shuffler: unplugged; plug it in"):
            reading.result(LIMIT)


def test_a_dead_line_whose_node_stays_is_called_hung_up(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port:
        plug.hang_up()
        with pytest.raises(LinkLostError, match="hung up"):
            port.read(LIMIT)
    plug.path.unlink()


def test_unplugging_ends_a_write(plug: Any) -> None:
    with closing(SerialPort(str(plug.path))) as port, in_a_thread() as submit:
        writing: Future[None] = submit(port.write, FAR_TOO_MUCH)
        plug.wait_for_bytes()
        plug.unplug()
        with pytest.raises(LinkLostError, match="unplugged"):
            writing.result(LIMIT)


@pytest.mark.field("BR-024")
@pytest.mark.parametrize("data", [FAR_TOO_MUCH, b"x"], ids=["its buffers are full", "held by flow control"])
def test_a_line_that_takes_nothing_times_out(plug: Any, data: bytes) -> None:
    with closing(SerialPort(str(plug.path))) as port:
        if len(data) == 1:
            termios.tcflow(port._port.fileno(), termios.TCOOFF)
        began = time.monotonic()
        with pytest.raises(LinkTimeoutError, match="no more bytes"):
            port.write(data)
    assert WRITE_TIMEOUT <= time.monotonic() - began < LIMIT


def test_a_port_opens_again_after_an_unplug(plug: Any) -> None:
    port = SerialPort(str(plug.path))
    plug.unplug()
    port.close()
    plug.plug_in()
    with closing(SerialPort(str(plug.path))) as port:
        plug.send(b"back")
        assert port.read(LIMIT) == b"back"


@pytest.mark.parametrize("name", ["missing", "dangling", "file/below"])
def test_a_missing_port_is_not_found(tmp_path: Path, name: str) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "file").touch()
    with pytest.raises(LinkNotFoundError, match=f"{name}: no such port; plug the device in"):
        SerialPort(str(tmp_path / name))


@pytest.mark.field("BR-030")
@pytest.mark.parametrize("make", ["touch", "mkdir"])
def test_what_is_no_serial_port_is_named_as_such(tmp_path: Path, make: str) -> None:
    getattr(tmp_path / "thing", make)()
    with pytest.raises(LinkNotFoundError, match="not a serial port; correct the path"):
        SerialPort(str(tmp_path / "thing"))


@contextmanager
def as_nobody() -> Iterator[None]:
    """Be a user whom file modes bind, should the tests run as root."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_forbidden_port_names_the_remedy(plug: Any) -> None:
    plug.path.parent.chmod(0o755)
    path = os.path.realpath(plug.path)  # the way through the test's private folder is closed to nobody
    plug.node_mode(0o000)
    with as_nobody(), pytest.raises(LinkPermissionError, match="add the user to the group"):
        SerialPort(path)


def test_failing_to_open_leaves_no_descriptor(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        with pytest.raises(LinkNotFoundError):
            SerialPort(str(tmp_path / "missing"))
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.field("BR-027")
def test_fifty_unplugs_leave_no_descriptor(plug: Any) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        port = SerialPort(str(plug.path))
        plug.unplug()
        with pytest.raises(LinkLostError):
            port.read(LIMIT)
        port.close()
        plug.plug_in()
    assert len(os.listdir("/proc/self/fd")) == before


# ---- every error of pyserial's three types, at each moment


def wrapped(error: termios.error) -> serial.SerialException:
    """Return what pyserial makes of a ``termios.error`` while opening: an exception without errno."""
    try:
        try:
            raise error
        except termios.error as inner:
            raise serial.SerialException(f"Could not configure port: {inner}")  # noqa: B904 - as pyserial does
    except serial.SerialException as outer:
        return outer


@pytest.mark.parametrize(
    ("raised", "meant"),
    [
        (serial.SerialException(errno.ENOENT, "x"), LinkNotFoundError),
        (serial.SerialException(errno.ENXIO, "x"), LinkNotFoundError),
        (serial.SerialException(errno.EACCES, "x"), LinkPermissionError),
        (serial.SerialException(errno.EPERM, "x"), LinkPermissionError),
        (serial.SerialException(errno.EBUSY, "x"), LinkBusyError),
        (serial.SerialException(errno.EAGAIN, "x"), LinkBusyError),
        (serial.SerialException(errno.EIO, "x"), LinkLostError),
        (serial.SerialException("no errno"), LinkLostError),
        (OSError(errno.ENODEV, "x"), LinkNotFoundError),
        (OSError(errno.EMFILE, "x"), LinkLostError),
        (termios.error(errno.ENOTTY, "x"), LinkNotFoundError),
        (termios.error(errno.EIO, "x"), LinkLostError),
        (termios.error(), LinkLostError),
        (wrapped(termios.error(errno.ENOTTY, "x")), LinkNotFoundError),
        (wrapped(termios.error(errno.EINVAL, "x")), LinkLostError),
    ],
    ids=repr,
)
def test_an_error_at_opening_is_known_by_its_number(raised: Exception, meant: type[LinkError]) -> None:
    assert type(opening_error("port", raised)) is meant


def test_a_port_that_cannot_have_its_format_is_told_with_it() -> None:
    """As a pseudo-terminal, which has no parity, on some kernels."""
    error = opening_error("port", termios.error(errno.EINVAL, "x"), SerialFormat(9600, 8, "E", 1))
    assert "it cannot be set up as 9600 8E1; " in str(error)


@pytest.mark.parametrize(
    ("raised", "meant"),
    [
        (serial.SerialTimeoutException("Write timeout"), LinkTimeoutError),
        (serial.SerialException("returned no data"), LinkUnpluggedError),
        (serial.PortNotOpenError(), LinkUnpluggedError),
        (OSError(errno.EIO, "x"), LinkUnpluggedError),
        (termios.error(errno.EIO, "x"), LinkUnpluggedError),
    ],
    ids=repr,
)
def test_an_error_of_an_open_port_is_a_lost_link_or_a_stalled_one(raised: Exception, meant: type[LinkError]) -> None:
    assert type(working_error("port", raised)) is meant


@pytest.mark.parametrize("raised", [OSError(errno.EIO, "x"), termios.error(errno.EIO, "x")], ids=repr)
@pytest.mark.parametrize("call", ["read", "write", "close"])
def test_no_type_of_error_escapes_the_port(plug: Any, mocker: MockerFixture, call: str, raised: Exception) -> None:
    port = SerialPort(str(plug.path))
    plug.send(b"x")
    patch = mocker.patch.object(serial.Serial, call, autospec=True, side_effect=raised)
    with pytest.raises(LinkLostError):
        {"read": lambda: port.read(LIMIT), "write": lambda: port.write(b"x"), "close": port.close}[call]()
    mocker.stop(patch)
    port._port.close()
    port.close()


def test_an_error_says_where_what_and_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "shoe"
    with pytest.raises(LinkNotFoundError) as caught:
        SerialPort(str(path))
    assert caught.value.port == str(path)
    assert str(caught.value) == f"{path}: {caught.value.what}; {caught.value.remedy}"
    assert isinstance(caught.value.__cause__, serial.SerialException), "the library's own words stay at hand"


def test_closing_while_another_thread_cancels_touches_no_other_file(plug: Any) -> None:
    port = SerialPort(str(plug.path))
    go = threading.Barrier(2)

    def cancel_often() -> None:
        go.wait(LIMIT)
        for _ in range(1_000):
            port.cancel()

    with in_a_thread() as submit:
        cancelling = submit(cancel_often)
        go.wait(LIMIT)
        port.close()
        fresh = os.eventfd(0, os.EFD_NONBLOCK)  # takes the number that the port gave back
        cancelling.result(LIMIT)
    with closing(os.fdopen(fresh, "rb", buffering=0)), pytest.raises(BlockingIOError):
        os.eventfd_read(fresh)


def test_the_holder_is_who_has_it_not_who_waits_for_it_or_reads_a_record_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, locks = tmp_path / "port", tmp_path / "locks"
    port.touch()
    node = port.stat()
    place = f"{os.major(node.st_dev):02x}:{os.minor(node.st_dev):02x}:{node.st_ino}"
    kinds = (("POSIX ", 77), ("FLOCK ", 88), ("-> FLOCK ", 99))
    lines = [f"{n}: {kind} ADVISORY  WRITE {pid} {place} 0 EOF" for n, (kind, pid) in enumerate(kinds, 1)]
    locks.write_text("\n".join(lines))
    monkeypatch.setattr(serial_port, "LOCKS", locks)
    assert serial_port.holder_of(str(port)) == 88
