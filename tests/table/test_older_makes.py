"""A table whose shoe only talks and whose lamp only listens; and one whose shuffler is the front page's example."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from drivers.cards import ALL_FACES
from drivers.protocol.messages import CardDrawn, CardIn, DealerKey, JamPlace, Lamp
from drivers.registry import DRIVERS
from firmware_bridge.core.events import Told
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from firmware_bridge.view import clock
from sim_hardware.equipment import SHOE
from sim_hardware.line_shoe import LineShoe
from sim_hardware.mechanics import QUICK
from sim_hardware.registry import default_identities
from sim_hardware.shuffler import ShufflerMake
from sim_hardware.stack_light import Colour, StackLight
from sim_hardware.table import CannotDoError, Fittings
from tests.architecture.test_readme import example
from tests.demo.test_new_make import simulators_example
from tests.table.evening import BACKS, SUPERVISOR, Evening
from tests.table.test_damaged_card import typed
from tests.table.told import screen

FITTINGS = Fittings(backs=BACKS[:4], rates=QUICK, shoe=LineShoe, lamp=StackLight)
SECOND = 10**9


class OlderEvening(Evening):
    """An evening with the older makes. Keys are pressed once what they answer has stood on the screen for a moment."""

    def __init__(self, fittings: Fittings = FITTINGS, **options: bool) -> None:
        super().__init__(fittings=fittings, drivers={"shoe": "line_shoe", "lamp": "stack_light"}, **options)

    def key(self, key: DealerKey) -> str | None:
        self.table.run(0.5)
        return super().key(key)

    def test_key(self) -> None:
        self.hands.press_test_key()
        self.table.run(0.2)

    @property
    def light(self) -> StackLight:
        light = self.hands.equipment["lamp"]
        assert isinstance(light, StackLight)
        return light


@pytest.fixture
def older() -> OlderEvening:
    """A table of older makes, open and loaded."""
    evening = OlderEvening()
    evening.test_key()
    evening.open_and_load()
    return evening


@pytest.mark.clause("SB-1")
def test_a_shoe_that_says_nothing_by_itself_is_not_there_before_its_test_key_is_pressed() -> None:
    evening = OlderEvening()
    evening.table.start_controller()  # the shoe was on before, and said then who it is
    evening.table.run(1.0)
    assert not evening.state.devices[SHOE].open
    assert "press its test key" in str(screen(evening))
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "SB-1"
    evening.test_key()
    shoe = evening.state.devices[SHOE]
    assert (shoe.told.name, shoe.simulated, shoe.is_heard) == ("Sabot Shoe SS-0001", True, True)
    evening.open_table()


def test_the_screen_says_what_a_shoe_that_only_talks_cannot_promise(older: OlderEvening) -> None:
    assert "cannot hold" in str(screen(older))
    assert "only talks: it keeps nothing, hears nothing and gives no sign of life" in str(screen(older))
    assert "says nothing: whether it shows what it should, a person sees" in str(screen(older))


@pytest.mark.clause("PT-A6")
def test_a_whole_session_with_a_shoe_that_only_talks_is_verified_card_by_card(older: OlderEvening) -> None:
    for _ in range(3):
        older.play_round()
    older.close()
    assert older.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert older.session is Session.VERIFIED
    assert not older.state.incident_kinds
    assert all(deck.regular and not deck.by_person for deck in older.state.decks_read)
    assert not older.refusals()


def test_no_byte_ever_leaves_for_a_shoe_that_hears_nothing(older: OlderEvening) -> None:
    older.play_round()
    assert older.table.assembly.cores[SHOE].step(older.table.seconds, b"", ()).to_send == b""


@pytest.mark.clause("SB-1")
def test_a_card_drawn_from_it_while_dealing_is_held_is_one_out_of_turn(older: OlderEvening) -> None:
    older.deal(3)
    assert older.key(DealerKey.ROUND_OVER) is None
    assert older.hands.pull_card() is not None, "it has no gate"
    older.table.run(0.5)
    assert older.kinds() == [IncidentKind.UNEXPECTED_CARD]
    assert older.state.account.at(Place.TABLE) == 4


@pytest.mark.clause("SB-1")
def test_a_shoe_not_heard_for_long_may_be_gone_and_nothing_is_dealt_until_it_is_heard(older: OlderEvening) -> None:
    heard_at = older.state.devices[SHOE].heard_at
    limit = older.table.config.book.house.unheard_limit_s
    older.table.wait(heard_at / SECOND + limit - older.table.ns / SECOND - 0.1)
    assert not why_not_deal(older.state)
    older.table.wait(0.2)
    assert [reason.detail for reason in why_not_deal(older.state)] == [SHOE]
    (reason,) = screen(older).reasons
    assert "it may be gone: press its test key" in reason
    assert f"last heard {clock(older.table.assembly.controller.status().heard[SHOE])}" in reason
    others = [device.text for device in screen(older).devices if device.name != SHOE]
    assert "last heard" not in str(others), "they send heartbeats, and the light never says anything"
    older.test_key()
    assert "last heard" not in str(screen(older))
    assert not why_not_deal(older.state)
    assert not older.kinds(), "silence alone is no incident: it is what an idle shoe does"
    older.play_round()


@pytest.mark.clause("SB-1")
def test_two_minutes_of_silence_are_the_limit_and_a_card_is_a_sign_of_life_as_good_as_the_test_key(
    older: OlderEvening,
) -> None:
    older.deal(1)
    older.table.wait(119)
    assert not why_not_deal(older.state)
    older.table.wait(2)
    assert [reason.detail for reason in why_not_deal(older.state)] == [SHOE]
    older.key(DealerKey.CALL_SUPERVISOR)
    assert not why_not_deal(older.state), "it was heard again"


def test_a_shoe_is_not_missed_while_nothing_is_dealt_from_it() -> None:
    evening = OlderEvening()
    evening.test_key()
    evening.table.wait(2 * evening.table.config.book.house.unheard_limit_s)
    assert not evening.state.devices[SHOE].silent
    evening.open_and_load()
    assert not why_not_deal(evening.state)


def test_a_shoe_that_keeps_its_heart_beating_is_never_silent(ready: Evening) -> None:
    ready.table.wait(2 * ready.table.config.book.house.unheard_limit_s)
    assert not why_not_deal(ready.state)


@pytest.mark.clause("SB-7")
def test_a_card_that_left_it_unheard_shows_in_what_the_machine_fed(older: OlderEvening) -> None:
    older.deal(2)
    older.table._to_host[SHOE].cut()
    assert older.hands.pull_card() is not None
    older.table._step_devices()
    older.table._to_host[SHOE].cut()
    older.table.run(3.0)
    assert older.kinds() == [IncidentKind.COUNT_MISMATCH]
    assert older.state.account.at(Place.TABLE) == 3, "the books have it out, unread"
    assert older.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    older.table.run(10, lambda: older.state.counts_trusted)
    assert older.state.played.last_count == (205 - 1, 204), "one lies at the shoe's mouth"
    older.confirm_all()
    assert older.key(DealerKey.ROUND_OVER) is None
    older.put_back()
    assert older.session is Session.READY
    assert not older.kinds()


@pytest.mark.clause("SB-7")
def test_a_damaged_frame_may_have_been_a_card(older: OlderEvening) -> None:
    older.table._to_host[SHOE].put(older.table.ns, b"\x02C07\x03\x00")
    older.table.run(0.2)
    assert older.kinds() == [IncidentKind.EVENTS_LOST]
    assert not older.state.counts_trusted


@pytest.mark.field("BR-028")
def test_a_shoe_switched_off_and_on_may_have_dealt_meanwhile(older: OlderEvening) -> None:
    older.hands.reboot(SHOE)
    older.table.run(0.5)
    assert older.kinds() == [IncidentKind.LINK_LOST, IncidentKind.MEMORY_LOST]
    assert not older.state.counts_trusted


@pytest.mark.field("BR-027")
def test_a_cable_pulled_and_plugged_in_again_is_a_link_only_with_the_test_key(older: OlderEvening) -> None:
    older.table.unplug(SHOE)
    older.table.run(1.0)
    older.table.replug(SHOE)
    older.table.run(1.0)
    assert not older.state.devices[SHOE].open
    older.test_key()
    assert older.state.devices[SHOE].is_heard
    assert IncidentKind.MEMORY_LOST in older.kinds()


def test_a_damaged_card_is_replaced_by_one_that_passes_its_reader(older: OlderEvening) -> None:
    (card,) = older.deal(1)
    assert older.key(DealerKey.DAMAGED_CARD) is None
    assert older.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    spare = replace(card, damaged=False)
    older.hands.bring([spare])
    older.hands.move([card], older.hands.set_aside)
    older.hands.put_in_shoe_tray([spare])
    assert older.key(DealerKey.YES) is None
    older.table.run(1.0)
    assert older.key(DealerKey.YES) is None
    assert older.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 777) is None
    older.confirm_all()


@pytest.mark.clause("SB-1")
def test_a_card_of_the_mouth_is_no_replacement_though_one_is_being_read(older: OlderEvening) -> None:
    (card,) = older.deal(1)
    older.key(DealerKey.DAMAGED_CARD)
    older.act(SUPERVISOR, Trigger.NAME_CARD, typed(card))
    spare = replace(card, damaged=False)
    older.hands.bring([spare])
    older.hands.put_in_shoe_tray([spare])
    older.table.run(0.5)
    older.hands.press_dealer_key(DealerKey.YES)
    assert older.hands.pull_card() is not None, "while the replacement is on its way through the reader"
    older.table.run(0.5)
    assert older.kinds() == [IncidentKind.DAMAGED_CARD, IncidentKind.UNEXPECTED_CARD]
    assert older.state.incidents[1].state is Incident.ASKING_BACK, "the card of its own tray is the one that was read"
    assert older.state.incidents[1].read == card.face
    assert older.state.account.at(Place.TABLE) == 1, "beside the damaged one, which is set aside"


def test_a_key_on_its_way_when_the_prompt_changed_answers_what_was_asked_before(older: OlderEvening) -> None:
    older.table.run(1.0)
    older.hands.pull_card()
    older.table.run(0.05)
    older.hands.press_dealer_key(DealerKey.ROUND_OVER)
    older.table.run(0.1)
    assert older.session is Session.IN_ROUND, "the round has only just begun: that key was on its way before"
    assert older.key(DealerKey.ROUND_OVER) is None


def test_what_a_card_was_for_is_decided_and_not_put_into_its_mouth(older: OlderEvening) -> None:
    older.deal(1)
    told = [one.event for one in older.logged() if isinstance(one.event, Told)]
    assert [one.body.purpose for one in told if isinstance(one.body, CardDrawn)] == [0]
    assert older.session is Session.IN_ROUND


# ---- the light


def test_the_light_flashes_red_at_an_alarm_and_is_dark_after_it(older: OlderEvening) -> None:
    assert set(older.light.colours.values()) == {Lamp.OFF}
    older.hands.jam(JamPlace.EXIT)
    older.deal(1)
    older.table.run(1.0)
    assert older.kinds() == [IncidentKind.JAM]
    assert older.light.colours == dict.fromkeys(Colour, Lamp.OFF) | {Colour.RED: Lamp.FLASHING}
    assert older.hands.lamp_shown is Lamp.FLASHING


def test_a_light_that_lost_its_power_shows_the_alarm_again_within_its_repeat(older: OlderEvening) -> None:
    older.key(DealerKey.CALL_SUPERVISOR)
    assert older.hands.lamp_shown is Lamp.STEADY
    older.hands.reboot("lamp")
    assert older.hands.lamp_shown is Lamp.OFF
    older.table.run(5.1)
    assert older.hands.lamp_shown is Lamp.STEADY


def test_a_table_of_newer_makes_has_no_test_key(ready: Evening) -> None:
    with pytest.raises(CannotDoError):
        ready.hands.press_test_key()


# ---- the front page's shuffler


def test_the_shuffler_of_the_front_page_plays_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    exec(compile(example("python"), "README.md", "exec"), made)
    monkeypatch.setitem(DRIVERS, "carrossel_54", made["CARROSSEL_54"])  # type: ignore[arg-type]
    simulated: dict[str, Any] = {}
    exec(compile(simulators_example("python"), "sim_hardware/README.md", "exec"), simulated)
    make: ShufflerMake = simulated["CARROSSEL_54"]
    fittings = Fittings(
        backs=BACKS[:4],
        rates=QUICK,
        compartments=make.compartments,
        identities={**default_identities(), "shuffler": make.identity},
        shuffler=make.built_as,
    )
    evening = Evening(fittings=fittings, drivers={"shuffler": "carrossel_54"})
    evening.open_and_load()
    told = [one.event.body for one in evening.logged() if isinstance(one.event, Told)]
    faces = [body.face for body in told if isinstance(body, CardIn)]
    assert Counter(faces) == Counter(4 * ALL_FACES), "it reads each card that it takes in"
    evening.play_round()
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.VERIFIED
    assert not evening.state.incident_kinds
