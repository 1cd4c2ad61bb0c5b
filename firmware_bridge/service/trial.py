"""One device tried without a controller: its link is opened, asked or driven for a moment, and closed again."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue

from drivers.protocol.notices import LinkLost, LinkOpened, LinkRefused, Notice, Order
from drivers.registry import DRIVERS
from firmware_bridge.service.clocks import boot_seconds
from firmware_bridge.service.config import Device
from firmware_bridge.service.linking import OpenPort, link_of


class Trial:
    """A device's link on trial. What it told is kept; nothing that it told is acknowledged."""

    def __init__(self, device: Device, open_port: OpenPort) -> None:
        self.opened: LinkOpened | None = None
        self.trouble = ""
        """Why there is no link, as last told."""
        self._news: SimpleQueue[Notice] = SimpleQueue()
        core = DRIVERS[device.driver].core(lambda: secrets.randbits(64))
        self._link = link_of(device, core, open_port, self._take)

    def start(self) -> None:
        """Open the port."""
        self._link.start()

    def stop(self) -> None:
        """Close it."""
        self._link.stop()

    def order(self, *orders: Order) -> None:
        """Order something of the device."""
        self._link.order(*orders)

    def heard(self, seconds: float) -> Iterator[Notice]:
        """Yield what is told within so many seconds."""
        until = boot_seconds() + seconds
        while (left := until - boot_seconds()) > 0:
            try:
                notice = self._news.get(timeout=left)
            except Empty:
                return
            if isinstance(notice, LinkOpened):
                self.opened, self.trouble = notice, ""
            elif isinstance(notice, LinkLost | LinkRefused):
                self.opened, self.trouble = None, notice.reason
            yield notice

    def opens(self, seconds: float) -> bool:
        """Whether the device says who it is within so many seconds."""
        return any(self.opened is not None for _ in self.heard(seconds))

    def _take(self, _device: str, notices: Sequence[Notice]) -> None:
        for notice in notices:
            self._news.put(notice)


@contextmanager
def trial_of(device: Device, open_port: OpenPort) -> Iterator[Trial]:
    """Try a device for as long as the context lasts. Whoever calls this has seen that nobody else has its port."""
    trial = Trial(device, open_port)
    trial.start()
    try:
        yield trial
    finally:
        trial.stop()
