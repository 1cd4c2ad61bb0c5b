"""Byte pipe over a serial port; the only file that knows pyserial, and where its errors become ours.

pyserial fails in three types, of which ``termios.error`` is not even an ``OSError``, and what it raises for
an unplugged port carries no errno. So errnos decide only while opening; after that, whether the node still
exists.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import termios
import threading
from contextlib import suppress
from pathlib import Path

import serial

from drivers.errors import (
    LinkBusyError,
    LinkError,
    LinkLostError,
    LinkNotFoundError,
    LinkPermissionError,
    LinkTimeoutError,
    LinkUnpluggedError,
)
from drivers.transport.base import SABOT_1, Failure, SerialFormat

READ_SIZE = 4096
WRITE_TIMEOUT = 1.0
"""Seconds that a write may wait for the line; pyserial's default waits for ever."""

LOCKS = Path("/proc/locks")

FAILURES = (serial.SerialException, OSError, termios.error)
"""Everything that pyserial raises for a port that fails, unplugged or refused."""


_NOT_THERE = Failure(LinkNotFoundError, "no such port", "plug the device in, or correct its path in the configuration")
_NOT_SERIAL = Failure(LinkNotFoundError, "this is not a serial port", "correct the path in the configuration")
_FORBIDDEN = Failure(
    LinkPermissionError,
    "this user may not open it",
    "add the user to the group that owns the port",
)
_BUSY = Failure(LinkBusyError, "another program has it open", "stop that program; a device has one controller")
_UNUSABLE = Failure(
    LinkLostError,
    "it cannot be set up",
    "check the device's power and cable, and whether its port can have this format; opening is tried again",
)
_NO_DESCRIPTOR = Failure(
    LinkLostError,
    "this program or the system has no file descriptor left",
    "restart the controller and report its log; opening is tried again",
)
_STALLED = Failure(
    LinkTimeoutError,
    f"the line took no more bytes for {WRITE_TIMEOUT:g} s",
    "check that the device is switched on and its cable sound; the port is opened again",
)
_UNPLUGGED = Failure(LinkUnpluggedError, "unplugged", "plug it in again; the port is opened as soon as it is back")
_HUNG_UP = Failure(
    LinkLostError, "the line hung up", "check the device's power and that no other program reads this port"
)

_OPENING = {
    errno.ENOENT: _NOT_THERE,
    errno.ENODEV: _NOT_THERE,
    errno.ENXIO: _NOT_THERE,
    errno.ENOTDIR: _NOT_THERE,
    errno.ELOOP: _NOT_THERE,
    errno.ENOTTY: _NOT_SERIAL,
    errno.EISDIR: _NOT_SERIAL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EMFILE: _NO_DESCRIPTOR,
    errno.ENFILE: _NO_DESCRIPTOR,
    errno.EBUSY: _BUSY,  # TIOCEXCL
    errno.EAGAIN: _BUSY,  # flock
}


def holder_of(path: str) -> int | None:
    """Return the process that has locked a port, as the kernel tells; None where none has, or none can be seen."""
    try:
        node = os.stat(path)
        locks = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    place = f"{os.major(node.st_dev):02x}:{os.minor(node.st_dev):02x}:{node.st_ino}"
    for fields in map(str.split, locks):  # 1: FLOCK ADVISORY WRITE 8605 00:1a:3 0 EOF
        if fields[1] == "FLOCK" and fields[5] == place and int(fields[4]) > 0:
            return int(fields[4])
    return None


def opening_error(path: str, error: Exception, form: SerialFormat = SABOT_1) -> LinkError:
    """Return what a failure to open ``path`` means; pyserial wraps a ``termios.error`` without its errno."""
    cause = error.__context__ if isinstance(error.__context__, termios.error) else error
    failure = _OPENING.get(_errno_of(cause), _UNUSABLE)
    if failure is _BUSY and (holder := holder_of(path)) is not None:
        failure = failure._replace(what=f"process {holder} has it open")
    if failure is _UNUSABLE:
        failure = failure._replace(what=f"it cannot be set up as {form}")
    return failure.at(path)


def working_error(path: str, error: Exception) -> LinkError:
    """Return what a failure to read or write the open port ``path`` means."""
    if isinstance(error, serial.SerialTimeoutException):
        return _STALLED.at(path)
    return (_HUNG_UP if os.path.exists(path) else _UNPLUGGED).at(path)


def _errno_of(error: BaseException) -> int:
    number = error.errno if isinstance(error, OSError) else error.args[0] if error.args else None
    return number if isinstance(number, int) else 0


def _opened(path: str, form: SerialFormat) -> serial.Serial:
    port = serial.Serial(
        path,
        form.baud,
        bytesize=form.bits,
        parity=form.parity,
        stopbits=form.stop,
        timeout=0,
        write_timeout=WRITE_TIMEOUT,
        exclusive=True,
    )
    try:
        _set_up(port.fileno(), checks_parity=form.parity != serial.PARITY_NONE)
    except FAILURES:
        port.close()
        raise
    return port


def _set_up(descriptor: int, *, checks_parity: bool) -> None:
    """Set what pyserial leaves as it is, and last take the second of a port's two locks.

    The control lines stay raised at a close: a board that takes a rising one for a reset then starts anew at the first
    opening after it was plugged in, and at no later one, whatever program ends or starts (BR-032). And each byte of
    wrong parity reads as 0, which no text has: pyserial sends parity and ignores it as it reads.

    pyserial's lock (flock) keeps out whoever asks for it; this one whoever opens the port, root apart (BR-031).
    """
    settings = termios.tcgetattr(descriptor)
    settings[2] &= ~termios.HUPCL
    if checks_parity:
        settings[0] = settings[0] & ~(termios.IGNPAR | termios.PARMRK) | termios.INPCK
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)
    fcntl.ioctl(descriptor, termios.TIOCEXCL)


class SerialPort:
    """A serial port under both kinds of lock, against a second controller and whoever else would read along.

    It waits in its own ``select``: pyserial sets the whole port up again for every new timeout.
    """

    def __init__(self, path: str, form: SerialFormat = SABOT_1) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._closed = False
        try:
            self._port = _opened(path, form)
        except FAILURES as error:
            raise opening_error(path, error, form) from error
        try:
            self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        except OSError as error:
            self._port.close()
            raise opening_error(path, error, form) from error

    def read(self, timeout: float) -> bytes:
        """Wait up to ``timeout`` seconds for bytes or for ``cancel``."""
        try:
            port = self._port.fileno()
            ready, _, _ = select.select([port, self._wake], [], [], timeout)
            if self._wake in ready:
                os.eventfd_read(self._wake)
            return self._port.read(READ_SIZE) if port in ready else b""
        except FAILURES as error:
            raise working_error(self._path, error) from error

    def write(self, data: bytes) -> None:
        """Send ``data``, waiting up to ``WRITE_TIMEOUT`` seconds for the line."""
        try:
            self._port.write(data)
        except FAILURES as error:
            raise working_error(self._path, error) from error

    def cancel(self) -> None:
        """Wake the reader; under a lock, for a closed descriptor's number may already be another file's."""
        with self._guard:
            if not self._closed:
                os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """Give the port and its locks back."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
            os.close(self._wake)
            try:
                with suppress(OSError):  # a line that hung up has lost this lock already
                    fcntl.ioctl(self._port.fileno(), termios.TIOCNXCL)  # else it stays while another has the port open
                self._port.close()
            except FAILURES as error:
                raise working_error(self._path, error) from error
