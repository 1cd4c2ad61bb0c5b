"""Hold, release as a lease, lapse (rules 20 to 28)."""

from __future__ import annotations

import pytest

from drivers.cards import Face
from drivers.errors import LocalProtocolError
from drivers.protocol import messages as m
from drivers.protocol import notices as n
from tests.protocol.bench import LINK, MEMORY, Bench

DEAL, UNLOAD, VERIFY = m.Purpose.DEAL, m.Purpose.UNLOAD, m.Purpose.VERIFY


def hold(revision: int, link: int = LINK) -> m.SetLevel:
    return m.SetLevel(link, m.Level.HOLD, revision, 1)


@pytest.fixture
def bench() -> Bench:
    """A link just opened: hold revision 1 sent, nothing released, one heartbeat heard."""
    made = Bench()
    made.open()
    made.beat()
    return made


def release(bench: Bench, purpose: m.Purpose = DEAL) -> list[m.Message]:
    return bench.order(n.Release(purpose, LINK, bench.beats)).sent


@pytest.mark.rule(20)
@pytest.mark.rule(21)
def test_an_opening_begins_with_a_hold_of_revision_1() -> None:
    assert Bench().open().sent == [hold(1)]


def test_a_device_that_cannot_hold_is_neither_held_nor_released() -> None:
    bench = Bench(kind=m.Kind.LAMP)
    assert bench.open(kind=m.Kind.LAMP, capabilities=m.Capability.SHOWS_LAMP).sent == []
    bench.beat(hold_revision=0)
    assert bench.order(n.HoldNow(), n.Release(DEAL, LINK, 1)).sent == []


@pytest.mark.rule(28)
def test_a_hold_leaves_in_the_step_that_orders_it(bench: Bench) -> None:
    assert bench.order(n.HoldNow()).sent == [hold(2)]


@pytest.mark.rule(29)
def test_a_hold_is_sent_again_until_a_heartbeat_shows_it(bench: Bench) -> None:
    bench.order(n.HoldNow())
    assert bench.beat(hold_revision=1).sent == [hold(2)]
    assert bench.beat(hold_revision=1).sent == [hold(2)]
    assert bench.beat(hold_revision=2).sent == []


@pytest.mark.rule(21)
@pytest.mark.rule(23)
def test_every_hold_and_every_release_takes_the_next_revision(bench: Bench) -> None:
    assert release(bench) == [m.Lease(LINK, 2, DEAL, 1)]
    assert bench.order(n.HoldNow()).sent == [hold(3)]
    bench.beat(hold_revision=3)
    assert release(bench) == [m.Lease(LINK, 4, DEAL, 2)]


@pytest.mark.rule(21)
def test_every_link_counts_from_1_again_whatever_the_device_shows(bench: Bench) -> None:
    bench.order(n.HoldNow(), n.HoldNow())
    bench.disconnect()
    bench.connect()
    assert bench.answer(link=LINK + 1).sent == [hold(1, LINK + 1)]
    bench.beat(link=LINK + 1, hold_revision=9)
    assert bench.order(n.HoldNow()).sent == [hold(2, LINK + 1)]


@pytest.mark.rule(23)
def test_a_renewal_keeps_the_revision_and_names_its_heartbeat(bench: Bench) -> None:
    release(bench)
    for number in (2, 3, 4):
        bench.beat(hold_revision=2, held=False)
        assert release(bench) == [m.Lease(LINK, 2, DEAL, number)]


@pytest.mark.rule(23)
def test_another_purpose_is_another_revision(bench: Bench) -> None:
    release(bench, DEAL)
    bench.beat(hold_revision=2, held=False)
    assert release(bench, UNLOAD) == [m.Lease(LINK, 3, UNLOAD, 2)]
    bench.beat(hold_revision=3, held=False)
    assert release(bench, VERIFY) == [m.Lease(LINK, 4, VERIFY, 3)]


@pytest.mark.rule(25)
@pytest.mark.rule(29)
def test_no_lease_leaves_unless_it_is_ordered(bench: Bench) -> None:
    release(bench)
    for shown in (1, 1, 2):
        assert bench.beat(hold_revision=shown, held=shown == 1).sent == []


@pytest.mark.rule(29)
def test_a_lost_release_is_made_good_by_the_next_lease(bench: Bench) -> None:
    release(bench)
    bench.beat(hold_revision=1)
    assert release(bench) == [m.Lease(LINK, 2, DEAL, 2)]


@pytest.mark.rule(25)
def test_a_heartbeat_is_answered_once(bench: Bench) -> None:
    assert release(bench)
    assert release(bench) == []


@pytest.mark.rule(24)
@pytest.mark.rule(25)
def test_a_lease_names_the_heartbeat_that_it_answers_and_no_newer_one(bench: Bench) -> None:
    bench.beat()
    bench.beat()
    assert bench.order(n.Release(DEAL, LINK, 2)).sent == [m.Lease(LINK, 2, DEAL, 2)]
    assert bench.order(n.Release(DEAL, LINK, 1)).sent == [], "older than one answered"


@pytest.mark.parametrize("heartbeat", [0, 2, 900])
def test_a_heartbeat_never_heard_is_not_answered(bench: Bench, heartbeat: int) -> None:
    assert bench.order(n.Release(DEAL, LINK, heartbeat)).sent == []


@pytest.mark.rule(25)
@pytest.mark.rule(27)
def test_only_heartbeats_heard_in_this_link_are_answered(bench: Bench) -> None:
    """One of an earlier link may have a number between those heard in this one."""
    bench.disconnect()
    bench.open(link=LINK + 1)
    bench.beat(link=LINK + 1, number=40)
    bench.beat(link=LINK + 1, number=42)
    for number in (1, 39, 41, 43):
        assert bench.order(n.Release(DEAL, LINK + 1, number)).sent == []
    assert bench.order(n.Release(DEAL, LINK + 1, 42)).sent == [m.Lease(LINK + 1, 2, DEAL, 42)]


@pytest.mark.rule(24)
def test_a_heartbeat_too_old_for_any_lease_is_not_answered(bench: Bench) -> None:
    for _ in range(6):
        bench.beat()
    assert bench.order(n.Release(DEAL, LINK, 1)).sent == []
    assert bench.order(n.Release(DEAL, LINK, 2)).sent == [m.Lease(LINK, 2, DEAL, 2)]


@pytest.mark.rule(27)
def test_a_release_meant_for_an_earlier_link_does_not_leave(bench: Bench) -> None:
    late = n.Release(DEAL, LINK, bench.beats)
    bench.disconnect()
    assert bench.order(late).sent == []
    bench.open(link=LINK + 1)
    assert bench.order(late).sent == []


@pytest.mark.rule(25)
@pytest.mark.rule(27)
def test_a_release_for_a_heartbeat_of_an_earlier_link_does_not_leave_though_this_link_has_one_of_its_number(
    bench: Bench,
) -> None:
    """After a boot, heartbeats are numbered from 1 again."""
    late = n.Release(DEAL, LINK, 1)
    bench.disconnect()
    bench.open(link=LINK + 1)
    bench.beat(link=LINK + 1, number=1)
    assert bench.order(late).sent == []
    assert bench.order(n.Release(DEAL, LINK + 1, 1)).sent == [m.Lease(LINK + 1, 2, DEAL, 1)]


@pytest.mark.rule(27)
def test_nothing_is_released_before_the_events_of_the_hello_are_journalled() -> None:
    bench = Bench()
    bench.open(last=2)
    bench.event(1, m.LidMoved(open=True))
    bench.beat(last=2)
    assert release(bench) == []
    bench.event(2, m.LidMoved(open=False))
    bench.beat(last=2)
    assert release(bench) == [], "taken, but not flushed"
    bench.order(n.AckEvents(2, MEMORY))
    assert release(bench) == [m.Lease(LINK, 2, DEAL, 2)]


@pytest.mark.rule(20)
def test_a_release_does_not_outlive_its_link(bench: Bench) -> None:
    release(bench)
    bench.disconnect()
    assert bench.open(link=LINK + 1).sent == [hold(1, LINK + 1)]
    assert bench.beat(link=LINK + 1, hold_revision=0).sent == [hold(1, LINK + 1)]


# ---- lapse


@pytest.mark.rule(26)
def test_a_lapse_shown_by_a_heartbeat_spends_the_revision(bench: Bench) -> None:
    release(bench)
    told = bench.beat(hold_revision=2, lapsed=True)
    assert told.only(n.HeartbeatHeard) == [n.HeartbeatHeard(LINK, 2, held=True, lapsed=True)]
    assert release(bench) == []
    bench.beat(hold_revision=2, lapsed=True)
    assert release(bench, UNLOAD) == []


@pytest.mark.rule(26)
def test_a_lapse_told_by_an_event_spends_the_revision(bench: Bench) -> None:
    release(bench)
    assert bench.event(1, m.Lapsed(LINK, 2)).only(n.EventTold) == [n.EventTold(1, m.Lapsed(LINK, 2))]
    bench.beat(hold_revision=2, last=1)
    assert release(bench) == []


@pytest.mark.rule(26)
def test_after_a_lapse_a_hold_makes_room_for_a_new_release(bench: Bench) -> None:
    release(bench)
    bench.beat(hold_revision=2, lapsed=True)
    assert bench.order(n.HoldNow()).sent == [hold(3)]
    bench.beat(hold_revision=3)
    assert release(bench) == [m.Lease(LINK, 4, DEAL, 3)]


@pytest.mark.rule(22)
@pytest.mark.rule(26)
def test_a_lapse_already_answered_by_a_hold_is_not_told_again(bench: Bench) -> None:
    """Heartbeats sent before the hold arrived still show it."""
    release(bench)
    bench.beat(hold_revision=2, lapsed=True)
    bench.order(n.HoldNow())
    (heard,) = bench.beat(hold_revision=2, lapsed=True).only(n.HeartbeatHeard)
    assert not heard.lapsed


@pytest.mark.rule(22)
def test_a_late_lapse_of_an_earlier_release_spends_nothing(bench: Bench) -> None:
    release(bench)
    bench.order(n.HoldNow())
    bench.beat(hold_revision=3)
    release(bench)
    (told,) = bench.event(1, m.Lapsed(LINK, 2)).only(n.EventTold)
    assert not told.current
    bench.beat(hold_revision=4, held=False, last=1)
    assert release(bench) == [m.Lease(LINK, 4, DEAL, 3)]


@pytest.mark.rule(22)
@pytest.mark.rule(26)
def test_a_late_heartbeat_that_shows_an_earlier_lapse_spends_nothing(bench: Bench) -> None:
    release(bench)
    bench.order(n.HoldNow())
    bench.beat(hold_revision=3)
    release(bench)
    (heard,) = bench.beat(hold_revision=2, lapsed=True).only(n.HeartbeatHeard)
    assert not heard.lapsed
    assert release(bench) == [m.Lease(LINK, 4, DEAL, 3)]


# ---- hold confirmed


@pytest.mark.rule(22)
@pytest.mark.parametrize(
    ("link", "revision", "current"), [(LINK, 3, True), (LINK, 1, False), (LINK, 2, False), (LINK + 1, 3, False)]
)
def test_only_the_present_hold_of_the_present_link_is_confirmed(
    bench: Bench, link: int, revision: int, current: bool
) -> None:
    release(bench)
    bench.order(n.HoldNow())
    body = m.HoldConfirmed(link, revision)
    assert bench.event(1, body).only(n.EventTold) == [n.EventTold(1, body, current=current)]


@pytest.mark.rule(22)
def test_no_confirmation_is_believed_while_a_release_is_wanted(bench: Bench) -> None:
    release(bench)
    for number, revision in ((1, 1), (2, 2)):
        (told,) = bench.event(number, m.HoldConfirmed(LINK, revision)).only(n.EventTold)
        assert not told.current


@pytest.mark.rule(22)
def test_events_lost_while_a_confirmation_is_awaited_have_it_asked_for_anew(bench: Bench) -> None:
    assert bench.event(1, m.EventsLost(3)).sent == [hold(2)]
    assert bench.event(2, m.HoldConfirmed(LINK, 2)).only(n.EventTold)[0].current
    assert bench.event(3, m.EventsLost(1)).sent == [], "confirmed: nothing to ask for"


@pytest.mark.rule(22)
def test_events_lost_do_not_hold_a_released_table_by_themselves(bench: Bench) -> None:
    """Whether to hold is the controller's to decide."""
    release(bench)
    assert bench.event(1, m.EventsLost(3)).sent == []


def test_cards_are_current_whatever_their_purpose(bench: Bench) -> None:
    body = m.CardDrawn(0, Face(1))
    assert bench.event(1, body).only(n.EventTold) == [n.EventTold(1, body, current=True)]


def test_a_hold_is_no_level_to_want(bench: Bench) -> None:
    with pytest.raises(LocalProtocolError, match="HoldNow"):
        bench.order(n.Want(m.Level.HOLD, 1))
