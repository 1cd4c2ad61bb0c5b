"""A serial port made of a pseudo-terminal, under a name of its own: what a driver opens with pyserial."""

from __future__ import annotations

import fcntl
import os
import pty
import termios
import tty
from contextlib import suppress
from pathlib import Path

READ_SIZE = 4096

TIOCGEXCL = 0x80045440
"""Asks whether a terminal is marked as exclusive; Python's ``termios`` has only what sets and clears the mark."""


class PtyPort:
    """The device's end of a pty, and a symlink to the other end. Not thread-safe: its user locks.

    Whoever waits for its ``fileno`` must be woken after ``unplug``: the kernel hangs up only when no call
    uses the descriptor any more.
    """

    def __init__(self, link: Path) -> None:
        self.link = link
        self._master: int | None = None
        self._slave: int | None = None
        self.plug()

    def plug(self) -> None:
        """Make a new pty and point the symlink at it. Raises FileExistsError if the name is a real file's."""
        if self._master is not None:
            return
        if self.link.exists() and not self.link.is_symlink():
            raise FileExistsError(f"{self.link} is no symlink and is left alone: remove it, or choose another folder")
        self._master, self._slave = pty.openpty()
        # Raw before anyone can open it: a cooked tty echoes. Our own slave stays open, else the master fails
        # with EIO whenever the driver closes.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        fresh = self.link.with_name(f"{self.link.name}.new")
        with suppress(FileNotFoundError):
            fresh.unlink()
        fresh.symlink_to(self.name)
        fresh.replace(self.link)

    def unplug(self) -> None:
        """Hang up, as a cable pulled out does: bytes under way are lost, the symlink goes."""
        if self._master is None or self._slave is None:
            return
        # Another simulator may have taken the name over since.
        if self.link.is_symlink() and os.readlink(self.link) == self.name:
            self.link.unlink()
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = None

    close = unplug

    @property
    def name(self) -> str:
        """Path of the terminal itself, for example ``/dev/pts/3``; empty while unplugged."""
        return os.ttyname(self._slave) if self._slave is not None else ""

    def fileno(self) -> int | None:
        """Descriptor to wait on for bytes; None while unplugged."""
        return self._master

    def read(self) -> bytes:
        """Return the bytes that have arrived; empty if none have or while unplugged."""
        if self._master is None:
            return b""
        with suppress(BlockingIOError):
            return os.read(self._master, READ_SIZE)
        self._end_with_its_driver()
        return b""

    def _end_with_its_driver(self) -> None:
        """Clear the exclusive mark (TIOCEXCL) of a driver that was killed, as a line does whose last user is gone.

        Our own slave keeps the terminal open, and with it the mark. A living driver has the lock besides.
        """
        if self._slave is None or not any(fcntl.ioctl(self._slave, TIOCGEXCL, bytes(4))):
            return
        with suppress(BlockingIOError):
            fcntl.flock(self._slave, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.ioctl(self._slave, termios.TIOCNXCL)
            fcntl.flock(self._slave, fcntl.LOCK_UN)

    def write(self, data: bytes) -> None:
        """Send bytes. What nobody reads overruns and is lost, as on a line without flow control."""
        if self._master is None or not data:
            return
        with suppress(BlockingIOError):
            os.write(self._master, data)
