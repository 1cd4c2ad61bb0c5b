"""What each purpose of a release lets through: the game, unloading, verification."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.cards import UNREAD
from drivers.protocol import messages as m
from sim_hardware.registry import default_identities
from tests.sim.host import DEAL, FAST, UNLOAD, VERIFY, Rig, pulls


def test_verify_draws_the_shoes_tray_through_the_reader_and_gives_the_dealer_nothing() -> None:
    rig = Rig()
    rig.ready()
    pulls(rig, 3)
    drawn = list(rig.table.on_table)
    rig.release("shoe", VERIFY)
    rig.table.put_in_shoe_tray(drawn)
    assert rig.table.pull_card() is None
    rig.run(0.5)
    assert rig.table.pull_card() is None
    out = rig.table.take_shoe_output()
    assert [card.face for card in out] == [card.face for card in drawn]
    verified = [body for body in rig.bodies("shoe", m.CardDrawn) if body.purpose == VERIFY]
    assert [body.face for body in verified] == [card.face for card in out]
    trays = [body.occupied for body in rig.bodies("shoe", m.TrayChanged)]
    assert trays == [True, False]


@pytest.mark.parametrize("purpose", [DEAL, VERIFY])
def test_of_a_card_that_lies_face_up_the_shoes_reader_sees_no_face_until_a_hand_turns_it(purpose: m.Purpose) -> None:
    rig = Rig()
    rig.ready()
    for card in rig.table.all_cards():
        card.boxed = True
    pulls(rig, 1)
    [card] = rig.table.on_table
    if purpose is VERIFY:
        card.boxed = False
        rig.release("shoe", VERIFY)
        rig.table.put_in_shoe_tray([card])
        rig.run(1)
    last = rig.bodies("shoe", m.CardDrawn)[-1]
    assert last == m.CardDrawn(purpose, UNREAD if purpose is DEAL else card.face)


@pytest.mark.parametrize("reads", [True, False])
def test_a_machine_with_a_reader_at_its_intake_tells_each_face_and_one_without_tells_none(reads: bool) -> None:
    usual = default_identities()
    machine = usual["shuffler"].fitted({m.Capability.READS_FACES: reads})
    rig = Rig(replace(FAST, identities={**usual, "shuffler": machine}))
    laid = [card.face for card in rig.table.box]
    rig.ready()
    told = [body.face for body in rig.bodies("shuffler", m.CardIn)]
    assert sorted(told) == (sorted(laid) if reads else [UNREAD] * len(laid))


def test_a_machine_that_cannot_shut_its_intake_takes_whatever_is_laid_there() -> None:
    usual = default_identities()
    machine = usual["shuffler"].fitted({m.Capability.CAN_SHUT_INTAKE: False})
    rig = Rig(replace(FAST, identities={**usual, "shuffler": machine}))
    rig.open("shuffler")
    rig.table.put_in_intake_tray(rig.table.box[:5])
    rig.run(1)
    assert not rig.table.mechanism.intake_tray


def test_the_shoes_own_tray_moves_only_to_verify() -> None:
    rig = Rig()
    rig.ready()
    rig.table.pull_card()
    rig.table.put_in_shoe_tray(list(rig.table.on_table))
    rig.run(5)
    assert not rig.table.take_shoe_output()
    rig.hold("shoe")
    rig.run(5)
    assert not rig.table.take_shoe_output()
    assert len(rig.table.take_from_shoe_tray()) == 1


@pytest.mark.rule(6)
def test_verify_waits_at_a_full_window() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    rig.release("shoe", VERIFY)
    rig.table.put_in_shoe_tray(list(rig.table.box))
    rig.run(10)
    assert len(rig.table.mechanism.shoe_output) == 8
    rig.acking.add("shoe")
    rig.ack("shoe")
    rig.run(10)
    assert len(rig.table.mechanism.shoe_output) == 52


def test_unloading_empties_the_machine_and_says_feed_empty_once() -> None:
    rig = Rig()
    rig.ready(UNLOAD)
    came = pulls(rig, 60)
    assert came == 52
    assert [event.body for event in rig.events("shuffler")].count(m.FeedEmpty()) == 1
    kinds = [type(event.body) for event in rig.events("shuffler")]
    assert kinds.index(m.FeedEmpty) > len(kinds) - 1 - kinds[::-1].index(m.CardFed)
    assert {card.face for card in rig.table.on_table} == set(range(1, 53))


def test_an_empty_machine_released_to_unload_says_so_at_each_release() -> None:
    rig = Rig()
    rig.open("shuffler")
    rig.begin_events("shuffler")
    for _ in range(2):
        rig.release("shuffler", UNLOAD)
        rig.run(1)
    assert [event.body for event in rig.events("shuffler")].count(m.FeedEmpty()) == 2


def test_running_empty_while_dealing_is_no_feed_empty() -> None:
    rig = Rig()
    rig.ready()
    assert pulls(rig, 60) == 52
    assert m.FeedEmpty() not in [event.body for event in rig.events("shuffler")]


def test_verify_does_not_make_the_shuffler_feed() -> None:
    rig = Rig()
    rig.ready()
    rig.table.pull_card()
    rig.release("shuffler", VERIFY)
    rig.table.pull_card()
    rig.run(2)
    assert not rig.table.mechanism.mouth


@pytest.mark.parametrize("reads", [True, False])
def test_a_shoe_without_a_reader_counts_and_sees_no_face(reads: bool) -> None:
    rig = Rig(replace(FAST, identities=default_identities(reads_faces=reads)))
    rig.ready()
    card = rig.table.pull_card()
    rig.run()
    assert card is not None
    assert rig.bodies("shoe", m.CardDrawn) == [m.CardDrawn(DEAL, card.face if reads else UNREAD)]
    assert (m.Capability.READS_FACES in rig.last("shoe", m.Hello).capabilities) is reads
