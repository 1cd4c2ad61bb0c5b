"""What people mind at the table that no device sees: asked of them in its moment, on the clause of their book."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from firmware_bridge.rulebooks import RuleBook, load_for_table
from firmware_bridge.rulebooks.catalogue import catalogue
from firmware_bridge.view.play import WORDS
from firmware_bridge.view.texts import TRIGGERS, Hand
from sim_hardware.commands.stage import book_of
from tests.table.evening import DEALER, PORTUGAL, SUPERVISOR, Evening, otherwise
from tests.table.told import screen, session_told

JACKPOT = otherwise(PORTUGAL, "jackpot.offered", True)
BOOKS = {name: load_for_table(book_of(name)) for name in ("portugal", "macau", "spain", "live", "general")}


def ready(book: RuleBook) -> Evening:
    evening = Evening(decks=max(book.equipment.decks_allowed[0], 4), book=book)
    evening.open_and_load()
    return evening


def in_round(book: RuleBook) -> Evening:
    evening = ready(book)
    evening.deal(2 + book.burn.cards_with_shuffler(evening.state.decks))
    assert evening.session is Session.IN_ROUND
    return evening


def minded(evening: Evening, role: str = "dealer") -> dict[str, str]:
    """What is asked of a role here, by the clause at its end."""
    lines = [ask.text for ask in screen(evening).asks if ask.trigger == Hand.MIND and ask.role == role]
    return {line.rpartition(" [")[2].removesuffix("]"): line.rpartition(" [")[0].partition(": ")[2] for line in lines}


@pytest.mark.clause("PT-D9", "MO-3b", "MO-6c", "ES-4", "GN-4")
@pytest.mark.parametrize(
    ("name", "clause", "words"),
    [
        ("portugal", "PT-D9", "a hand over 21 is collected at once, into the discard"),
        ("macau", "MO-3b", "where all who bet are standing, nobody else holds cards"),
        ("macau", "MO-6c", "call each player's total, from the left, and wait for his choice"),
        (
            "spain",
            "ES-4",
            "the bank shows an ace: offer insurance to all at once, before any third card "
            "(ES-X8: where nobody draws, the last moment is the last player's word: then the bank draws)",
        ),
        (
            "general",
            "GN-4",
            "with an ace (insurance closed) or a ten-value card open, look at the bank's closed card at once",
        ),
    ],
)
def test_in_a_round_the_dealer_is_asked_for_what_his_book_has_him_do_until_he_says_that_it_is_over(
    name: str, clause: str, words: str
) -> None:
    evening = in_round(BOOKS[name])
    assert minded(evening)[clause] == words
    assert evening.key(DealerKey.ROUND_OVER) is None  # his answer for the round
    assert not minded(evening)
    *_, over = session_told(evening).keys
    assert (over.person, over.key) == (DEALER, TRIGGERS[Trigger.ROUND_OVER])


@pytest.mark.clause("PT-J2", "PT-J4")
@pytest.mark.parametrize(
    ("collection", "words"),
    [
        ("automatic", "start the collection of the jackpot's chips; the display counts up by itself"),
        ("by_hand", "put a marker in the place of each jackpot chip, and count the display up"),
    ],
)
def test_where_there_is_a_jackpot_its_chips_are_asked_for_before_the_deal_and_not_in_it(
    collection: str, words: str
) -> None:
    assert not minded(ready(PORTUGAL))
    evening = ready(otherwise(JACKPOT, "jackpot.collection", collection))
    asked = {"PT-J4": 'at "no more bets" take one jackpot chip from each who bet on it, and only then deal'}
    assert minded(evening) == asked | {"PT-J2": words}
    evening.deal(1)
    assert not {"PT-J2", "PT-J4"} & set(minded(evening))


@pytest.mark.clause("PT-J5")
def test_where_there_is_a_jackpot_the_cards_that_win_it_stay_open_till_it_is_paid() -> None:
    words = "cards that win the jackpot stay open on the table until it is paid"
    assert minded(in_round(JACKPOT))["PT-J5"] == words
    assert "PT-J5" not in minded(in_round(PORTUGAL))


@pytest.mark.clause("PT-D2", "PT-D4", "MO-5b", "LD-8")
@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "portugal",
            {
                "PT-D2": "the bank's second card, turned: to the discard, and another is drawn",
                "PT-D4": "a card that a player did not want, seen: void, to the discard",
            },
        ),
        (
            "macau",
            {"MO-5b": "a wrong deal: put it right at once; if that cannot be, all cards of the round are void"},
        ),
        ("live", {"LD-8": "a card too many for the bank: the round is void"}),
    ],
)
def test_a_supervisor_who_is_called_into_a_round_is_told_what_becomes_of_a_wrong_deal_and_answers_for_it(
    name: str, told: dict[str, str]
) -> None:
    evening = in_round(BOOKS[name])
    assert not minded(evening, "supervisor")
    assert evening.key(DealerKey.CALL_SUPERVISOR) is None
    assert told.items() <= minded(evening, "supervisor").items()
    assert IncidentKind.SUPERVISOR_CALLED in evening.kinds()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    assert not minded(evening, "supervisor")
    assert evening.state.incidents_closed[1].confirmed_by == SUPERVISOR


@pytest.mark.clause("PT-D2")
@pytest.mark.parametrize("procedure", ["bank_second_late", "players_closed"])
def test_a_bank_s_second_card_that_the_book_deals_face_up_is_not_said_to_be_void_when_turned(procedure: str) -> None:
    for name, clause in (
        ("macau", "MO-5a"),
        ("portugal", "PT-D2"),
        ("spain", "house: wrong_deal.bank_second_card_turned"),
    ):
        for played, is_asked in (("hole_card", True), (procedure, False)):
            evening = in_round(otherwise(BOOKS[name], "deal.procedure", played))
            assert evening.key(DealerKey.CALL_SUPERVISOR) is None
            texts = [ask.text for ask in screen(evening).asks]
            line = f"Supervisor: the bank's second card, turned: to the discard, and another is drawn [{clause}]"
            assert (line in texts) is is_asked


@pytest.mark.clause("PT-D4")
def test_an_unwanted_card_that_nobody_saw_has_words_of_its_own_and_the_reading_that_decides_them() -> None:
    evening = in_round(PORTUGAL)
    assert evening.key(DealerKey.CALL_SUPERVISOR) is None
    texts = [ask.text for ask in screen(evening).asks]
    assert (
        "Supervisor: a card that a player did not want, unseen: the next who asks has it, else the bank (PT-X3: where "
        "the bank has 17 or more it may not draw (PT-D5): the card left over goes to the discard, the bank stays) "
        "[PT-D4]"
    ) in texts


@pytest.mark.parametrize("book", BOOKS.values(), ids=list(BOOKS))
def test_whatever_a_book_of_the_five_says_of_these_it_says_in_words_or_asks_for_nothing(book: RuleBook) -> None:
    for words in WORDS:
        for key, by_value in words.items():
            if key in book.sources and (value := book.value_of(key)) is not False:
                assert value in by_value, key
            assert all(clause not in text for text in by_value.values() for clause in catalogue().clauses)
