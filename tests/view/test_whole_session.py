"""The view throughout a whole session on simulated devices, looked at whenever the session has moved on."""

from __future__ import annotations

import msgspec
import pytest

from drivers.cards import RANKS
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.view import TableView, describe, table_view
from sim_hardware.commands.stepped import TICK_NS
from tests.table.evening import PEOPLE, SUPERVISOR, Evening


class Watched(Evening):
    """An evening somebody watches."""

    def __init__(self) -> None:
        self.seen: list[TableView] = []
        super().__init__()
        step, controller = self.table.step, self.table.assembly.controller

        def watched_step(tick_ns: int = TICK_NS) -> None:
            step(tick_ns)
            view = table_view(self.state, controller.book, controller.status(), ())
            if not self.seen or self.seen[-1].session_state != view.session_state:
                self.seen.append(view)

        self.table.step = watched_step  # type: ignore[method-assign]


@pytest.fixture(scope="module")
def evening() -> Watched:
    played = Watched()
    played.open_and_load()
    played.play_round(11)
    played.close()
    played.act(SUPERVISOR, Trigger.SIGN_RESULT)
    assert played.session is Session.VERIFIED
    return played


@pytest.mark.clause("SB-1")
def test_somebody_is_asked_or_a_device_is_waited_for_at_every_moment(evening: Watched) -> None:
    assert len(evening.seen) > 20
    assert [view.session_state for view in evening.seen if not any(line.due for line in view.asks)] == []


def test_the_screen_says_deal_between_and_within_rounds_only(evening: Watched) -> None:
    assert {view.session_state for view in evening.seen if view.headline == "DEAL"} == {"ready", "in_round"}


def test_neither_faces_nor_pins_are_shown_or_told(evening: Watched) -> None:
    lines = [describe(logged, 0) or "" for logged in evening.logged()]
    shown = msgspec.json.encode(evening.seen).decode() + "\n".join(lines)
    assert not [rank for rank in RANKS if f"{rank} of " in shown]
    assert not [pin for pin, _ in PEOPLE.values() if pin in shown]


def test_the_last_events_tell_the_course_and_not_each_card(evening: Watched) -> None:
    lines = [line for logged in evening.logged() if (line := describe(logged, 0)) is not None]
    assert len(lines) < 60
    assert "counted: 208 cards, as the books say; the session is open on 208 cards; between rounds" in lines
    assert lines[-1] == "supervisor 201: sign the result; closed: all decks verified"
