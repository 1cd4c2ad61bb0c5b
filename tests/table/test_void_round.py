"""An error in a round, where the book voids it: all its cards go back and are shuffled with the rest (LD-7, LD-8)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.journal import VerifyReport
from firmware_bridge.readers.report_page import KEPT, page
from firmware_bridge.rulebooks import load_rulebook
from tests.table.byways import force_lid, power_cycle, reconnect, stands
from tests.table.evening import DEALER, SUPERVISOR, Evening
from tests.table.test_jam import clear, jam
from tests.table.told import screen, session_told

LIVE = load_rulebook("live")
ROUND_VOID, NONE_NEEDED, STAKES_RETURNED = 2, 0, 1

pytestmark = pytest.mark.clause("SB-1", "SB-9", "PT-A11")


@pytest.fixture
def live() -> Evening:
    """A live table, within a round of five cards."""
    evening = Evening(decks=8, book=LIVE)
    evening.open_and_load()
    evening.deal(5)
    return evening


def shown(evening: Evening) -> str:
    view = screen(evening)
    return "\n".join([*view.reasons, *(ask.text for ask in view.asks if ask.due)])


def end_round(evening: Evening) -> None:
    """The dealer ends the void round, and all its cards go back."""
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.put_back()
    assert evening.session is Session.READY


def shuffle(evening: Evening) -> None:
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    assert evening.session is Session.SHUFFLING
    assert evening.table.run(60, lambda: evening.session is Session.READY)
    evening.table.run(1)


def confirm_void(evening: Evening) -> None:
    for _ in list(evening.state.incidents):
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, ROUND_VOID) is None
    assert not evening.state.incidents


def mend_jam(evening: Evening) -> None:
    clear(evening)
    assert evening.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert stands(evening, IncidentKind.JAM, Incident.CLEARED)


@pytest.mark.clause("LD-8")
def test_a_jam_voids_its_round_and_nothing_is_dealt_until_all_cards_are_shuffled_anew(live: Evening) -> None:
    jam(live, JamPlace.EXIT)
    assert "round 1 is void" in shown(live)
    assert "[LD-8]" in shown(live)
    mend_jam(live)
    confirm_void(live)
    assert "give the bets back, and press ROUND OVER" in shown(live)
    assert live.hands.pull_card() is None
    end_round(live)
    assert live.reasons() == ["LD-8"]
    assert live.hands.pull_card() is None
    shuffle(live)
    assert not live.reasons()
    live.play_round()
    assert [one.void for one in live.state.rounds] == ["LD-8", ""]


@pytest.mark.clause("LD-8")
@pytest.mark.rule(14)
def test_a_shuffle_that_was_ordered_by_a_number_above_the_journal_s_stands_for_no_later_round(live: Evening) -> None:
    live.state.devices["shuffler"].barred = 10**6  # as where its journal is an older copy
    for _ in range(2):
        jam(live, JamPlace.EXIT)
        mend_jam(live)
        confirm_void(live)
        end_round(live)
        assert live.reasons() == ["LD-8"]
        shuffle(live)
        live.deal(5)
    assert live.state.devices["shuffler"].barred > 10**6


@pytest.mark.clause("LD-8")
def test_the_action_towards_the_players_is_that_the_round_is_void_and_no_other(live: Evening) -> None:
    jam(live, JamPlace.EXIT)
    mend_jam(live)
    assert "the bets were given back: the round is void [LD-8]; type 2" in shown(live)
    assert live.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, NONE_NEEDED) == "LD-8"
    assert live.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, STAKES_RETURNED) == "LD-8"
    assert live.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, ROUND_VOID) is None


@pytest.mark.clause("LD-8")
def test_the_report_of_the_session_names_the_void_round_and_its_clause(live: Evening) -> None:
    jam(live, JamPlace.EXIT)
    mend_jam(live)
    confirm_void(live)
    end_round(live)
    shuffle(live)
    live.play_round()
    report = session_told(live)
    assert [one.void for one in report.rounds] == ["LD-8", ""]
    assert [one.action for one in report.incidents] == ["round void"]
    holds = VerifyReport("", "", 1, live.state.record, 0, "", "", False, False, None, None, None)
    assert "VOID [LD-8]" in " ".join(page(holds, report)).replace(KEPT, " ")


@pytest.mark.clause("LD-7")
def test_a_controller_that_was_gone_in_a_round_voids_it(live: Evening) -> None:
    live.table.start_controller()
    live.table.run(5)
    assert IncidentKind.HOST_BREAK in live.kinds()
    assert live.state.rounds[-1].void == "LD-7"
    assert live.hands.pull_card() is None
    confirm_void(live)
    assert "the round is void [LD-7]: gather its cards, give the bets back" in shown(live)
    end_round(live)
    assert live.hands.pull_card() is None
    shuffle(live)
    live.play_round()


def test_where_the_book_says_nothing_of_it_a_round_goes_on_when_the_controller_is_back(ready: Evening) -> None:
    ready.deal(3)
    ready.table.start_controller()
    ready.table.run(5)
    assert not ready.kinds()
    assert not ready.state.round_void
    assert len(ready.deal(1)) == 1


@pytest.mark.clause("LD-7", "LD-8")
@pytest.mark.parametrize("session", [Session.READY, Session.RETURNING])
def test_without_a_round_under_way_nothing_is_void(live: Evening, session: Session) -> None:
    assert live.key(DealerKey.ROUND_OVER) is None
    if session is Session.READY:
        live.put_back()
    assert live.session is session
    live.table.start_controller()
    live.table.run(5)
    power_cycle(live)
    assert IncidentKind.HOST_BREAK not in live.kinds()
    assert IncidentKind.POWER_LOST in live.kinds()
    assert not live.state.round_void


@pytest.mark.clause("LD-8")
def test_errors_of_the_system_and_of_people_void_a_round_too(live: Evening) -> None:
    live.table.unplug("lamp")
    live.table.run(1)
    assert live.state.round_void == "LD-8"
    live.table.replug("lamp")
    live.table.run(3)
    confirm_void(live)
    end_round(live)
    shuffle(live)
    live.deal(3)
    force_lid(live)
    assert live.kinds() == [IncidentKind.LID_OPENED]
    assert live.state.round_void == "LD-8"


@pytest.mark.clause("LD-8")
def test_a_call_of_the_supervisor_is_no_error(live: Evening) -> None:
    live.key(DealerKey.CALL_SUPERVISOR)
    assert live.kinds() == [IncidentKind.SUPERVISOR_CALLED]
    assert not live.state.round_void
    assert len(live.deal(1)) == 1


@pytest.mark.clause("LD-8")
def test_a_shuffle_while_cards_of_the_void_round_are_out_is_not_all_cards(live: Evening) -> None:
    power_cycle(live)
    assert live.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert stands(live, IncidentKind.POWER_LOST, Incident.CLEARED)  # counted and shuffled, five cards out
    confirm_void(live)
    end_round(live)
    assert live.reasons() == ["LD-8"]


@pytest.mark.clause("LD-8")
def test_no_card_of_a_void_round_is_left_in_the_discard(live: Evening) -> None:
    reconnect(live, "lamp")
    confirm_void(live)
    assert live.key(DealerKey.ROUND_OVER) is None
    live.hands.mechanism.intake_tripped = True
    live.table.run(1)
    assert live.key(DealerKey.YES) == "LD-8"
    assert "to leave" not in shown(live)


@pytest.mark.clause("LD-8")
def test_a_void_round_that_was_long_does_not_go_on(live: Evening) -> None:
    live.deal(LIVE.house.round_card_limit - 4)
    assert live.session is Session.ASKING_ROUND
    assert "if the round still goes on" in shown(live)
    live.table.unplug("lamp")
    live.table.run(1)
    assert live.key(DealerKey.YES) == "LD-8"
    assert "if the round still goes on" not in shown(live)
    assert live.key(DealerKey.ROUND_OVER) is None


@pytest.mark.clause("SB-9")
def test_a_shuffle_that_broke_off_is_ordered_again(live: Evening) -> None:
    reconnect(live, "lamp")
    confirm_void(live)
    end_round(live)
    assert live.act(DEALER, Trigger.SHUFFLE_MACHINE) == "SB-9"
    assert live.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    power_cycle(live)
    assert live.table.run(60, lambda: live.session is Session.READY)
    assert "LD-8" in live.reasons()
    assert live.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert stands(live, IncidentKind.POWER_LOST, Incident.CLEARED)  # this shuffle had every card
    live.confirm_all()
    assert not live.reasons()


@pytest.mark.clause("SB-9")
def test_all_cards_are_shuffled_by_order_only_after_a_void_round(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) == "SB-9"


def test_no_shuffle_is_ordered_of_a_machine_that_is_not_there(live: Evening) -> None:
    reconnect(live, "lamp")
    confirm_void(live)
    end_round(live)
    live.table.unplug("shuffler")
    live.table.run(1)
    assert live.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) == "SB-1"
    assert live.session is Session.READY
