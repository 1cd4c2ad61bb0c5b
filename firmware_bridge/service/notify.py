"""What the service manager is told: in service, still at work, ending (systemd's notifications, a datagram each).

The watchdog is fed by what has really been done and by nothing else: a timer or a thread of its own would go on feeding
while the table stands still (BR-045).
"""

from __future__ import annotations

import socket
from collections.abc import Mapping

import structlog

READY, ALIVE, STOPPING = b"READY=1", b"WATCHDOG=1", b"STOPPING=1"


class Notifier:
    """The way to one service manager; without an ``address`` nobody is told anything."""

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        self._address = f"\0{address[1:]}" if address.startswith("@") else address  # "@": one without a file
        self._watchdog_s = watchdog_s
        self._complained = False
        self._owes_ready = False
        self._log = structlog.get_logger()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], pid: int) -> Notifier:
        """Return the one that the manager named. Its watchdog is for the process ``WATCHDOG_PID``, if it says so."""
        time, whose = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
        watched = time.isdecimal() and int(time) > 0 and whose in ("", str(pid))
        return cls(environment.get("NOTIFY_SOCKET", ""), int(time) / 1e6 if watched else None)

    @property
    def longest_wait(self) -> float | None:
        """Seconds between two signs of life at most: half of what the manager allows; None: it does not watch."""
        return None if self._watchdog_s is None else self._watchdog_s / 2

    def ready(self) -> None:
        """Say that the table is in service: its start is recorded, its devices are being opened."""
        self._owes_ready = not self._send(READY)

    def alive(self) -> None:
        """Say that a turn was completed and each part of it is at work; that it is ready first, if it was unheard."""
        if self._owes_ready:
            self.ready()
        if self._watchdog_s is not None:
            self._send(ALIVE)

    def stopping(self) -> None:
        """Say that the service was told to end."""
        self._send(STOPPING)

    def _send(self, message: bytes) -> bool:
        """Send it; whether it is on its way, or nobody is to be told."""
        if not self._address:
            return True
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line:
                line.sendto(message, self._address)
        except OSError as error:  # the table goes on; if the manager is deaf for good, it starts us anew
            if not self._complained:
                self._log.error("manager_not_told", message=message.decode(), reason=error.strerror)
            self._complained = True
            return False
        return True
