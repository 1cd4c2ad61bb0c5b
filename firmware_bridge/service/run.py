"""The controller as it runs at a table: one loop, a thread for each device and one for PINs; it ends by holding all."""

from __future__ import annotations

import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

import structlog

from drivers.link import LinkThread
from drivers.protocol.messages import Level
from drivers.protocol.notices import HoldNow, Notice, Order, Want
from drivers.registry import DRIVERS
from drivers.transport.base import Transport
from drivers.transport.serial_port import SerialPort
from firmware_bridge.core.controller import FromDevice, Input
from firmware_bridge.core.fold import fold
from firmware_bridge.core.records import Store
from firmware_bridge.core.state import State
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import SqliteStore, read_records
from firmware_bridge.service.assembly import SOFTWARE, Assembly
from firmware_bridge.service.checks import CheckThread
from firmware_bridge.service.clocks import Clocks, boot_seconds
from firmware_bridge.service.config import Config, load_config
from firmware_bridge.service.logs import configure_logs
from firmware_bridge.service.people import read_people
from firmware_bridge.service.screens import ScreenWatch
from firmware_bridge.service.status import StatusFile

LONGEST_WAIT = 1.0
"""Seconds between two turns at most, so that the status stays fresh."""

AT_REST: tuple[Order, ...] = (HoldNow(), Want(Level.LID, 0), Want(Level.INTAKE, 0))
"""What a controller that ends leaves every device with; of a device that lacks a part, nobody asks it."""

OpenPort = Callable[[str], Transport]
"""Opens the port with this name, or raises a ``LinkError``."""


class Service:
    """The controller of one table with its threads. ``run`` returns after ``stop``, or raises ``JournalError``."""

    def __init__(self, config: Config, store: Store, state: State, open_port: OpenPort = SerialPort) -> None:
        self._inputs: SimpleQueue[Input | None] = SimpleQueue()
        self._stopping = False
        self._clocks = Clocks(state, config.time.speed)
        self._status = StatusFile(Path(config.table.status))
        self._screen = ScreenWatch(config.table, store, self._clocks.now)
        self._checks = CheckThread(Path(config.table.people), self._inputs.put)
        self._links: dict[str, LinkThread] = {}
        self._log = structlog.get_logger().bind(table=config.table.name)
        self._assembly = Assembly(
            config,
            store=store,
            state=state,
            clock=self._clocks.now,
            check=self._checks.ask,
            renew=self._checks.ask,
            nonces=lambda: secrets.randbits(64),
            boot=secrets.token_hex(8),
            send=self._send,
        )
        for device in config.devices:
            self._links[device.name] = self._link(device.name, device.driver, device.port, open_port)

    def stop(self) -> None:
        """Ask the loop to end; may be called from a signal's handler and from any thread."""
        self._stopping = True
        self._inputs.put(None)

    def run(self) -> None:
        """Run until ``stop``. Raises ``JournalError`` when the journal fails. Either way all devices are held then."""
        self._status.prepare()
        try:
            self._assembly.start()
            self._log.info("controller_started", software=SOFTWARE, boot=self._assembly.boot)
            self._checks.start()
            for link in self._links.values():
                link.start()
            while not self._stopping:
                self._assembly.controller.turn([*self._wait(), *self._screen.look()])
                self._status.show(self._assembly.controller.status())
        except JournalError as error:
            self._log.critical("journal_failed", reason=str(error))
            raise
        finally:
            self._end()

    def _link(self, name: str, driver: str, port: str, open_port: OpenPort) -> LinkThread:
        return LinkThread(
            device=name,
            port=port,
            core=self._assembly.cores[name],
            open_port=lambda: open_port(port),
            sink=self._take,
            clock=boot_seconds,
            bytes_are_secret=DRIVERS[driver].bytes_are_secret,
        )

    def _take(self, device: str, notices: Sequence[Notice]) -> None:
        self._inputs.put(FromDevice(device, notices))

    def _send(self, device: str, order: Order) -> None:
        """Hand an order on at once: what restricts must not wait for the flush."""
        self._links[device].order(order)

    def _wait(self) -> list[Input]:
        """Return all inputs that are there; wait for one until the controller's deadline, if that is soon."""
        deadline = self._assembly.controller.deadline()
        patience = LONGEST_WAIT
        if deadline is not None:
            patience = min(patience, self._clocks.seconds_until(deadline))
        try:
            taken = [self._inputs.get(timeout=patience)]
        except Empty:
            return []
        while not self._inputs.empty():  # nobody else takes from it
            taken.append(self._inputs.get())
        return [one for one in taken if one is not None]

    def _end(self) -> None:
        for link in self._links.values():
            link.order(*AT_REST)
        for link in self._links.values():
            link.stop()
        self._checks.stop()
        self._status.remove()
        self._log.info("controller_stopped")


def run(path: Path) -> None:
    """Run the controller that a configuration file describes until SIGINT or SIGTERM.

    Raises ``BridgeError``: ``ConfigError`` and ``AlreadyRunningError`` before any device is opened, ``JournalError``
    also later, with all devices held.
    """
    config = load_config(path)
    configure_logs(sys.stdout, time.time_ns, config.log.level)
    read_people(Path(config.table.people))  # its faults are told now, not at the first PIN
    journal = Path(config.table.journal)
    with SqliteStore.open(journal, table=config.table.name, key_path=key_of(journal)) as store:
        service = Service(config, store, folded(journal))
        with stopped_by_signals(service.stop):
            service.run()


def key_of(journal: Path) -> Path:
    """Return where the key lies with which a journal is signed."""
    return journal.with_name(f"{journal.name}.key")


def folded(journal: Path) -> State:
    """Return the state that a journal leads to. Raises ``JournalError``."""
    return fold((record.number, record.utc_ns, record.body) for record in read_records(journal))


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Let SIGINT and SIGTERM call ``stop`` for as long as this lasts; a second one changes nothing."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop()) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
