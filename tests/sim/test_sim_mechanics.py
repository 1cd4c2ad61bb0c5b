"""The mechanism and the rig: cards conserved, lid and lamps physical, trays, sensors, motors that take time."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from drivers.cards import ALL_FACES, UNREAD
from drivers.protocol import messages as m
from sim_hardware.cards import make_set
from sim_hardware.event_store import EventStore
from sim_hardware.faults import Fault
from sim_hardware.mechanics import QUICK, Mechanism, Rates
from sim_hardware.table import CannotDoError, CarouselTable, Fittings, Now
from tests.sim.host import DEAL, FAST, Rig

# ---- cards


def test_a_set_is_whole_decks_each_of_one_back() -> None:
    cards = make_set(4, ("red", "blue"))
    assert Counter(card.face for card in cards) == dict.fromkeys(ALL_FACES, 4)
    assert {(card.deck, card.back) for card in cards} == {(1, "red"), (2, "blue"), (3, "red"), (4, "blue")}


@pytest.mark.parametrize(("decks", "backs"), [(0, ("red",)), (4, ())])
def test_a_set_of_nothing_is_refused(decks: int, backs: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="at least one of each"):
        make_set(decks, backs)


def test_no_repr_shows_a_face_or_an_order() -> None:
    cards = make_set(1)
    assert len({repr(card) for card in cards}) == 1
    rig = Rig()
    rig.ready()
    shown = repr(rig.table) + repr(rig.table.mechanism) + repr(rig.table.mechanism.compartments)
    assert "face" not in shown


# ---- conservation, whatever hands and host do


class AnyHands(RuleBasedStateMachine):
    """Random hands at a random table, with a host that now and then grants or takes away what it can."""

    @initialize(
        seed=st.integers(0, 2**32), compartments=st.sampled_from([2, 6, 38]), purpose=st.sampled_from(m.Purpose)
    )
    def start(self, seed: int, compartments: int, purpose: m.Purpose) -> None:
        self.rig = Rig(replace(FAST, compartments=compartments), seed)
        self.rig.open(*self.rig.table.devices)
        for device in ("shuffler", "shoe"):
            self.rig.begin_events(device)
            self.rig.acking.add(device)
            self.rig.ack(device)
            self.rig.release(device, purpose)
        self.rig.level("shuffler", m.Level.INTAKE, 1)
        self.rig.table.put_in_intake_tray(self.rig.table.box[:40])
        self.table = self.rig.table
        self.whole = sorted(map(id, self.table.all_cards()))

    @rule(seconds=st.sampled_from([0.005, 0.1, 1.0, 4.0]))
    def time_passes(self, seconds: float) -> None:
        self.rig.run(seconds)

    @rule(count=st.integers(0, 52), place=st.sampled_from(["box", "on_table", "discard"]))
    def load(self, count: int, place: str) -> None:
        self.table.put_in_intake_tray(getattr(self.table, place)[:count])

    @rule()
    def unload_tray(self) -> None:
        self.table.take_from_intake_tray()

    @rule(count=st.integers(1, 8))
    def pull(self, count: int) -> None:
        for _ in range(count):
            self.table.pull_card()
            self.rig.run(0.05)

    @rule()
    def clear_table(self) -> None:
        self.table.move(list(self.table.on_table), self.table.discard)

    @rule(count=st.integers(0, 10))
    def fill_shoe_tray(self, count: int) -> None:
        self.table.put_in_shoe_tray(self.table.on_table[:count])

    @rule()
    def empty_shoe(self) -> None:
        self.table.take_shoe_output()
        self.table.take_from_shoe_tray()

    @rule(force=st.booleans())
    def lid(self, force: bool) -> None:
        if not self.table.open_lid(force):
            self.table.close_lid()

    @rule(device=st.sampled_from(["shuffler", "shoe"]), purpose=st.sampled_from(m.Purpose))
    def release(self, device: str, purpose: m.Purpose) -> None:
        self.rig.release(device, purpose)

    @rule(value=st.integers(0, 1), level=st.sampled_from([m.Level.INTAKE, m.Level.LID]))
    def set_level(self, value: int, level: m.Level) -> None:
        self.rig.level("shuffler", level, value)

    @rule(number=st.integers(1, 9), operation=st.sampled_from(m.Operation))
    def command(self, number: int, operation: m.Operation) -> None:
        link = self.rig.links["shuffler"]
        self.rig.say("shuffler", m.Command(link, number, operation, 0))

    @rule(device=st.sampled_from(["shuffler", "shoe"]), lost=st.booleans())
    def reboot(self, device: str, lost: bool) -> None:
        self.table.reboot(device, lost)
        self.rig.open(device)

    @rule(place=st.sampled_from(m.JamPlace), damages=st.booleans())
    def jam(self, place: m.JamPlace, damages: bool) -> None:
        self.table.jam(place, damages)

    @rule(fault=st.sampled_from(Fault))
    def goes_wrong(self, fault: Fault) -> None:
        self.table.faults.arm(fault)

    @rule()
    def comes_free(self) -> None:
        with suppress(CannotDoError):
            self.table.clear_by_itself()

    @rule(taken=st.integers(0, 30), laid=st.integers(0, 30), clear=st.booleans())
    def reach_inside(self, taken: int, laid: int, clear: bool) -> None:
        self.table.open_lid(force=True)
        with suppress(CannotDoError):
            self.table.take_from_machine(taken)
        with suppress(CannotDoError):
            if clear:
                self.table.take_stuck_card()
            self.table.put_inside(self.table.on_table[:laid])
        self.table.close_lid()

    @rule()
    def search(self) -> None:
        self.table.find_lost()

    @rule(tripped=st.booleans())
    def trip(self, tripped: bool) -> None:
        self.table.trip_intake(tripped)

    @invariant()
    def every_card_is_in_exactly_one_place(self) -> None:
        assert sorted(map(id, self.table.all_cards())) == self.whole

    @invariant()
    def no_place_holds_more_than_it_has_room_for(self) -> None:
        assert len(self.table.mechanism.buffer) <= 10
        assert max(map(len, self.table.mechanism.compartments)) <= 10
        assert len(self.table.mechanism.shoe_tray) <= 52
        assert len(self.table.mechanism.intake_tray) <= 208

    @invariant()
    def while_a_card_sticks_the_light_is_on_and_no_part_is_on_its_way(self) -> None:
        mechanism = self.table.mechanism
        if mechanism.jam is not None:
            assert mechanism.lamp is m.Lamp.FLASHING
            assert not any((mechanism.intake_on, mechanism.feed_on, mechanism.counting, mechanism.shuffling))


TestAnyHands = AnyHands.TestCase
TestAnyHands.settings = settings(max_examples=120, stateful_step_count=40)


def test_each_card_counted_is_a_card_that_moved() -> None:
    rig = Rig()
    rig.ready()
    for _ in range(20):
        rig.table.pull_card()
        rig.run(0.1)
    mechanism = rig.table.mechanism
    inside = len(mechanism.buffer) + sum(map(len, mechanism.compartments))
    came_in = len(rig.bodies("shuffler", m.CardIn))
    fed = len(rig.bodies("shuffler", m.CardFed))
    drawn = [body.face for body in rig.bodies("shoe", m.CardDrawn)]
    assert came_in - fed == inside
    assert fed - len(drawn) == len(mechanism.mouth)
    assert drawn == [card.face for card in rig.table.on_table]


# ---- motors, seeds


def test_a_card_takes_its_time_into_the_carousel() -> None:
    rig = Rig(Fittings(decks=1, rates=Rates(card=0.1)))
    rig.open("shuffler")
    rig.acking.add("shuffler")
    rig.begin_events("shuffler")
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.put_in_intake_tray(rig.table.box[:10])
    rig.run(0.35)
    assert len(rig.table.mechanism.intake_tray) == 7


def test_a_quick_machine_is_quicker() -> None:
    assert QUICK.card < Rates().card


def test_one_seed_deals_one_order_and_another_another() -> None:
    def deal(seed: int, reopenings: int = 0) -> list[int]:
        rig = Rig(seed=seed)
        for _ in range(reopenings):
            rig.open("shoe")
        rig.ready()
        for _ in range(20):
            rig.table.pull_card()
            rig.run(0.1)
        return [card.face for card in rig.table.on_table]

    assert deal(1) == deal(1) == deal(1, reopenings=3) != deal(2)
    assert deal(1) != sorted(deal(1))


def test_a_mechanism_without_anything_to_do_needs_no_step() -> None:
    assert Mechanism(Random(1)).deadline == float("inf")


# ---- the intake


def test_cards_stay_in_the_tray_while_the_intake_level_is_shut() -> None:
    rig = Rig()
    rig.open("shuffler")
    rig.begin_events("shuffler")
    rig.table.put_in_intake_tray(rig.table.box[:5])
    rig.run(3)
    assert [body.occupied for body in rig.bodies("shuffler", m.TrayChanged)] == [True]
    assert len(rig.table.take_from_intake_tray()) == 5
    rig.run()
    assert [body.occupied for body in rig.bodies("shuffler", m.TrayChanged)] == [True, False]


def test_a_full_carousel_is_not_ready_and_the_rest_stays_in_the_tray() -> None:
    rig = Rig(replace(FAST, compartments=2))
    rig.open("shuffler")
    rig.begin_events("shuffler")
    rig.acking.add("shuffler")
    rig.ack("shuffler")
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.put_in_intake_tray(rig.table.box[:30])
    rig.run(2)
    assert len(rig.table.take_from_intake_tray()) == 10
    assert [body.ready for body in rig.bodies("shuffler", m.IntakeChanged)] == [False]


def test_a_tripped_intake_takes_nothing_and_says_that_it_is_not_ready() -> None:
    rig = Rig()
    rig.open("shuffler")
    rig.begin_events("shuffler")
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.trip_intake()
    rig.table.put_in_intake_tray(rig.table.box[:3])
    rig.run(2)
    assert len(rig.table.mechanism.intake_tray) == 3
    rig.table.trip_intake(False)
    rig.run(2)
    assert not rig.table.mechanism.intake_tray
    assert [body.ready for body in rig.bodies("shuffler", m.IntakeChanged)] == [False, True]


def test_a_boot_tells_what_it_finds_only_if_it_was_not_told() -> None:
    rig = Rig()
    rig.table.put_in_intake_tray(rig.table.box[:3])
    rig.table.reboot("shuffler")
    rig.open("shuffler")
    assert [event.body for event in rig.events("shuffler")] == [m.TrayChanged(True)]
    rig.table.reboot("shuffler", memory_lost=True)
    rig.open("shuffler")
    assert [event.body for event in rig.events("shuffler")[1:]] == [m.TrayChanged(True)]


# ---- lid and lamps


def test_a_locked_lid_does_not_open_but_by_force_and_either_is_told() -> None:
    rig = Rig()
    rig.open("shuffler")
    rig.begin_events("shuffler")
    assert not rig.table.open_lid()
    rig.level("shuffler", m.Level.LID, 1)
    assert rig.table.open_lid()
    rig.table.close_lid()
    rig.level("shuffler", m.Level.LID, 0)
    assert not rig.table.open_lid()
    assert rig.table.open_lid(force=True)
    rig.run()
    assert [body.open for body in rig.bodies("shuffler", m.LidMoved)] == [True, False, True]


def test_a_lid_locked_while_open_can_be_closed_and_latches() -> None:
    rig = Rig()
    rig.open("shuffler")
    rig.level("shuffler", m.Level.LID, 1)
    rig.table.open_lid()
    rig.level("shuffler", m.Level.LID, 0)
    rig.table.close_lid()
    assert not rig.table.lid_open
    assert not rig.table.open_lid()


def test_an_open_lid_stops_the_machines_motors() -> None:
    rig = Rig()
    rig.ready()
    rig.table.open_lid(force=True)
    assert rig.table.pull_card() is not None  # The card that lay at the shoe's mouth.
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.put_in_intake_tray(list(rig.table.on_table))
    rig.run(1)
    assert rig.table.pull_card() is None
    assert len(rig.table.mechanism.intake_tray) == 1


def test_one_looks_inside_only_under_an_open_lid_and_sees_how_many() -> None:
    rig = Rig()
    rig.ready()
    with pytest.raises(CannotDoError, match="the lid is closed"):
        rig.table.look_inside()
    rig.table.open_lid(force=True)
    assert rig.table.look_inside().cards == 51


@pytest.mark.parametrize("value", m.Lamp)
def test_both_lamps_show_what_their_levels_say(value: m.Lamp) -> None:
    rig = Rig()
    rig.open("shuffler", "lamp")
    rig.level("lamp", m.Level.LAMP, value)
    rig.level("shuffler", m.Level.LAMP, value)
    assert rig.table.lamp_shown is value
    assert rig.table.machine_lamp_shown is value
    rig.table.reboot("lamp")
    assert rig.table.lamp_shown is m.Lamp.OFF


# ---- hands


def test_hands_lay_only_what_lies_open() -> None:
    rig = Rig()
    rig.ready()
    inside = next(rig.table.mechanism.cards())
    with pytest.raises(CannotDoError, match="take them out first"):
        rig.table.put_in_intake_tray([inside])
    card = rig.table.pull_card()
    assert card is not None
    with pytest.raises(CannotDoError, match="take them out first"):
        rig.table.move([card, card], rig.table.discard)
    rig.table.move([card], rig.table.discard)
    assert rig.table.discard == [card]
    assert not rig.table.on_table


def test_what_does_not_fit_a_tray_lies_on_the_table() -> None:
    table = CarouselTable(Random(1), Now(0, 0), Fittings(decks=5))
    whole = len(table.box)
    with pytest.raises(CannotDoError, match="no room"):
        table.put_in_intake_tray(list(table.box))
    with pytest.raises(CannotDoError, match="52 cards"):
        table.put_in_shoe_tray(table.on_table[:53])
    assert len(table.on_table) == whole


def test_a_dealers_key_repeats_the_prompt_in_force_at_key_down() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    rig.table.press_dealer_key(m.DealerKey.CALL_SUPERVISOR)
    rig.level("shoe", m.Level.PROMPT, 31)
    rig.table.press_dealer_key(m.DealerKey.YES)
    rig.run()
    assert rig.bodies("shoe", m.DealerKeyPressed) == [
        m.DealerKeyPressed(m.DealerKey.CALL_SUPERVISOR, 0),
        m.DealerKeyPressed(m.DealerKey.YES, 31),
    ]


# ---- the store on its own


@pytest.mark.rule(6, 7)
def test_a_card_that_slipped_a_shut_gate_is_said_to_be_lost() -> None:
    store = EventStore(Random(1), window=1)
    store.add(m.CardFed(DEAL))
    assert not store.card_place_free
    store.add(m.CardFed(DEAL))
    assert list(store.kept_from(1)) == [(1, m.CardFed(DEAL)), (2, m.EventsLost(1))]


@pytest.mark.rule(6, 7)
def test_whatever_is_added_and_acked_numbers_have_no_gap_and_every_loss_is_said() -> None:
    rng = Random(5)
    store = EventStore(Random(1), window=4, other_places=3)
    seen: dict[int, m.EventBody] = {}
    added = 0
    for _ in range(3000):
        if rng.random() < 0.7:
            store.add(m.CardIn(UNREAD) if store.card_place_free and rng.random() < 0.5 else m.FeedEmpty())
            added += 1
        else:
            store.ack(rng.randint(0, store.last + 1))
        seen |= dict(store.kept_from(1))
        assert store.first_kept <= store.last + 1
    store.ack(store.last)
    seen |= dict(store.kept_from(1))
    assert sorted(seen) == list(range(1, store.last + 1))
    lost = sum(body.dropped for body in seen.values() if isinstance(body, m.EventsLost))
    told = sum(not isinstance(body, m.EventsLost) for body in seen.values())
    assert told + lost == added


def test_a_whole_place_picked_up_at_once_loses_no_card() -> None:
    table = CarouselTable(Random(1), Now(0.0, 0.0), Fittings(decks=1))
    table.move(table.box, table.discard)
    assert (len(table.box), len(table.discard)) == (0, 52)
    table.put_in_intake_tray(table.discard)
    assert len(list(table.all_cards())) == 52
