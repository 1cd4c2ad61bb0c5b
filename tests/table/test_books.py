"""A table that another book binds: what is recorded, shown and reported stands on that book alone."""

from __future__ import annotations

import re
from functools import cache

import msgspec
import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core import changes as c
from firmware_bridge.core.events import Identity
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import BOOKS, RuleBook, load_for_table, load_rulebook
from firmware_bridge.rulebooks.catalogue import catalogue
from firmware_bridge.rulebooks.subjects import behind, source
from firmware_bridge.service.assembly import refuse_another_book
from firmware_bridge.service.software import SOFTWARE, software_digest
from firmware_bridge.view import SessionReader, describe, table_view
from sim_hardware.commands.stage import book_of
from sim_hardware.commands.stepped import TICK_NS
from sim_hardware.mechanics import QUICK
from sim_hardware.table import Fittings
from tests.table.evening import BACKS, DEALER, ROOM_MANAGER, SUPERVISOR, Evening, config, otherwise
from tests.view.newcomer import Newcomer

LETTERS = {"portugal": "PT", "macau": "MO", "spain": "ES", "live": "LD", "general": "GN"}
OTHERS = tuple(name for name in BOOKS if name != "portugal")
TABLES = {name: load_for_table(book_of(name)) for name in OTHERS}
"""The books as a table has them; Macau's is that of a house, which has its permissions."""

CLAUSE = re.compile(r"\b(PT|MO|ES|LD|GN)-[A-Z]?\d")


class Shown(Evening):
    """An evening under a book, with all that its screen ever showed."""

    def __init__(self, rulebook: str) -> None:
        self.screens: set[str] = set()
        book = TABLES[rulebook]
        decks = book.equipment.decks_allowed[0]
        fittings = Fittings(decks=decks, backs=BACKS[:decks], rates=QUICK, compartments=48)  # eight decks go in
        super().__init__(decks, fittings=fittings, book=book)
        step, controller = self.table.step, self.table.assembly.controller
        last = [0]

        def watched_step(tick_ns: int = TICK_NS) -> None:
            step(tick_ns)
            if controller.state.record != last[0]:
                last[0] = controller.state.record
                view = table_view(controller.state, controller.book, controller.status(), ())
                self.screens.add(msgspec.json.encode(view).decode())

        self.table.step = watched_step  # type: ignore[method-assign]

    @property
    def book(self) -> RuleBook:
        return self.table.config.book

    def told(self) -> str:
        """All that screens, last events and report told, and the records themselves."""
        bodies = [record.body.decode() for record in self.table.store.records()]
        reader = SessionReader(None)
        words = []
        for number, logged in enumerate(self.logged(), 1):
            words.append(describe(logged, number, self.book) or "")
            reader.add(number, 0, logged)
        report = msgspec.json.encode(reader.report(self.book)).decode()
        return "\n".join([*bodies, *words, *sorted(self.screens), report])


@cache
def played(rulebook: str) -> Shown:
    """A claim, a damaged card, a jam, cards left in the discard, and steps out of order; then the table closes."""
    evening = Shown(rulebook)
    evening.open_table()
    refused(evening)
    while evening.session is not Session.AWAITING_PACK:
        assert evening.key(DealerKey.YES) is None
    evening.load()
    evening.deal(evening.book.burn.cards_with_shuffler(evening.state.decks) + 4)
    evening.key(DealerKey.CLAIM)
    refused(evening)
    assert evening.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 2) is None
    evening.key(DealerKey.DAMAGED_CARD)
    Newcomer(evening).clear()
    evening.hands.jam(JamPlace.EXIT)
    for _ in range(40):
        evening.hands.pull_card()
        evening.table.run(0.05)
    assert IncidentKind.JAM in evening.kinds()
    evening.key(DealerKey.ROUND_OVER)
    evening.hands.move(evening.hands.on_table, evening.hands.discard)
    evening.key(DealerKey.YES)
    refused(evening)
    Newcomer(evening).clear()
    if evening.session is Session.RETURNING:
        evening.put_back()
    evening.close()
    return evening


def refused(evening: Shown) -> None:
    """Every step that cannot be meant here."""
    for step in (Trigger.CUT, Trigger.OPEN_TABLE, Trigger.END_PACK, Trigger.SIGN_RESULT, Trigger.DECK_REPLACED):
        assert evening.act(SUPERVISOR, step, 1) is not None
    for step in (
        Trigger.NOTICE_SENT,
        Trigger.TAKE_OUT_OF_SERVICE,
        Trigger.BEGIN_UNLOADING,
        Trigger.CONFIRM_REPLACEMENT,
    ):
        assert evening.act(SUPERVISOR, step, 99) is not None


def test_a_session_s_first_record_holds_what_it_is_played_by_as_that_was_then() -> None:
    evening = Evening()
    evening.hands.replace_device("shoe", "SS-0099")
    evening.hands.reboot("shoe")
    evening.table.run(10)
    evening.open_table()
    [began] = [one for logged in evening.logged() for one in logged.decision.changes if isinstance(one, c.SessionBegan)]
    book = evening.table.config.book
    assert (began.rulebook, began.rulebook_digest) == ("portugal", book.digest)
    assert (began.software, began.software_digest) == (SOFTWARE, software_digest())
    devices = evening.state.devices
    assert began.devices.keys() == devices.keys()
    assert began.devices["shoe"] == Identity(
        "Sabot Shoe",
        "SS-0099",
        "simulated 1",
        devices["shoe"].digest,
        simulated=True,
        capabilities=devices["shoe"].capabilities,
    )
    others = [began.devices[name].serial for name in ("shuffler", "keypad", "lamp")]
    assert others == ["SC38-0001", "SK-0001", "SL-0001"]
    assert all(len(one.digest) == 64 for one in began.devices.values())


def test_a_rule_book_changes_only_between_sessions() -> None:
    evening = Evening()
    other = config(book=load_rulebook("spain"))
    refuse_another_book(other, evening.state)  # no session is under way
    evening.open_table()
    refuse_another_book(evening.table.config, evening.state)
    with pytest.raises(ConfigError) as refused:
        refuse_another_book(other, evening.state)
    told = str(refused.value)
    assert all(words in told for words in (other.book.digest, evening.table.config.book.digest, "end the session"))
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    refuse_another_book(other, evening.state)


def test_a_refusal_stands_on_the_value_that_it_means_and_on_no_other_of_its_clause() -> None:
    """Who is present at the loading may be another: what is refused for another reason does not name that."""
    spain = otherwise(load_rulebook("spain"), "loading.present", "room_manager")
    over_cards = Evening(decks=6, book=spain)
    over_cards.hands.put_in_intake_tray(over_cards.hands.box[:1])
    over_cards.table.run(1)
    assert over_cards.act(SUPERVISOR, Trigger.OPEN_TABLE) == "house.opening.show_cards"  # before they are shown
    evening = Evening(decks=6, book=otherwise(spain, "closing.unloading_present", "room_manager"))
    assert evening.act(DEALER, Trigger.OPEN_TABLE) == "SB-3"
    evening.open_table()
    for person, step, stands_on in (
        (SUPERVISOR, Trigger.OPEN_TABLE, "SB-4"),
        (ROOM_MANAGER, Trigger.START_PACK, "house.loading.loadings_per_session"),
        (ROOM_MANAGER, Trigger.END_PACK, "house.loading.min_packs"),
        (SUPERVISOR, Trigger.CALL_TECHNICIAN, "house.jam.technician_may_be_called"),
        (SUPERVISOR, Trigger.CONFIRM_DECK, "house.closing.sort_decks"),
        (ROOM_MANAGER, Trigger.SIGN_DIFFERENCE, "house.difference_signed_by"),
        (DEALER, Trigger.DECLARE_CLOSED, "house.closing.taken_out_only_at_close"),
        (DEALER, Trigger.TAKE_OVER, "SB-3"),
    ):
        assert evening.act(person, step) == stands_on, step


@pytest.mark.clause("MO-4b")
def test_one_card_is_burned_before_a_later_round_and_recorded_by_its_own_clause() -> None:
    evening = Evening(decks=6, book=otherwise(TABLES["macau"], "burn.before_each_later_round", True))
    evening.open_and_load()
    evening.deal(1)
    evening.play_round()
    before = len(evening.logged())
    evening.deal(1)
    moved = [one for logged in evening.logged()[before:] for one in logged.decision.changes if isinstance(one, c.Moved)]
    assert [one.clause for one in moved if one.trigger == Trigger.CARD_DRAWN] == ["MO-4b"]
    assert (evening.session, len(evening.state.rounds)) == (Session.READY, 1)
    evening.deal(1)  # one card is burned, and no more: the next is the round's
    assert (evening.session, len(evening.state.rounds)) == (Session.IN_ROUND, 2)


def test_a_first_pack_that_leaves_cards_is_the_house_s_smallest_where_one_pack_is_enough_too() -> None:
    evening = Evening(decks=6, book=otherwise(TABLES["macau"], "house.min_pack", 52))
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(51)
    assert evening.end_pack() == "house.min_pack"
    evening.hands.put_in_intake_tray(evening.hands.box[:1])
    evening.table.run(10)
    assert evening.end_pack() is None


@pytest.mark.parametrize("rulebook", OTHERS)
def test_no_record_screen_or_report_of_another_book_names_a_clause_of_portugals(rulebook: str) -> None:
    evening = played(rulebook)
    told = evening.told()
    assert all(behind(evening.book, clause) in told for clause in ("PT-A1", "PT-A2", "PT-A3", "PT-A6", "PT-A10"))
    assert {match.group(1) for match in CLAUSE.finditer(told)} <= {LETTERS[rulebook]}


@pytest.mark.parametrize("rulebook", OTHERS)
def test_every_refusal_is_recorded_told_and_shown_with_the_id_that_it_stands_on(rulebook: str) -> None:
    evening = played(rulebook)
    screens = "\n".join(evening.screens)
    refused = [(number, one, one.decision.refusal) for number, one in enumerate(evening.logged(), 1)]
    seen = 0
    for number, logged, refusal in refused:
        if refusal is None:
            continue
        seen += 1
        assert refusal.clause in catalogue().clauses or refusal.clause in house_ids(evening.book), refusal
        told = f"{refusal.reason} [{source(refusal.clause)}]"
        assert told in (describe(logged, number, evening.book) or "")
        assert f"refused: {told}" in screens
    assert seen > 20


def house_ids(book: RuleBook) -> set[str]:
    """The ids of the values that the house set."""
    return {source.id for source in book.sources.values() if source.is_house}
