"""Anything that hands and people do, in any order: no exception, no card lost from the books, none without a right."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.asked import asked
from firmware_bridge.core.fold import digest, fold
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import Place, Session
from tests.table.evening import PEOPLE, Evening

DEEDS = 150
SENSED_LATE = 3.0
"""Seconds after which every event of a device is taken, whatever was under way."""

RELEASING = {Session.READY, Session.IN_ROUND, Session.UNLOADING, Session.READING_DECK}


def wander(evening: Evening, rng: Random) -> None:
    """One deed, drawn at random; mostly one that is asked for, so that a whole evening comes to pass."""
    hands, table = evening.hands, evening.table
    deeds: list[Callable[[], object]] = [
        lambda: hands.pull_card(),
        lambda: [hands.pull_card() or table.run(0.1) for _ in range(rng.randrange(4))],
        lambda: hands.put_in_intake_tray(_some(rng, hands.on_table)),
        lambda: hands.put_in_intake_tray(_some(rng, hands.discard)),
        lambda: hands.move(_some(rng, hands.on_table), hands.discard),
        lambda: hands.take_from_intake_tray(),
        lambda: evening.key(rng.choice(list(DealerKey)[:4])),
        lambda: evening.key(DealerKey.YES),
        lambda: evening.act(rng.choice(list(PEOPLE)), rng.choice(list(STEPS)), rng.randrange(4)),
        lambda: hands.trip_intake(rng.random() < 0.3),
        lambda: table.start_controller(),
        lambda: _blink(evening, rng.choice(["shuffler", "shoe", "keypad", "lamp"])),
        lambda: table.run(rng.random() * 20),
    ]
    if rng.random() < 0.75:
        _do_what_is_asked(evening, rng)
    else:
        rng.choice(deeds)()
    table.run(SENSED_LATE)


def _some(rng: Random, cards: list) -> list:  # type: ignore[type-arg]
    return cards[: rng.randrange(len(cards) + 1)]


def _blink(evening: Evening, name: str) -> None:
    evening.table.unplug(name)
    evening.table.run(1.0)
    evening.table.replug(name)


def _do_what_is_asked(evening: Evening, rng: Random) -> None:
    hands = evening.hands
    session = evening.session
    if session is Session.LOADING_PACK and not hands.mechanism.intake_tray and hands.box:
        hands.put_in_intake_tray(hands.box[: rng.choice([30, 60, 104, 208])])
        evening.table.run(8)
    elif session is Session.READY and rng.random() < 0.7:
        for _ in range(rng.randrange(1, 70)):
            hands.pull_card()
            evening.table.run(0.06)
    elif session is Session.RETURNING and rng.random() < 0.8:
        hands.put_in_intake_tray(hands.on_table + hands.discard)
        evening.table.run(4)
    elif session is Session.UNLOADING:
        for _ in range(250):
            hands.pull_card()
            evening.table.run(0.05)
    elif session in (Session.LID_RELEASED, Session.LID_OPEN):
        hands.open_lid()
        evening.table.run(1)
        hands.close_lid()
    elif session is Session.AWAITING_DECK and not hands.mechanism.shoe_tray:
        sorted_cards = sorted(hands.on_table + hands.discard, key=lambda card: (card.deck, card.face))
        hands.put_in_shoe_tray(sorted_cards[:52])
        evening.key(DealerKey.YES)
        evening.table.run(5)
        hands.move(hands.take_shoe_output(), hands.set_aside)
    else:
        asks = asked(evening.state, evening.table.config.book)
        due = [ask for ask in asks if ask.due]
        ask = rng.choice(due if due and rng.random() < 0.8 else asks or (None,))
        if ask is not None and ask.key is not None:
            evening.key(ask.key)
        elif ask is not None:
            person = next(number for number, (_, role) in PEOPLE.items() if role is ask.role)
            evening.act(person, ask.trigger, ask.about or rng.randrange(1, 4))


def inspect(evening: Evening) -> None:
    """What must hold at rest, after any deed."""
    state, mechanism = evening.state, evening.hands.mechanism
    if state.under_way and all(device.caught_up for device in state.devices.values()):
        inside = sum(map(len, (*mechanism.compartments, mechanism.buffer, mechanism.mouth)))
        assert inside == state.account.inside, (inside, state.account.places, state.session)
        total = sum(state.account.at(place) for place in Place if place is not Place.OVER)
        assert total == state.account.cards + state.account.at(Place.OVER)
    if why_not_deal(state) and state.session not in RELEASING:
        assert evening.hands.pull_card() is None, state.session


@pytest.mark.clause("SB-1", "SB-2", "SB-11")
@pytest.mark.parametrize("seed", range(4))
def test_whatever_people_and_hands_do_the_books_are_true_and_nothing_comes_unasked(seed: int) -> None:
    rng = Random(seed)
    evening = Evening(seed=seed)
    if seed % 3:
        evening.open_and_load()
    for _ in range(DEEDS):
        wander(evening, rng)
        inspect(evening)
    folded = fold((record.number, record.utc_ns, record.body) for record in evening.table.store.records())
    assert digest(folded) == digest(evening.state)
