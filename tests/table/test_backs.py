"""No reader of faces sees a back: the dealer looks at the backs, and nothing says that a machine did (BR-005)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.changes import Moved
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.readers.report import report_session
from sim_hardware.cards import Card
from tests.readers.test_report import written
from tests.table.evening import BACKS, DEALER, ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.told import asked, session_told

pytestmark = [pytest.mark.clause("PT-E2"), pytest.mark.field("BR-005")]


@pytest.fixture
def sorting(ready: Evening) -> dict[str, list[Card]]:
    """The table is closed after a round, its machine is empty: the decks that the dealer sorted, by their backs."""
    ready.play_round()
    ready.unload()
    ready.look()
    return ready.sort()


def swap(one: list[Card], other: list[Card]) -> None:
    """Two cards of one face change their decks: each lies among the other's backs."""
    assert one[11].face == other[11].face
    one[11], other[11] = other[11], one[11]


def test_at_the_opening_the_dealer_is_asked_about_the_backs_of_each_deck_and_only_his_yes_goes_on() -> None:
    evening = Evening()
    evening.open_table()
    assert evening.key(DealerKey.YES) is None
    assert evening.session is Session.CHECKING_BACKS
    evening.hands.box[7] = Card(evening.hands.box[7].face, "violet", 0)  # he sees it, and says nothing
    assert "press YES when the backs were checked" in asked(evening)
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    evening.hands.put_in_intake_tray(evening.hands.box[:10])
    evening.table.wait(600)
    assert evening.session is Session.CHECKING_BACKS
    assert evening.hands.pull_card() is None
    assert len(evening.hands.mechanism.intake_tray) == 10, "no card goes in unseen"


def test_a_table_whose_backs_are_wrong_does_not_open() -> None:
    evening = Evening()
    evening.open_table()
    assert evening.key(DealerKey.YES) is None
    assert evening.act(DEALER, Trigger.DECLARE_CLOSED) == "PT-A8"
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED
    assert [key.answered for key in session_told(evening).keys] == ["cards shown"]


def test_for_each_sorted_deck_the_dealer_is_asked_to_look_at_its_backs(
    ready: Evening, sorting: dict[str, list[Card]]
) -> None:
    for number, back in enumerate(BACKS[:4], start=1):
        assert f"lay deck {number} into the shoe's tray: look at its backs, all {back}" in asked(ready)
        ready.read_deck(sorting[back])
    assert ready.session is Session.ALL_REGULAR


def test_a_card_of_another_decks_back_is_seen_by_the_dealer_who_reads_no_deck_before_it_is_right(
    ready: Evening, sorting: dict[str, list[Card]]
) -> None:
    red, blue = sorting["red"], sorting["blue"]
    swap(red, blue)
    ready.hands.put_in_shoe_tray(red)
    ready.table.wait(600)  # he looks at the backs, and presses nothing
    assert ready.session is Session.AWAITING_DECK
    assert not ready.hands.mechanism.shoe_output, "not a card is drawn before his YES"
    ready.hands.take_from_shoe_tray()
    ready.table.run(0.2)
    swap(red, blue)
    for cards in sorting.values():
        ready.read_deck(cards)
    assert ready.session is Session.ALL_REGULAR


def test_a_card_of_a_back_that_no_deck_has_is_taken_out_and_its_deck_lacks_a_card(
    ready: Evening, sorting: dict[str, list[Card]]
) -> None:
    wrong = sorting["red"].pop(11)
    for cards in sorting.values():
        ready.read_deck(cards)
    if ready.session is Session.AWAITING_DECK:
        assert ready.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert ready.session is Session.DIFFERENCE
    assert [(deck.deck, deck.missing) for deck in ready.state.decks_read if not deck.regular] == [(1, (wrong.face,))]
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) == "PT-A6"
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


def test_a_back_that_the_dealer_overlooks_no_reader_sees_and_the_report_names_who_looked(
    ready: Evening, sorting: dict[str, list[Card]], tmp_path: Path
) -> None:
    swap(sorting["red"], sorting["blue"])
    for cards in sorting.values():
        ready.read_deck(cards)
    assert ready.session is Session.ALL_REGULAR, "by their faces they are"
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    page = re.sub(r"\s+", " ", report_session(written(ready, tmp_path)))
    # The two places that speak of backs name the dealer as who looked at them, the first with the record.
    assert re.findall(r"\bbacks?\b", page) == ["backs", "backs"]
    assert "backs by the dealer's eyes" in page
    assert re.search(rf"dealer {DEALER} said YES to: [^;]*backs checked [\d:]+Z #\d+", page)
    [checked] = [key for key in session_told(ready).keys if key.answered == "backs checked"]
    assert checked.person == DEALER
    moved = ready.logged()[checked.when.record - 1].decision.changes
    assert [change.source for change in moved if isinstance(change, Moved)] == [Session.CHECKING_BACKS]
