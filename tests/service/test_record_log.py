"""The log tells what the journal keeps: in words, once it is kept, and loudly where a person is needed."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from drivers.protocol.messages import CardDrawn
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.words import IncidentKind
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import MemoryStore
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.service.record_log import LoggedStore
from tests.transport.link_bench import HELLO

LINK_UP = e.LinkUp("shoe", HELLO, memory_lost=False, behind=False)
TWIN = c.Unlinked("shoe", "it says that it is M1 S1, as keypad does; unplug one of the two")


class Kept:
    """A store that tells the log, and what it told."""

    def __init__(self) -> None:
        self.memory = MemoryStore(table="BJ-07", seed=bytes(32))
        self.store = LoggedStore(self.memory, {"shoe": "/dev/sabot/shoe"}, load_rulebook("portugal"))

    def keep(self, event: e.AnyEvent, *changes: c.AnyChange) -> list[dict[str, Any]]:
        """Keep one record; return the lines of the log."""
        entry = Entry(self.store.last_number + 1, 0, 0, Logged(0, event, c.Decision(changes)).to_body())
        with capture_logs() as lines:
            self.store.append([entry], sign=False)
            assert lines == []  # the flush is over before anybody is told
            self.store.tell()
        return [dict(line) for line in lines]


def test_a_record_is_a_line_with_its_number_and_words() -> None:
    line = {"event": "recorded", "record": 1, "words": "a screen shows the table", "log_level": "info"}
    assert Kept().keep(e.ScreenSeen(True)) == [line]


def test_a_card_is_no_line() -> None:
    assert Kept().keep(e.Told("shoe", 1, CardDrawn(face=7, purpose=1))) == []


def test_an_incident_is_a_warning() -> None:
    (line,) = Kept().keep(e.LinkDown("shoe", "unplugged"), c.Raised(IncidentKind.LINK_LOST, "shoe", "unplugged"))
    assert line["log_level"] == "warning"


def test_a_device_that_is_not_taken_is_warned_of_once_with_port_and_remedy() -> None:
    kept = Kept()
    told = [line for _ in range(3) for line in kept.keep(LINK_UP, TWIN) if line["event"] == "device_refused"]
    warning = {"device": "shoe", "link": "/dev/sabot/shoe", "reason": TWIN.reason, "log_level": "warning"}
    assert told == [{"event": "device_refused", **warning}]


def test_a_device_that_was_taken_meanwhile_is_warned_of_again() -> None:
    kept = Kept()
    kept.keep(LINK_UP, TWIN)
    kept.keep(LINK_UP, c.Linked("shoe", replace(HELLO, serial="S2")))
    assert "device_refused" in [line["event"] for line in kept.keep(LINK_UP, TWIN)]


def test_damaged_frames_are_the_links_to_warn_of() -> None:
    assert [line["log_level"] for line in Kept().keep(e.BadFrames("shoe", 3, "a wrong check"))] == ["debug"]


@pytest.mark.clause("SB-11")
def test_what_is_not_kept_is_not_told() -> None:
    kept = Kept()
    kept.memory.fail()
    with capture_logs() as lines:
        with pytest.raises(JournalError):
            kept.store.append([Entry(1, 0, 0, Logged(0, e.ScreenSeen(True), c.Decision()).to_body())], sign=False)
        kept.store.tell()
    assert lines == []


@pytest.mark.parametrize("event", [e.FlushWasSlow(1300), e.ClockJumped(0, 60 * 10**9)], ids=["flush", "clock"])
def test_a_slow_flush_and_a_clock_that_was_set_are_warnings_though_no_incident_is_raised(event: e.AnyEvent) -> None:
    assert [line["log_level"] for line in Kept().keep(event)] == ["warning"]


@pytest.mark.clause("SB-11")
def test_what_puts_the_journal_in_doubt_while_the_table_is_closed_is_a_warning() -> None:
    doubt = c.Postponed(IncidentKind.JOURNAL_BEHIND, "shoe", "it was acknowledged further")
    lines = Kept().keep(replace(LINK_UP, behind=True), c.Linked("shoe", HELLO), doubt)
    assert [line["log_level"] for line in lines] == ["warning"]


def test_each_record_is_told_though_several_flushes_lie_between_two_tellings() -> None:
    kept = Kept()
    with capture_logs() as lines:
        for number, shown in ((1, True), (2, False)):
            body = Logged(0, e.ScreenSeen(shown), c.Decision()).to_body()
            kept.store.append([Entry(number, 0, 0, body)], sign=False)
        kept.store.tell()
        kept.store.tell()
    assert [line["record"] for line in lines] == [1, 2]
