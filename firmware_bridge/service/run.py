"""The controller as it runs at a table: one loop, a thread for each device and one for PINs; it ends by holding all."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

import structlog

from drivers.capture import Capture
from drivers.link import LinkThread
from drivers.protocol.notices import Notice, Order
from drivers.transport.ports import open_port as open_port_of
from drivers.transport.serial_port import holder_of
from firmware_bridge.core.controller import FromDevice, Input, Status
from firmware_bridge.core.events import JournalResumed
from firmware_bridge.core.records import Store
from firmware_bridge.core.state import State
from firmware_bridge.errors import AlreadyRunningError, JournalError
from firmware_bridge.journal import SqliteStore
from firmware_bridge.journal.damaged import left_open
from firmware_bridge.journal.files import BEGIN_ANEW
from firmware_bridge.service.assembly import AT_REST, Assembly
from firmware_bridge.service.checks import CheckThread
from firmware_bridge.service.clocks import Clocks, boot_seconds
from firmware_bridge.service.config import Config, Device, load_config
from firmware_bridge.service.lasting import Lasting
from firmware_bridge.service.linking import OpenPort, link_of
from firmware_bridge.service.links_file import LinksFile
from firmware_bridge.service.logs import LogFile, configure_logs
from firmware_bridge.service.notify import Notifier
from firmware_bridge.service.people import read_people
from firmware_bridge.service.people_watch import PeopleWatch
from firmware_bridge.service.record_log import LoggedStore, tell_long_log
from firmware_bridge.service.room import RoomWatch, free_mb
from firmware_bridge.service.screens import ScreenWatch
from firmware_bridge.service.snapshots import Snapshots
from firmware_bridge.service.software import SOFTWARE, software_digest
from firmware_bridge.service.status import StatusFile

LONGEST_WAIT = 1.0
"""Seconds between two turns at most, so that the status stays fresh."""

LINKS_FIRST = 0.0001
"""Seconds that this thread rests after a turn, so that the links' threads send what it ordered.

Of Python's threads one runs at a time: else an ack would wait until its card is told to the log.
"""

LINK_LIMIT = 5.0
"""Seconds after which a link's thread that has not come round is stuck: it reads and writes a second each at most."""


class Service:
    """The controller of one table with its threads. ``run`` returns after ``stop``, or raises what the store does.

    ``completed`` takes the state after each turn; ``resumed``: the run before ended because the journal failed;
    ``status``: the status file whose folder this process has locked.
    """

    def __init__(
        self,
        config: Config,
        store: Store,
        state: State,
        open_port: OpenPort = open_port_of,
        *,
        completed: Callable[[State], None] = lambda _state: None,
        resumed: JournalResumed | None = None,
        notifier: Notifier | None = None,
        status: StatusFile | None = None,
    ) -> None:
        self._inputs: SimpleQueue[Input | None] = SimpleQueue()
        self._stopping = False
        self._store = LoggedStore(store, {device.name: device.port for device in config.devices}, config.book)
        self._clocks = Clocks(state, config.time.speed)
        self._status = status or StatusFile(Path(config.table.status))
        self._seen = LinksFile(Path(config.table.status))
        self._screen = ScreenWatch(config.table, store, self._clocks.now)
        journal = Path(config.table.journal)
        self._room = RoomWatch(config.table, self._clocks.now, lambda: free_mb(journal))
        self._people = PeopleWatch(Path(config.table.people))
        self._completed = completed
        self._resumed = resumed
        self._notifier = notifier or Notifier()
        self._checks = CheckThread(Path(config.table.people), self._inputs.put)
        self._links: dict[str, LinkThread] = {}
        self._log = structlog.get_logger().bind(table=config.table.name)
        self._assembly = Assembly(
            config,
            store=self._store,
            state=state,
            clock=self._clocks.now,
            check=self._checks.ask,
            renew=self._checks.ask,
            nonces=lambda: secrets.randbits(64),
            boot=secrets.token_hex(8),
            send=self._send,
        )
        for device in config.devices:
            self._links[device.name] = self._link(device, open_port)

    def stop(self) -> None:
        """Ask the loop to end; may be called from a signal's handler and from any thread."""
        self._stopping = True
        self._inputs.put(None)

    def status(self) -> Status:
        """Return what the status file should show now."""
        return self._assembly.controller.status()

    def run(self) -> None:
        """Run until ``stop``; however that ends, all devices are held then.

        Raises ``JournalError`` when the journal fails, ``AlreadyRunningError`` when another process has its lock.
        """
        self._status.prepare()
        try:
            self._assembly.start(self._resumed)
            self._log.info("controller_started", software=SOFTWARE, digest=software_digest(), boot=self._assembly.boot)
            self._checks.start()
            for link in self._links.values():
                link.start()
            self._notifier.ready()
            while not self._stopping:
                self._store.append([], sign=False)  # a turn permits nothing while the journal's files are gone
                self._assembly.controller.turn([*self._come_in(), *self._looks()])
                time.sleep(LINKS_FIRST)
                self._tell_of_the_turn()
            self._notifier.stopping()
        except JournalError as error:
            self._log.critical("journal_failed", reason=str(error))
            raise
        except AlreadyRunningError as error:
            self._log.critical("journal_taken", reason=str(error))
            raise
        finally:
            self._end()
        self._store.append([], sign=True)  # nothing is to come: the journal is signed to its last record

    def _link(self, device: Device, open_port: OpenPort) -> LinkThread:
        return link_of(device, self._assembly.cores[device.name], open_port, self._take, _capture_of(device))

    def _take(self, device: str, notices: Sequence[Notice]) -> None:
        self._inputs.put(FromDevice(device, notices))

    def _send(self, device: str, order: Order) -> None:
        """Hand an order on at once: what restricts must not wait for the flush."""
        self._links[device].order(order)

    def _come_in(self) -> list[Input]:
        """Return all inputs that are there; wait for one until the controller's deadline, if that is soon."""
        deadline = self._assembly.controller.deadline()
        patience = min(LONGEST_WAIT, self._notifier.longest_wait or LONGEST_WAIT)
        if deadline is not None:
            patience = min(patience, self._clocks.seconds_until(deadline))
        try:
            taken = [self._inputs.get(timeout=patience)]
        except Empty:
            return []
        while not self._inputs.empty():  # nobody else takes from it
            taken.append(self._inputs.get())
        return [one for one in taken if one is not None]

    def _tell_of_the_turn(self) -> None:
        """Tell whoever reads along, and whoever watches this process, what the completed turn has made of the table."""
        state = self._assembly.controller.state
        self._store.tell()
        self._status.show(self.status())
        if self._status.has_its_folder:
            self._seen.show(self._clocks.now().utc_ns, state, self._links)
        self._completed(state)
        if self._is_at_work():
            self._notifier.alive()

    def _looks(self) -> list[Input]:
        """What nobody tells: screens, room on the disk, who may act."""
        return [*self._screen.look(), *self._room.look(), *self._people.look()]

    def _is_at_work(self) -> bool:
        """Whether each thread beside this one is: BR-045 asks it of every part that a table cannot do without."""
        return self._checks.is_at_work() and all(link.is_at_work(LINK_LIMIT) for link in self._links.values())

    def _end(self) -> None:
        for link in self._links.values():
            link.order(*AT_REST)
        for link in self._links.values():
            link.stop()
        self._checks.stop()
        self._store.tell()
        self._status.remove()
        if self._status.has_its_folder:
            self._seen.remove()
        self._log.info("controller_stopped")


def _capture_of(device: Device) -> Capture | None:
    """Where all that passes over a device's link is kept, if the configuration wants that."""
    return Capture(Path(device.capture), device.name, device.driver, boot_seconds) if device.capture else None


def run(path: Path) -> None:
    """Run the controller that a configuration file describes until SIGINT, SIGTERM or SIGHUP.

    Raises ``BridgeError``: ``ConfigError``, ``AlreadyRunningError`` and ``JournalError`` before any device is opened;
    ``JournalError`` also where it is told to end while the journal cannot be written.
    """
    config = load_config(path)
    configure_logs(LogFile(sys.stdout.fileno()), time.time_ns, config.log.level)
    read_people(Path(config.table.people))  # its faults are told now, not at the first PIN
    refuse_ports_in_use(config)
    journal = Path(config.table.journal)
    if left_open(journal) is not None:
        raise JournalError(f"journal {journal}: laying it aside was interrupted. To go on, {BEGIN_ANEW}.")
    status = StatusFile(Path(config.table.status))
    with (
        status.lock(),
        SqliteStore.open(journal, table=config.table.name, key_path=key_of(journal), too_long=tell_long_log) as store,
    ):
        snapshots = Snapshots(store)

        notifier = Notifier.from_environment(os.environ, os.getpid())

        def service(resumed: JournalResumed | None) -> Service:
            state = snapshots.restored()
            turned = snapshots.turned
            return Service(config, store, state, completed=turned, resumed=resumed, notifier=notifier, status=status)

        lasting = Lasting(service, store, status, lambda: free_mb(journal), looked=notifier.alive)
        with stopped_by_signals(lasting.stop):
            lasting.run()
        snapshots.keep()


def refuse_ports_in_use(config: Config) -> None:
    """Raise ``AlreadyRunningError`` where another process has one of the ports: two controllers share no device."""
    for device in config.devices:
        holder = holder_of(device.port)
        if holder is not None:
            raise AlreadyRunningError(
                f"port {device.port} of {device.name}: process {holder} has it open already. Stop that one first, or "
                "give this table a port of its own."
            )


def key_of(journal: Path) -> Path:
    """Return where the key lies with which a journal is signed."""
    return journal.with_name(f"{journal.name}.key")


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP call ``stop`` for as long as this lasts; a second one changes nothing, ever.

    A SIGHUP that whoever started the process has ignored (``nohup``) stays so: the table outlives the terminal.
    """
    came: list[int] = []

    def heard(number: int, _frame: object) -> None:
        came.append(number)
        stop()

    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    before = [signal.signal(number, heard) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, signal.SIG_IGN if came else handler)  # told to end, it ends in order
