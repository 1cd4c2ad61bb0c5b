"""On a stepped clock one seed and other PINs of equal length leave the same journal, log and screens."""

from __future__ import annotations

import io
import json
from functools import cached_property

from firmware_bridge.core.words import Role, Session, Trigger
from firmware_bridge.readers.terminal import render
from firmware_bridge.service.logs import configure_logs
from firmware_bridge.service.record_log import LoggedStore
from firmware_bridge.view import table_view
from sim_hardware.commands.stepped import EPOCH_NS, SteppedTable
from tests.table.evening import PEOPLE, SUPERVISOR, Evening

OTHERS = {number: (f"{582913 + 7 * number:06d}", role) for number, (_, role) in PEOPLE.items()}


class LoggedTable(SteppedTable):
    """A stepped table whose controller keeps its records through the service's log, as in production."""

    @cached_property
    def journal(self) -> LoggedStore:
        return LoggedStore(self.store, {device.name: device.port for device in self.config.devices}, self.config.book)


class LoggedEvening(Evening):
    """An evening with a log, stamped by the stepped clock, and each screen that was to be seen."""

    table: LoggedTable
    table_of = LoggedTable

    def __init__(self, people: dict[int, tuple[str, Role]]) -> None:
        self.stream = io.StringIO()
        configure_logs(self.stream, lambda: EPOCH_NS + self.utc_ns, "debug", cache=False)
        self.utc_ns = 0
        self.screens: list[str] = []
        super().__init__(seed=9)
        self.people = people
        self._true_run = self.table.run
        self.table.run = self._watched_run  # type: ignore[method-assign]

    def _watched_run(self, *args: object, **more: object) -> bool:
        came = self._true_run(*args, **more)  # type: ignore[arg-type]
        self.table.journal.tell()
        self.utc_ns = self.table.ns
        status = self.table.assembly.controller.status()
        self.screens.append(render(table_view(self.state, self.table.config.book, status, ()), 120, 45))
        return came


def evening_with(people: dict[int, tuple[str, Role]]) -> LoggedEvening:
    """Play a session with these PINs."""
    evening = LoggedEvening(people)
    evening.open_and_load()
    evening.play_round()
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.VERIFIED
    return evening


def test_other_pins_of_equal_length_change_no_byte_of_journal_log_and_screen() -> None:
    first, second = evening_with(PEOPLE), evening_with(OTHERS)
    digests = [[record.digest for record in one.table.store.records()] for one in (first, second)]
    assert digests[0] == digests[1]
    assert first.stream.getvalue() == second.stream.getvalue()
    assert first.screens == second.screens
    assert len(first.screens) > 100
    told = "\n".join(first.screens) + first.stream.getvalue()
    assert not [pin for pin, _ in PEOPLE.values() if pin in told]


def test_the_log_tells_the_session_in_the_order_of_its_records() -> None:
    lines = [json.loads(line) for line in evening_with(PEOPLE).stream.getvalue().splitlines()]
    recorded = [line for line in lines if line["event"] == "recorded"]
    assert [line["record"] for line in recorded] == sorted({line["record"] for line in recorded})
    words = "\n".join(line["words"] for line in recorded)
    for told in ("controller started", "the session is open on 208 cards", "round over: 9 cards out"):
        assert told in words
    assert recorded[0]["time"] < recorded[-1]["time"]
