"""Hold, release, lease and lapse, proven by pulling at the shoe's mouth."""

from __future__ import annotations

import pytest

from drivers.cards import UNREAD
from drivers.protocol import messages as m
from tests.sim.host import DEAL, UNLOAD, Rig, pulls


@pytest.mark.rule(20)
def test_released_each_pull_brings_a_card() -> None:
    rig = Rig()
    rig.ready()
    assert pulls(rig, 10) == 10
    assert len(rig.bodies("shoe", m.CardDrawn)) == 10


@pytest.mark.rule(20, 22)
def test_after_a_hold_no_card_comes_however_often_one_pulls() -> None:
    rig = Rig()
    rig.ready()
    assert pulls(rig, 3) == 3
    rig.hold("shoe")
    assert pulls(rig) == 0
    assert rig.table.mechanism.mouth


@pytest.mark.rule(20)
def test_a_held_shuffler_feeds_nothing_to_a_released_shoe() -> None:
    rig = Rig()
    rig.ready()
    rig.hold("shuffler")
    # Only the card that lay at the mouth already.
    assert pulls(rig) == 1
    assert not rig.table.mechanism.mouth


@pytest.mark.rule(20)
@pytest.mark.parametrize("device", ["shuffler", "shoe"])
def test_a_boot_holds(device: str) -> None:
    rig = Rig()
    rig.ready()
    rig.renewing.pop(device)
    rig.table.reboot(device)
    assert pulls(rig) <= (device == "shuffler")
    assert rig.last(device, m.Heartbeat).held


@pytest.mark.rule(20)
def test_a_command_under_way_stops_delivery_and_is_no_hold() -> None:
    rig = Rig()
    rig.ready()
    rig.say("shuffler", m.Command(rig.links["shuffler"], 5, m.Operation.INVENTORY, 0))
    assert rig.table.pull_card() is not None
    fed = len(rig.bodies("shuffler", m.CardFed))
    rig.run(0.3)
    assert rig.table.pull_card() is None
    assert len(rig.bodies("shuffler", m.CardFed)) == fed
    rig.run(0.3)
    assert rig.table.pull_card() is not None
    assert not rig.last("shuffler", m.Heartbeat).held


@pytest.mark.rule(21)
def test_a_level_of_the_same_or_a_lower_revision_is_dropped() -> None:
    rig = Rig()
    rig.open("lamp")
    link = rig.links["lamp"]
    rig.say("lamp", m.SetLevel(link, m.Level.LAMP, 5, m.Lamp.FLASHING))
    rig.say("lamp", m.SetLevel(link, m.Level.LAMP, 5, m.Lamp.OFF), m.SetLevel(link, m.Level.LAMP, 4, m.Lamp.OFF))
    assert rig.table.lamp_shown is m.Lamp.FLASHING
    assert rig.heartbeat("lamp").lamp_revision == 5


@pytest.mark.rule(21)
def test_each_level_has_its_own_revision() -> None:
    rig = Rig()
    rig.open("shuffler")
    link = rig.links["shuffler"]
    rig.say("shuffler", m.SetLevel(link, m.Level.LAMP, 9, 1), m.SetLevel(link, m.Level.LID, 1, 1))
    assert rig.table.open_lid()


@pytest.mark.rule(22)
def test_hold_confirmed_names_link_and_revision_and_follows_the_last_card() -> None:
    rig = Rig()
    rig.ready()
    assert rig.table.pull_card() is not None
    rig.hold("shoe")
    *_, drawn, confirmed = rig.events("shoe")
    assert isinstance(drawn.body, m.CardDrawn)
    assert confirmed.body == m.HoldConfirmed(rig.links["shoe"], rig.revisions["shoe", m.Level.HOLD])


@pytest.mark.rule(22)
def test_each_new_hold_is_confirmed_though_held_already() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    rig.hold("shoe")
    rig.hold("shoe")
    assert [body.revision for body in rig.bodies("shoe", m.HoldConfirmed)] == [1, 2, 3]


@pytest.mark.rule(23)
def test_a_lease_of_the_revision_of_a_hold_does_not_release() -> None:
    rig = Rig()
    rig.ready()
    rig.hold("shoe")
    rig.say("shoe", rig.lease("shoe", DEAL, rig.heartbeat("shoe").number))
    assert pulls(rig) == 0


@pytest.mark.rule(23)
def test_a_lease_overtaken_by_a_hold_does_not_release() -> None:
    rig = Rig()
    rig.ready()
    late = m.Lease(rig.links["shoe"], rig.revisions["shoe", m.Level.HOLD] + 1, DEAL, rig.heartbeat("shoe").number)
    rig.revisions["shoe", m.Level.HOLD] += 1
    rig.hold("shoe")
    rig.say("shoe", late)
    assert pulls(rig) == 0


@pytest.mark.rule(23)
def test_a_renewal_for_another_purpose_is_dropped() -> None:
    rig = Rig()
    rig.ready()
    rig.renewing["shoe"] = UNLOAD
    rig.run(3.1)
    assert rig.last("shoe", m.Heartbeat).lapsed


@pytest.mark.rule(23)
def test_a_new_purpose_under_a_new_revision_is_taken_and_named_by_each_card() -> None:
    rig = Rig()
    rig.ready()
    rig.table.pull_card()
    rig.release("shoe", UNLOAD)
    rig.release("shuffler", UNLOAD)
    rig.run(0.1)
    rig.table.pull_card()
    rig.run(0.1)
    assert [body.purpose for body in rig.bodies("shoe", m.CardDrawn)] == [DEAL, UNLOAD]
    assert rig.bodies("shuffler", m.CardFed)[-1].purpose == UNLOAD


@pytest.mark.rule(24)
def test_a_lease_ends_3_s_after_the_heartbeat_that_it_names_was_sent_however_late_it_came() -> None:
    rig = Rig()
    rig.ready()
    rig.hold("shoe")
    heartbeat = rig.heartbeat("shoe")
    sent = rig.time
    rig.run(2.4)
    rig.revisions["shoe", m.Level.HOLD] += 1
    rig.say("shoe", rig.lease("shoe", DEAL, heartbeat.number))
    rig.run(sent + 2.9 - rig.time)
    assert rig.table.pull_card() is not None
    rig.run(sent + 3.0 - rig.time)
    assert rig.table.mechanism.mouth
    assert rig.table.pull_card() is None


@pytest.mark.rule(24)
def test_a_lease_that_names_a_heartbeat_of_3_s_ago_or_none_ever_sent_is_dropped() -> None:
    rig = Rig()
    rig.ready()
    rig.hold("shoe")
    heartbeat = rig.heartbeat("shoe")
    rig.run(3.0)
    rig.revisions["shoe", m.Level.HOLD] += 1
    rig.say("shoe", rig.lease("shoe", DEAL, heartbeat.number))
    rig.say("shoe", rig.lease("shoe", DEAL, heartbeat.number + 1000))
    assert rig.table.pull_card() is None
    assert rig.heartbeat("shoe").hold_revision == rig.revisions["shoe", m.Level.HOLD] - 1


@pytest.mark.rule(24)
def test_a_renewal_never_shortens() -> None:
    rig = Rig()
    rig.ready()
    rig.renewing.pop("shoe")
    older = rig.heartbeat("shoe")
    rig.run(1.0)
    newer = rig.last("shoe", m.Heartbeat)
    sent = rig.time
    rig.say("shoe", rig.lease("shoe", DEAL, newer.number), rig.lease("shoe", DEAL, older.number))
    rig.run(sent + 2.9 - rig.time)
    assert rig.table.pull_card() is not None


@pytest.mark.rule(24, 2)
def test_a_heartbeat_of_an_earlier_link_cannot_be_named() -> None:
    rig = Rig()
    rig.ready()
    before = rig.heartbeat("shoe")
    rig.renewing.pop("shoe")
    rig.open("shoe")
    rig.revisions["shoe", m.Level.HOLD] = 1
    rig.say("shoe", rig.lease("shoe", DEAL, before.number))
    assert rig.table.pull_card() is None


@pytest.mark.rule(26)
def test_a_lapse_holds_is_told_and_spends_the_revision() -> None:
    rig = Rig()
    rig.ready()
    rig.renewing.pop("shoe")
    rig.run(3.1)
    assert pulls(rig, 4) == 0
    revision = rig.revisions["shoe", m.Level.HOLD]
    assert rig.last("shoe", m.Event).body == m.Lapsed(rig.links["shoe"], revision)
    heartbeat = rig.heartbeat("shoe")
    assert heartbeat.lapsed
    assert heartbeat.held
    rig.say("shoe", rig.lease("shoe", DEAL, heartbeat.number))
    assert pulls(rig, 4) == 0
    rig.release("shoe", DEAL)
    assert rig.table.pull_card() is not None
    assert not rig.heartbeat("shoe").lapsed


@pytest.mark.rule(26)
def test_a_hold_after_a_lapse_ends_the_lapse_and_is_confirmed() -> None:
    rig = Rig()
    rig.ready()
    rig.renewing.pop("shoe")
    rig.run(3.1)
    rig.hold("shoe")
    heartbeat = rig.heartbeat("shoe")
    assert heartbeat.held
    assert not heartbeat.lapsed
    assert isinstance(rig.last("shoe", m.Event).body, m.HoldConfirmed)


@pytest.mark.rule(24)
def test_who_steps_too_late_gets_no_card_after_the_lease() -> None:
    rig = Rig()
    rig.ready()
    rig.renewing.clear()
    fed = len(rig.bodies("shuffler", m.CardFed))
    rig.table.pull_card()
    rig.time += 30
    rig.run()
    assert len(rig.bodies("shuffler", m.CardFed)) == fed
    assert rig.table.pull_card() is None


@pytest.mark.rule(29)
def test_a_device_shows_the_lower_revision_until_the_level_reaches_it() -> None:
    rig = Rig()
    rig.open("lamp")
    rig.revisions["lamp", m.Level.LAMP] = 1  # One that the line lost.
    assert rig.heartbeat("lamp").lamp_revision == 0
    rig.level("lamp", m.Level.LAMP, m.Lamp.STEADY)
    assert rig.heartbeat("lamp").lamp_revision == 2


# ---- the window


@pytest.mark.rule(6)
def test_a_full_window_shuts_the_gate_and_an_ack_opens_it_without_a_new_release() -> None:
    rig = Rig()
    rig.ready()
    rig.acking.discard("shoe")
    assert pulls(rig, 12) == 8
    assert not rig.last("shoe", m.Heartbeat).held
    rig.ack("shoe")
    assert rig.table.pull_card() is not None


@pytest.mark.rule(6)
def test_the_gate_stays_shut_if_the_lease_ran_out_while_the_window_was_full() -> None:
    rig = Rig()
    rig.ready()
    rig.acking.discard("shoe")
    assert pulls(rig, 12) == 8
    rig.renewing.pop("shoe")
    rig.run(3.1)
    rig.ack("shoe")
    assert rig.table.pull_card() is None


@pytest.mark.rule(6)
def test_a_full_window_stops_intake_and_feed_and_each_ack_lets_as_many_through() -> None:
    rig = Rig()
    rig.open("shuffler")
    rig.begin_events("shuffler")
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.put_in_intake_tray(rig.table.box[:30])
    rig.run(5)
    assert len(rig.table.mechanism.intake_tray) == 22
    first_card = next(event.number for event in rig.events("shuffler") if event.body == m.CardIn(UNREAD))
    rig.ack("shuffler", first_card + 2)
    rig.run(5)
    assert len(rig.table.mechanism.intake_tray) == 19
    rig.release("shuffler", DEAL)
    rig.run(1)
    assert not rig.table.mechanism.mouth


@pytest.mark.rule(6)
def test_dealer_keys_and_holds_have_places_though_the_window_is_full() -> None:
    rig = Rig()
    rig.ready()
    rig.acking.discard("shoe")
    assert pulls(rig, 9) == 8
    rig.table.press_dealer_key(m.DealerKey.ROUND_OVER)
    rig.hold("shoe")
    assert [type(event.body) for event in rig.events("shoe")[-2:]] == [m.DealerKeyPressed, m.HoldConfirmed]


@pytest.mark.rule(7)
def test_events_beyond_their_places_are_dropped_and_events_lost_says_how_many() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    for _ in range(40):
        rig.table.press_dealer_key(m.DealerKey.CLAIM)
        rig.run(0.06)
    rig.run()
    assert [event.number for event in rig.events("shoe")] == list(range(1, 25))
    assert rig.last("shoe", m.Event).body == m.EventsLost(1)
    rig.ack("shoe", 1)
    assert rig.last("shoe", m.Event).body == m.EventsLost(1 + 40 - 23 - 1)
    assert rig.last("shoe", m.Event).number == 25
    rig.ack("shoe")
    rig.table.press_dealer_key(m.DealerKey.YES)
    rig.run()
    assert rig.last("shoe", m.Event).number == 26


@pytest.mark.rule(22)
def test_a_confirmation_that_found_no_place_is_had_by_a_new_hold() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    for _ in range(40):
        rig.table.press_dealer_key(m.DealerKey.CLAIM)
        rig.run(0.06)
    rig.hold("shoe")
    assert len(rig.bodies("shoe", m.HoldConfirmed)) == 1
    rig.ack("shoe", 24)
    rig.hold("shoe")
    assert rig.bodies("shoe", m.HoldConfirmed)[-1].revision == 3
