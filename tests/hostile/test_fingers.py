"""Any keys by any person in any state: no step without its right, no exception, no PIN where one may not stand."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from drivers.protocol.messages import DealerKey, JamPlace, Key
from firmware_bridge.core import changes as c
from firmware_bridge.core.events import Acted, Identified
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.records import Logged
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import Trigger
from tests.hostile.streams import FULL
from tests.table.byways import counting_its_load, loading, unloading
from tests.table.evening import PEOPLE, Evening
from tests.table.test_jam import jam
from tests.table.told import screen


def closed() -> Evening:
    return Evening()


def being_loaded() -> Evening:
    evening = loading()
    evening.load_pack(104)
    return evening


def ready() -> Evening:
    evening = Evening()
    evening.open_and_load()
    return evening


def in_round() -> Evening:
    evening = ready()
    evening.deal(3)
    return evening


def jammed() -> Evening:
    evening = ready()
    jam(evening, JamPlace.CAROUSEL)
    return evening


def with_a_claim_and_a_damaged_card() -> Evening:
    evening = in_round()
    evening.key(DealerKey.CLAIM)
    evening.key(DealerKey.DAMAGED_CARD)
    return evening


def being_unloaded() -> Evening:
    evening = ready()
    unloading(evening, drawn=3)
    return evening


STATES: tuple[Callable[[], Evening], ...] = (
    closed,
    being_loaded,
    counting_its_load,
    ready,
    in_round,
    jammed,
    with_a_claim_and_a_damaged_card,
    being_unloaded,
)
"""How a table comes to stand where the fingers find it."""

ANY_KEYS = st.lists(st.integers(0, 11), min_size=1, max_size=12)
PEOPLE_AND_STRANGERS = st.sampled_from((*PEOPLE, 0, 7, 9999))
PINS = st.sampled_from([pin for pin, _ in PEOPLE.values()] + ["000111", "123456"])
VALUES = st.one_of(st.integers(0, 4), st.sampled_from((77, 1101, 2407, 9101, 99999, 201, 102)))


class Fingers(RuleBasedStateMachine):
    """Hands at the keypad and at the dealer's keys; cards are pulled, controllers start anew, time goes by."""

    def __init__(self) -> None:
        super().__init__()
        self.looked = 0
        self.proven: int | None = None

    @initialize(state=st.sampled_from(STATES))
    def begin(self, state: Callable[[], Evening]) -> None:
        self.evening = state()
        self.looked = self.evening.state.record

    @rule(keys=ANY_KEYS)
    def any_keys(self, keys: list[int]) -> None:
        self.evening.press(*keys)

    @rule(person=PEOPLE_AND_STRANGERS, pin=PINS)
    def a_pin_that_may_be_his(self, person: int, pin: str) -> None:
        self.evening.identify(person, pin)

    @rule(person=st.sampled_from(tuple(PEOPLE)), step=st.sampled_from(tuple(STEPS)), value=VALUES)
    def a_step(self, person: int, step: Trigger, value: int) -> None:
        self.evening.act(person, step, value)

    @rule(step=st.sampled_from(tuple(STEPS)), value=VALUES)
    def a_second_step_without_a_pin(self, step: Trigger, value: int) -> None:
        self.evening.enter(STEPS[step].number)
        self.evening.enter(value)

    @rule(keys=st.lists(st.sampled_from(tuple(DealerKey)), min_size=1, max_size=3))
    def dealers_keys(self, keys: list[DealerKey]) -> None:
        for key in keys:
            self.evening.key(key)

    @rule(seconds=st.sampled_from((0.01, 1, 40, 400)))
    def time_goes_by(self, seconds: float) -> None:
        self.evening.press(Key.CLEAR)
        self.evening.table.wait(seconds)

    @rule(device=st.sampled_from(("keypad", "shoe")))
    def a_cable_blinks(self, device: str) -> None:
        self.evening.table.unplug(device)
        self.evening.table.wait(0.5)
        self.evening.table.replug(device)
        self.evening.table.wait(3)

    @rule()
    def the_controller_starts_anew(self) -> None:
        self.evening.table.start_controller()
        self.evening.table.wait(3)

    @rule()
    def somebody_pulls(self) -> None:
        held = bool(why_not_deal(self.evening.state)) and self.evening.session not in RELEASED_OTHERWISE
        self.evening.table.wait(3.5)
        card = self.evening.hands.pull_card()
        self.evening.table.wait(0.2)
        if held and why_not_deal(self.evening.state):
            assert card is None, "what is held is held"

    @invariant()
    def no_step_without_its_right(self) -> None:
        """Each act is that of a person who proved just before who he is, and one that his role may take."""
        if not hasattr(self, "evening"):
            return
        records = self.evening.table.store.records()[self.looked :]
        self.looked += len(records)
        for record in records:
            logged = Logged.from_body(record.body)
            event = logged.event
            if isinstance(event, Identified):
                assert PEOPLE[event.person][1] is event.role
                self.proven = event.person
            elif isinstance(event, Acted):
                assert event.person == self.proven, f"record {record.number}: no PIN opened this act"
                self.proven = None
                changes = [one for one in logged.decision.changes if not isinstance(one, c.Refused)]
                assert not changes or STEPS[event.step].role is event.role, f"record {record.number}: not his step"
            assert not A_PIN.search(record.body), "a PIN is in the journal"

    @invariant()
    def the_screen_can_be_drawn(self) -> None:
        if hasattr(self, "evening"):
            assert screen(self.evening).record == self.evening.state.record


A_PIN = re.compile(rb"(?<![0-9])(%s)(?![0-9])" % "|".join(pin for pin, _ in PEOPLE.values()).encode())
"""Any of the PINs, as a number of its own: a time in nanoseconds may hold its digits by chance."""

RELEASED_OTHERWISE = ("unloading", "reading_deck")
"""States of a session in which cards come out for another purpose than to be played."""


@pytest.mark.clause("SB-3", "SB-2")
@pytest.mark.timeout(7_200 if FULL else 120)
class TestFingers(Fingers.TestCase):  # type: ignore[name-defined,misc]
    settings = settings(
        max_examples=2_000 if FULL else 20,
        stateful_step_count=30,
        suppress_health_check=[HealthCheck.too_slow],
    )
