"""A table put together, but for threads, ports and clocks: production and simulation are thin shells around it."""

from __future__ import annotations

from collections.abc import Callable

from drivers.device import Nonces
from drivers.protocol.notices import AckEvents, Carry, DeviceCore, HoldNow, Order, Release, Resume, Step
from drivers.registry import DRIVERS
from firmware_bridge.core.console import CheckWanted, RenewWanted
from firmware_bridge.core.controller import (
    AT_REST,
    Checked,
    Controller,
    FromDevice,
    MayAct,
    Now,
    Ports,
    Renewed,
    Room,
    Screen,
)
from firmware_bridge.core.events import JournalBegunAnew, JournalResumed, Started
from firmware_bridge.core.fold import digest, fold
from firmware_bridge.core.records import Store
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role
from firmware_bridge.errors import ConfigError
from firmware_bridge.service.config import Config
from firmware_bridge.service.software import SOFTWARE, software_digest


class Assembly:
    """The controller of a configured table and a core for each of its devices.

    Raises ``ConfigError`` where another rule book binds the session that is under way.
    """

    def __init__(
        self,
        config: Config,
        *,
        store: Store,
        state: State,
        clock: Callable[[], Now],
        check: Callable[[CheckWanted], None],
        renew: Callable[[RenewWanted], None],
        nonces: Nonces,
        boot: str,
        send: Callable[[str, Order], None] | None = None,
    ) -> None:
        # ``send`` takes each order when it is given, so that what restricts leaves before the flush; without it, orders
        # are kept for ``take_orders``
        refuse_another_book(config, state)
        self.config = config
        self.boot = boot
        self.cores: dict[str, DeviceCore] = {}
        self._orders: dict[str, list[Order]] = {device.name: [] for device in config.devices}
        for device in config.devices:
            known = state.devices.get(device.name)
            resume = Resume(known.memory, known.taken) if known is not None and known.memory else None
            self.cores[device.name] = DRIVERS[device.driver].core(nonces, resume)
        self.controller = Controller(state, config.book, Ports(store, clock, send or self._keep, check, renew), boot)

    def start(self, resumed: JournalResumed | JournalBegunAnew | None = None) -> None:
        """Record the start. Raises ``JournalError`` where nothing can be recorded: then nothing may begin.

        ``resumed``: the run before ended because the journal failed, or this journal follows a damaged one.
        """
        table, book = self.config.table, self.config.book
        self.controller.start(
            Started(
                boot=self.boot,
                software=SOFTWARE,
                rulebook=book.recorded_as,
                rulebook_digest=book.digest,
                table=table.name,
                speed=self.config.time.speed,
                devices={device.name: DRIVERS[device.driver].kind.name.lower() for device in self.config.devices},
                decks=table.decks,
                backs=tuple(table.backs),
                allow_simulated=table.allow_simulated,
                software_digest=software_digest(),
                second_backs=tuple(table.second_backs),
            ),
            resumed,
        )

    def take_orders(self, device: str) -> list[Order]:
        """Return, once, what the controller ordered of a device since the last time, in order."""
        orders, self._orders[device] = self._orders[device], []
        return orders

    def _keep(self, device: str, order: Order) -> None:
        self._orders[device].append(order)


def refuse_another_book(config: Config, state: State) -> None:
    """Raise ``ConfigError`` where another rule book binds a session under way: it ends by the one it began by."""
    book = config.book
    if state.under_way and book.digest != state.rulebook_digest:
        raise ConfigError(
            f"rule book {config.table.rulebook}: its digest is {book.digest}, and session {state.session_number} of "
            f"journal {config.table.journal} is under way by rule book {state.rulebook} with digest "
            f"{state.rulebook_digest}. A rule book changes only between sessions: give the table that one again (where "
            "it came with another version of this program, with that version), end the session, then change the book."
        )


__all__ = [
    "AT_REST",
    "AckEvents",
    "Assembly",
    "Carry",
    "CheckWanted",
    "Checked",
    "FromDevice",
    "HoldNow",
    "JournalResumed",
    "MayAct",
    "Now",
    "Order",
    "Release",
    "RenewWanted",
    "Renewed",
    "Role",
    "Room",
    "Screen",
    "State",
    "Step",
    "Store",
    "digest",
    "fold",
]
