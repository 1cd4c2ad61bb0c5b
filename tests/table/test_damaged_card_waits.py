"""A damaged card whose replacement is awaited: who is called and when, and what nobody goes on without (BR-010)."""

from __future__ import annotations

import msgspec
import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Place, Role, Session, Trigger
from firmware_bridge.view import Entry, Hand
from sim_hardware.cards import Card
from tests.table.evening import SUPERVISOR, Evening
from tests.table.test_damaged_card import replace, typed
from tests.table.test_ladder import clocks
from tests.table.told import entries, incident_told, screen

pytestmark = [pytest.mark.clause("PT-A1"), pytest.mark.field("BR-010")]

MINUTES_58 = 58 * 60


def house_calls_after(evening: Evening, seconds: int) -> None:
    """This house has the room manager called after so long."""
    plain = evening.table.config
    house = msgspec.structs.replace(plain.book.house, escalate_after_s=seconds)
    evening.table.config = msgspec.structs.replace(plain, book=msgspec.structs.replace(plain.book, house=house))
    evening.table.start_controller()
    evening.table.run(3)


def called(evening: Evening) -> list[tuple[str, int]]:
    """Who was called about it, and how many seconds after it was raised."""
    lines = entries(incident_told(evening), Entry.CALLED)
    raised = evening.state.incidents[1].raised.utc_ns
    return [(line.role, round((line.when.utc_ns - raised) / 10**9)) for line in lines if line.when is not None]


def show_damaged(evening: Evening) -> Card:
    """The dealer shows a card of the round; the supervisor names it, and it is laid aside."""
    card = evening.deal(6)[2]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    evening.hands.move([card], evening.hands.set_aside)
    return card


@pytest.mark.clause("SB-2")
@pytest.mark.parametrize("seconds", [120, 300, 900])
def test_unanswered_the_room_manager_is_called_after_the_houses_time_and_the_screen_counts_it_down(
    seconds: int,
) -> None:
    evening = Evening()
    house_calls_after(evening, seconds)
    evening.open_and_load()
    evening.deal(6)
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    evening.table.wait(seconds - 10)
    assert "the room manager is called [house: escalate_after_s]" in clocks(evening)
    assert called(evening) == [("supervisor", 0)]
    evening.table.wait(MINUTES_58 - seconds)
    assert called(evening) == [("supervisor", 0), ("room_manager", seconds)]
    assert evening.hands.pull_card() is None
    assert f"waiting over {seconds} s, tell the room manager" in screen(evening).duties[0]


@pytest.mark.clause("SB-2")
def test_seen_and_not_replaced_the_room_manager_is_called_as_well_and_fifty_eight_minutes_release_nothing(
    ready: Evening,
) -> None:
    card = show_damaged(ready)
    seen = ready.state.incidents[1].acknowledged
    assert seen is not None
    ready.table.wait(MINUTES_58)
    since_seen = round((seen.utc_ns - ready.state.incidents[1].raised.utc_ns) / 10**9)
    assert called(ready) == [("supervisor", 0), ("room_manager", since_seen + 300)]
    assert ready.state.incidents[1].escalated == [Role.ROOM_MANAGER]
    assert ready.hands.pull_card() is None
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert ready.session is Session.READY
    assert ready.hands.pull_card() is None, "nor the next round"
    assert ready.state.rounds[-1].number == 1
    replace(ready, card)
    assert ready.hands.pull_card() is None, "replaced, and not confirmed"


def last_out_is_damaged(evening: Evening) -> Card:
    """All cards of the round are back in the machine but the last: it is shown as damaged, and named."""
    card = evening.deal(6)[-1]
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.hands.put_in_intake_tray([lying for lying in evening.hands.on_table if lying is not card])
    evening.table.run(5)
    assert evening.session is Session.RETURNING
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    evening.hands.move([card], evening.hands.set_aside)
    return card


def test_damaged_at_the_return_nothing_is_written_while_nothing_happens_and_no_card_counts_as_lost(
    ready: Evening,
) -> None:
    last_out_is_damaged(ready)
    ready.table.run(1)
    wrote = len(ready.logged())
    ready.table.wait(ready.table.config.book.house.return_window_s + 10)
    assert len(ready.logged()) == wrote
    ready.table.wait(MINUTES_58)
    assert len(ready.logged()) == wrote + 1, "the call of the room manager, and nothing else"
    assert ready.kinds() == [IncidentKind.DAMAGED_CARD]
    assert ready.hands.pull_card() is None
    assert next(ask.trigger for ask in screen(ready).asks if ask.due) == Hand.LAY_REPLACEMENT


def test_damaged_at_the_return_the_replacement_goes_in_after_the_sealing_and_play_goes_on(ready: Evening) -> None:
    card = last_out_is_damaged(ready)
    replace(ready, card)
    assert ready.state.incidents[1].state is Incident.CLEARED
    assert ready.state.incidents[1].envelope == 77
    ready.confirm_all()
    assert ready.session is Session.RETURNING
    ready.table.run(1)
    assert ready.hands.pull_card() is None, "the replacement is still out"
    [replacement] = ready.hands.take_shoe_output()
    assert (replacement.face, replacement.back) == (card.face, card.back)
    ready.hands.put_in_intake_tray([replacement])
    assert ready.table.run(10, lambda: ready.session is Session.READY)
    ready.table.run(1)
    account = ready.state.account
    assert (account.inside, account.at(Place.SET_ASIDE)) == (208, 1)
    ready.play_round()
    ready.close()
    assert ready.session is Session.ALL_REGULAR
    assert {one.kind for one in ready.state.incidents_closed.values()} == {IncidentKind.DAMAGED_CARD}
