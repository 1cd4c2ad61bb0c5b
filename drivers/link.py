"""The thread of one device: a thin shell that carries bytes between its port and its core."""

from __future__ import annotations

import re
import threading
import traceback
from collections.abc import Callable, Sequence
from queue import SimpleQueue

import structlog
from msgspec import Struct
from msgspec.structs import replace

from drivers import backoff
from drivers.errors import LinkError
from drivers.protocol.messages import Capability
from drivers.protocol.notices import (
    CaughtUp,
    DeviceCore,
    EventTold,
    HeartbeatHeard,
    LinkLost,
    LinkOpened,
    LinkRefused,
    Notice,
    Order,
    RemoteErrors,
    Step,
    StrokeTold,
)
from drivers.reconnect import Compared, Reconnect, Stage
from drivers.tap import Tap
from drivers.transport.base import Opener, Transport

LONGEST_WAIT = 1.0
"""Seconds that a read waits at most, however far the core's deadline is."""

STOP_LIMIT = 3.0
"""Seconds that ``stop`` waits for the thread: above the longest write."""

LINE_REMEDY = "check the cable, whether the right device is on this port, and whether another program reads from it"

_FRAMES = (LinkOpened, HeartbeatHeard, EventTold, StrokeTold)

Sink = Callable[[str, Sequence[Notice]], None]
"""Takes a device's name and what its core told; called in the device's thread, so it must not wait."""


class LinkStatistics(Struct, frozen=True):
    """What one link has seen since its thread began; ``heard_age`` is the last good frame's, in seconds.

    ``stage`` is where it stands on its way (``reconnect.Stage``).
    """

    opens: int
    failures: int
    frames: int
    errors: int
    heard_age: float | None
    stage: Stage


class LinkThread:
    """Owns a device's port and core: opens the port, again and again if need be, and steps the core.

    What happens to the port reaches the controller as notices, never as an exception. Of what came over the line, log
    and capture hold only what the ``tap`` lets through. ``others`` names who else has the port open, as far as this
    user may see it; it is asked for a warning only (BR-031).
    """

    def __init__(
        self,
        *,
        device: str,
        port: str,
        core: DeviceCore,
        open_port: Opener,
        sink: Sink,
        clock: Callable[[], float],
        tap: Tap | None = None,
        delay: Callable[[int], float] = backoff.delay,
        others: Callable[[], str] = str,
    ) -> None:
        self._device = device
        self._port = port
        self._core = core
        self._open_port = open_port
        self._sink = sink
        self._clock = clock
        self._tap = tap or Tap()
        self._delay = delay
        self._others = others
        self._log = structlog.get_logger().bind(device=device, link=port)
        self._thread = threading.Thread(target=self._run, name=f"link {device}", daemon=True)
        self._orders: SimpleQueue[Order] = SimpleQueue()
        self._awake = threading.Event()
        self._stopping = threading.Event()
        self._transport: Transport | None = None
        self._way = Reconnect()
        self._opens = self._failures = self._frames = self._errors = 0
        self._heard_at: float | None = None
        self._ignoring = ""
        self._round_at = clock()

    # ---- called by the controller's thread

    def start(self) -> None:
        """Begin; the first notices follow as soon as the device answers or its port fails."""
        self._thread.start()

    def order(self, *orders: Order) -> None:
        """Give orders to the core, in this order; wakes the thread and returns at once."""
        for order in orders:
            self._orders.put(order)
        self._wake()

    def stop(self, limit: float = STOP_LIMIT) -> bool:
        """Send what was ordered, close the port, end the thread; false if it outlives ``limit`` seconds."""
        self._stopping.set()
        self._wake()
        if self._thread.ident is not None:
            self._thread.join(limit)
        if self.alive:
            self._log.error("link_thread_still_runs", limit=limit)
        return not self.alive

    @property
    def alive(self) -> bool:
        """Whether the thread runs; one that died by a defect has told ``LinkLost``."""
        return self._thread.is_alive()

    def is_at_work(self, limit: float) -> bool:
        """Whether the thread runs and came round within so many seconds, whatever its device says or does not say."""
        return self.alive and self._clock() - self._round_at < limit

    @property
    def statistics(self) -> LinkStatistics:
        """What this link has seen so far."""
        heard_at = self._heard_at
        return LinkStatistics(
            opens=self._opens,
            failures=self._failures,
            frames=self._frames,
            errors=self._errors,
            heard_age=None if heard_at is None else self._clock() - heard_at,
            stage=self._way.stage,
        )

    def _wake(self) -> None:
        self._awake.set()
        transport = self._transport
        if transport is not None:
            transport.cancel()

    # ---- the thread

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._serve_until_failure()
        except BaseException as error:  # noqa: BLE001 - a thread that dies unseen is a table that looks alive
            self._die(error)

    def _serve_until_failure(self) -> None:
        try:
            self._serve()
        except LinkError as error:
            self._failures += 1
            self._way.failed(error)
            self._log.debug("port_failed", reason=str(error), cause=str(error.__cause__), times=self._way.failures)
            if not self._way.is_told(error):
                self._tell([LinkLost(str(error))])
            self._wait(self._delay(self._way.failures))

    def _serve(self) -> None:
        """Open the port and carry bytes until it fails or ``stop`` is called; close it in any case."""
        transport = self._open_port()
        self._opens += 1
        self._transport = transport
        try:
            self._converse(transport)
        except LinkError as error:
            self._tell(self._core.disconnected(self._clock(), str(error)).notices)
            raise
        finally:
            self._transport = None
            transport.close()
            self._tap.closed()

    def _converse(self, transport: Transport) -> None:
        kept = self._settle(transport, self._way.opened())
        self._tap.opened()
        step = self._core.connected(self._clock())
        self._pass_on(transport, step)
        if kept:
            step = self._hand_over(transport, kept, ())
        stopping = False
        while not stopping:
            self._round_at = self._clock()
            stopping = self._stopping.is_set()  # read first: what was ordered before ``stop`` still leaves
            wait = 0.0 if stopping or not self._orders.empty() else self._patience(step)
            received = transport.read(wait)
            step = self._hand_over(transport, received, self._take_orders())

    def _hand_over(self, transport: Transport, received: bytes, orders: Sequence[Order]) -> Step:
        self._tap.received(received)
        step = self._core.step(self._clock(), received, orders)
        self._pass_on(transport, step)
        return step

    def _settle(self, transport: Transport, seconds: float) -> bytes:
        """Give what boots behind the port its time, and return what it sent meanwhile: it may be an event."""
        kept, until = b"", self._clock() + seconds
        while not self._stopping.is_set() and (left := until - self._clock()) > 0:
            self._round_at = self._clock()
            kept += transport.read(left)
        self._way.settled()
        return kept

    def _patience(self, step: Step) -> float:
        if step.deadline is None:
            return LONGEST_WAIT
        return min(max(step.deadline - self._clock(), 0.0), LONGEST_WAIT)

    def _pass_on(self, transport: Transport, step: Step) -> None:
        """Tell first: the core has taken these events, and the writing may fail."""
        self._tap.told(step.notices)
        self._tell([self._placed(notice) for notice in step.notices])
        if step.to_send:
            self._tap.sent(step.to_send)
            transport.write(step.to_send)

    def _placed(self, notice: Notice) -> Notice:
        """What a core says of its link, with the port, which is where people look; a transport's errors name it."""
        if isinstance(notice, LinkLost | LinkRefused):
            return replace(notice, reason=f"{self._port}: {notice.reason}")
        return notice

    def _wait(self, seconds: float) -> None:
        """Wait before the next opening; the core hears orders meanwhile and knows which outlive a link."""
        until = self._clock() + seconds
        while not self._stopping.is_set() and (left := until - self._clock()) > 0:
            self._round_at = self._clock()
            self._awake.wait(left)
            self._awake.clear()
            orders = self._take_orders()
            if orders:
                self._tell(self._core.step(self._clock(), b"", orders).notices)

    def _take_orders(self) -> list[Order]:
        orders = []
        while not self._orders.empty():
            orders.append(self._orders.get())
        return orders

    def _tell(self, notices: Sequence[Notice]) -> None:
        if notices:
            for notice in notices:
                self._watch(notice)
            self._sink(self._device, notices)

    # ---- logging: each reason of an outage is a warning once, its repeats are debug, the recovery has the summary;
    # and a reason that comes back again and again is one only the 1st, 2nd, 4th, 8th … time

    def _watch(self, notice: Notice) -> None:
        now = self._clock()
        self._way.told(notice, now)
        if isinstance(notice, _FRAMES) and not _is_own(notice):
            self._frames += 1
            self._heard_at = now
        match notice:
            case LinkOpened():
                self._log_opening(notice, now)
            case CaughtUp() if self._ignoring:
                self._log.info("device_obeys", ignored=self._ignoring)
                self._ignoring = ""
            case LinkLost(reason=reason):
                self._log_once("link_lost", _without_numbers(reason), reason=reason)
            case LinkRefused(reason=reason):
                self._log_once("link_refused", _without_numbers(reason), reason=reason)
            case RemoteErrors(count=count, latest=latest):
                shown = "" if self._tap.is_keypads else latest
                self._errors += count
                about = f"errors of {len(str(self._errors))} digits"  # told anew as their number grows tenfold
                fields = {"count": count, "total": self._errors, "latest": shown, "remedy": LINE_REMEDY}
                self._log_once("remote_errors", about, **fields)

    def _log_opening(self, opened: LinkOpened, now: float) -> None:
        hello, way = opened.hello, self._way
        failures, lost_at = way.failures, way.lost_at
        compared = way.compared(hello)
        self._ignoring = opened.ignores
        is_usual = compared is not Compared.ANOTHER and not opened.ignores
        (self._log.info if is_usual else self._log.warning)(
            "link_opened",
            model=hello.model,
            serial=hello.serial,
            firmware=hello.firmware,
            simulated=hello.simulated,
            it_is=compared.value,
            failures=failures,
            seconds_lost=0.0 if lost_at is None else round(now - lost_at, 3),
            **({"ignores": opened.ignores} if opened.ignores else {}),
        )

    def _log_once(self, event: str, about: str, **fields: object) -> None:
        if self._way.is_news(about):
            others = self._seen_others()
            fields |= {"also_open_in": others} if others else {}
            self._log.warning(event, **fields, times=self._way.times(about), last_bytes=self._tap.pieces)
        else:
            self._log.debug(event, **fields)

    def _seen_others(self) -> str:
        """Who else has the port; a courtesy, so what keeps it from being told (no free descriptor) ends no link."""
        try:
            return self._others()
        except OSError as error:
            return f"not known: {error.strerror or error}"

    def _die(self, error: BaseException) -> None:
        """Say that a defect ends this thread; not by its message, where that may quote what is secret."""
        kind = type(error).__name__
        if self._tap.is_clear:
            self._log.critical("link_thread_died", error=kind, exc_info=error)
        else:
            self._log.critical("link_thread_died", error=kind, frames=traceback.format_tb(error.__traceback__))
        reason = f"the driver stopped by a defect ({kind}); restart the controller and report its log"
        try:
            self._sink(self._device, [LinkLost(reason)])
        except Exception as failure:  # noqa: BLE001 - nobody is left to raise it to; ``alive`` still tells
            self._log.critical("link_loss_not_told", error=type(failure).__name__)


def _without_numbers(reason: str) -> str:
    """Return what makes two reasons one: a link's number, or how often it was, makes none of them news."""
    return re.sub(r"[0-9]+", "N", reason)


def _is_own(notice: Notice) -> bool:
    """Whether it is an opening that the core made by itself: of a device that never speaks, nothing was heard."""
    return isinstance(notice, LinkOpened) and Capability.LISTEN_ONLY in notice.hello.capabilities
