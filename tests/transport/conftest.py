"""A plug that can be pulled (a pseudo-terminal behind a name of its own, such as udev gives), and a link's bench."""

from __future__ import annotations

import os
import pty
import select
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transport.link_bench import ObedientCore, Socket, Told

LIMIT = 10.0
"""Seconds after which a test gives up waiting for what must happen."""


class Plug:
    """The device's end of a serial line. ``path`` leads to it while it is plugged in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._master = -1
        self._slave = -1  # held open, or the line would hang up whenever the driver closes it

    def plug_in(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.path.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        if self._master >= 0:
            self.path.unlink()
            self._close()

    def hang_up(self) -> None:
        """As a device that loses power while its adapter stays: the node remains, the line is dead."""
        self.path.unlink()
        self.path.touch()
        self._close()

    def _close(self) -> None:
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def send(self, data: bytes) -> None:
        os.write(self._master, data)

    def wait_for_bytes(self) -> None:
        assert select.select([self._master], [], [], LIMIT)[0], "the driver sent nothing"

    def receive(self, size: int) -> bytes:
        received = b""
        while len(received) < size:
            self.wait_for_bytes()
            received += os.read(self._master, size - len(received))
        return received

    def node_mode(self, mode: int) -> None:
        os.chmod(os.ttyname(self._slave), mode)


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    line = Plug(tmp_path / "shuffler")
    line.plug_in()
    yield line
    line.unplug()


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def socket() -> Socket:
    return Socket()


@pytest.fixture
def core() -> ObedientCore:
    return ObedientCore()
