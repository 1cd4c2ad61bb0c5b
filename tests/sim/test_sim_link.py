"""The device's side of the link, rule by rule."""

from __future__ import annotations

import struct
from dataclasses import replace
from hashlib import sha256
from random import Random
from zlib import crc32

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from drivers.protocol import messages as m
from sim_hardware.equipment import Identity
from sim_hardware.lamp import LampFirmware
from tests.sim.host import DEAL, FAST, UNLOAD, Rig, frame

ALL = ("shuffler", "shoe", "keypad", "lamp")


def payloads(data: bytes) -> list[bytes]:
    return [cobs.decode(piece)[:-4] for piece in data.split(b"\0") if piece]


# ---- bytes as laid out, derived by hand and not by the codec


def test_a_device_begins_with_a_zero_and_a_heartbeat_of_no_link() -> None:
    lamp = LampFirmware(Identity(m.Kind.LAMP, m.Capability.SHOWS_LAMP, "L", "1", "f"), Random(1), 0.0)
    sent = lamp.step(0.0, b"")
    payload = struct.pack("<BIIIIIIIIIBQI", 0x82, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0b001, 0, 0)
    assert sent == b"\0" + cobs.encode(payload + struct.pack("<I", crc32(payload))) + b"\0"


def test_a_hello_stands_in_bytes_as_specified() -> None:
    lamp = LampFirmware(Identity(m.Kind.LAMP, m.Capability.SHOWS_LAMP, "L", "1", "f"), Random(1), 0.0)
    lamp.step(0.0, b"")
    (hello,) = payloads(lamp.step(0.1, frame(m.Open(1, 0x1122334455667788))))
    assert hello[:9] == bytes.fromhex("81 8877665544332211")
    link, _boot, _memory, first, last = struct.unpack_from("<IQQII", hello, 9)
    assert (link, first, last) == (lamp.link, 1, 0)
    assert hello[37:] == bytes.fromhex("01 04 10000000 08 01 01 4c 01 31 01 66") + sha256(b"L f").digest()


def test_an_event_and_a_stroke_stand_in_bytes_as_specified() -> None:
    rig = Rig()
    rig.open("keypad", "shoe")
    rig.level("keypad", m.Level.PROMPT, 5)
    rig.table.press_key(m.Key.ENTER)
    link = rig.links["keypad"]
    sent = rig.table.devices["keypad"].step(rig.time, b"")
    assert payloads(sent) == [struct.pack("<BIIIB", 0x84, link, 1, 5, 10)]
    rig.table.press_dealer_key(m.DealerKey.YES)
    link = rig.links["shoe"]
    sent = rig.table.devices["shoe"].step(rig.time, frame(m.Ask(link, 1)))
    assert payloads(sent) == [struct.pack("<BIIBBI", 0x83, link, 1, 10, 5, 0)]


@pytest.mark.parametrize("text", ["", "x" * 24])
def test_an_identity_that_a_hello_can_carry_is_taken(text: str) -> None:
    Identity(m.Kind.LAMP, m.Capability(0), text, text)


@pytest.mark.parametrize("text", ["x" * 25, "naïve", "a\nb"])
def test_an_identity_that_no_hello_can_carry_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="24 printable ASCII"):
        Identity(m.Kind.LAMP, m.Capability(0), text, "1")


# ---- opening


@pytest.mark.rule(2)
@pytest.mark.parametrize("device", ALL)
def test_every_device_says_hello_with_the_nonce_and_that_it_is_simulated(device: str) -> None:
    hello = Rig().open(device)
    assert hello.simulated
    assert hello.window == 8
    assert hello.version == m.PROTOCOL_VERSION


@pytest.mark.rule(2)
def test_an_open_with_the_nonce_in_force_is_answered_and_changes_nothing() -> None:
    rig = Rig()
    rig.ready()
    before = rig.last("shoe", m.Hello)
    rig.say("shoe", m.Open(1, before.nonce))
    assert rig.last("shoe", m.Hello).link == before.link
    assert len(rig.all("shoe", m.Hello)) == 2
    assert rig.table.pull_card() is not None


@pytest.mark.rule(2, 20)
def test_an_open_with_another_nonce_draws_a_link_holds_and_forgets_revisions_and_strokes() -> None:
    rig = Rig()
    rig.ready()
    rig.table.press_key(1)
    rig.run(0.5)
    old = dict(rig.links)
    rig.renewing.clear()
    for device in ALL:
        rig.say(device, m.Open(1, 99))
    rig.run(0.5)
    for device in ALL:
        heartbeat = rig.last(device, m.Heartbeat)
        assert heartbeat.link not in (0, old[device])
        assert heartbeat.held
        assert not heartbeat.lapsed
        assert (heartbeat.hold_revision, heartbeat.lamp_revision, heartbeat.lid_revision) == (0, 0, 0)
        assert (heartbeat.intake_revision, heartbeat.prompt_revision, heartbeat.strokes) == (0, 0, 0)
    assert rig.table.pull_card() is None


@pytest.mark.rule(2)
def test_no_event_is_sent_on_a_new_link_until_asked() -> None:
    rig = Rig()
    rig.say("shoe", m.Open(1, 7))
    rig.table.press_dealer_key(m.DealerKey.YES)
    rig.run(2)
    assert rig.last("shoe", m.Heartbeat).last == 1
    assert not rig.events("shoe")
    rig.say("shoe", m.Ask(rig.last("shoe", m.Hello).link, 1))
    assert [event.number for event in rig.events("shoe")] == [1]


@pytest.mark.rule(2)
def test_lamp_lid_and_intake_stay_through_an_opening_and_a_boot_shuts_them() -> None:
    rig = Rig()
    rig.open("shuffler", "lamp")
    for level, value in ((m.Level.LID, 1), (m.Level.LAMP, 2), (m.Level.INTAKE, 1)):
        rig.level("shuffler", level, value)
    rig.level("lamp", m.Level.LAMP, 1)
    rig.open("shuffler", "lamp")
    assert rig.table.lamp_shown is m.Lamp.STEADY
    assert rig.table.machine_lamp_shown is m.Lamp.FLASHING
    rig.table.put_in_intake_tray(rig.table.box[:1])
    rig.run(0.1)
    assert not rig.table.mechanism.intake_tray
    assert rig.table.open_lid()
    rig.table.close_lid()
    rig.table.reboot("shuffler")
    rig.table.put_in_intake_tray(rig.table.box[:1])
    rig.run(1)
    assert len(rig.table.mechanism.intake_tray) == 1
    assert not rig.table.open_lid()


@pytest.mark.rule(4)
def test_a_frame_of_another_link_is_dropped_and_counted() -> None:
    rig = Rig()
    rig.ready()
    other = rig.links["shoe"] ^ 1
    rig.acking.clear()
    assert rig.table.pull_card() is not None
    rig.run()
    kept, beat = rig.last("shoe", m.Event).number, rig.last("shoe", m.Heartbeat).number
    stray = [
        m.Ask(other, kept),
        m.Ack(other, kept),
        m.SetLevel(other, m.Level.HOLD, 100, 1),
        m.Lease(other, 101, UNLOAD, beat),
        m.Command(other, 9, m.Operation.INVENTORY, 0),
    ]
    heard = len(rig.events("shoe"))
    rig.say("shoe", *stray)
    assert rig.table.devices["shoe"].dropped["of another link"] == len(stray)
    assert len(rig.events("shoe")) == heard
    heartbeat = rig.heartbeat("shoe")
    assert heartbeat.first_kept == kept
    assert not heartbeat.held
    assert heartbeat.highest_command == 0


@pytest.mark.rule(4)
def test_before_the_first_opening_there_are_heartbeats_of_link_0_and_nothing_else() -> None:
    rig = Rig()
    rig.table.press_key(1)
    rig.table.press_dealer_key(m.DealerKey.YES)
    rig.say("shoe", m.Ask(0, 1), m.Lease(0, 1, DEAL, 1), m.SetLevel(0, m.Level.PROMPT, 1, 4))
    rig.run(2)
    for device in ALL:
        assert {type(message) for message in rig.heard[device]} == {m.Heartbeat}
        assert rig.last(device, m.Heartbeat).link == 0
    assert rig.last("shoe", m.Heartbeat).prompt_revision == 0
    assert rig.last("shoe", m.Heartbeat).held


@pytest.mark.rule(5)
def test_ids_are_drawn_anew_at_random() -> None:
    rig = Rig()
    first = rig.open("shoe")
    rig.table.press_dealer_key(m.DealerKey.YES)
    rig.table.reboot("shoe")
    kept = rig.open("shoe")
    rig.table.reboot("shoe", memory_lost=True)
    lost = rig.open("shoe")
    assert len({first.boot, kept.boot, lost.boot}) == 3
    assert len({first.link, kept.link, lost.link}) == 3
    assert kept.memory == first.memory != lost.memory
    assert (kept.first_kept, kept.last) == (1, 1)
    assert (lost.first_kept, lost.last) == (1, 0)


@pytest.mark.rule(12)
def test_a_lost_memory_shows_in_its_id_and_counts_from_1() -> None:
    rig = Rig()
    rig.ready()
    rig.table.reboot("shuffler", memory_lost=True)
    hello = rig.open("shuffler")
    assert hello.memory != rig.all("shuffler", m.Hello)[0].memory
    rig.begin_events("shuffler")
    assert rig.last("shuffler", m.Event).number == 1


# ---- events


@pytest.mark.rule(8)
def test_events_come_in_order_and_an_ask_sets_back() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    for key in m.DealerKey:
        rig.table.press_dealer_key(key)
    rig.run()
    assert [event.number for event in rig.events("shoe")] == [1, 2, 3, 4, 5, 6]
    rig.ask("shoe", 4)
    assert [event.number for event in rig.events("shoe")][6:] == [4, 5, 6]


@pytest.mark.rule(8)
def test_an_ask_for_what_is_not_kept_does_nothing() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    rig.ack("shoe")
    heard = len(rig.events("shoe"))
    for number in (1, 2, 3, 4_000_000_000):
        rig.ask("shoe", number)
    assert len(rig.events("shoe")) == heard
    rig.table.press_dealer_key(m.DealerKey.CLAIM)
    rig.run()
    assert rig.last("shoe", m.Event).number == 2


@pytest.mark.rule(2, 8)
def test_an_ask_for_what_is_not_kept_does_not_count_as_asked() -> None:
    rig = Rig()
    rig.open("shoe")  # It asks for event 1, which does not exist yet.
    rig.table.press_dealer_key(m.DealerKey.YES)
    rig.run(1)
    assert not rig.events("shoe")
    rig.ask("shoe", 1)
    assert [event.number for event in rig.events("shoe")] == [1]


@pytest.mark.rule(9)
def test_a_heartbeat_comes_each_half_second_from_boot_on_numbered_from_1() -> None:
    rig = Rig()
    rig.run(2.1)
    assert [beat.number for beat in rig.all("lamp", m.Heartbeat)] == [1, 2, 3, 4, 5]
    rig.table.reboot("lamp")
    rig.run(0.6)
    assert [beat.number for beat in rig.all("lamp", m.Heartbeat)][5:] == [1, 2]


@pytest.mark.rule(9)
def test_after_a_stall_one_heartbeat_is_sent_and_the_rhythm_stays() -> None:
    rig = Rig()
    rig.run(0.1)
    rig.time += 5.2
    rig.run()
    assert len(rig.all("lamp", m.Heartbeat)) == 2
    rig.run(0.2)
    assert len(rig.all("lamp", m.Heartbeat)) == 3


@pytest.mark.rule(9)
def test_nothing_is_sent_again_by_a_timer() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    rig.run(60)
    assert len(rig.events("shoe")) == 1


@pytest.mark.rule(9)
def test_a_heartbeat_shows_what_is_in_force() -> None:
    rig = Rig()
    rig.open("shuffler", "shoe", "keypad")
    for level in (m.Level.LAMP, m.Level.LID, m.Level.INTAKE):
        for _ in range(int(level)):
            rig.level("shuffler", level, 1)
    rig.level("shoe", m.Level.PROMPT, 77)
    rig.begin_events("shoe")
    rig.table.press_key(3)
    rig.say("shuffler", m.Command(rig.links["shuffler"], 12, m.Operation.INVENTORY, 0))
    rig.table.mechanism.lid_open = True  # The count stands still meanwhile.
    shuffler = rig.heartbeat("shuffler")
    assert (shuffler.lamp_revision, shuffler.lid_revision, shuffler.intake_revision) == (2, 3, 4)
    assert shuffler.busy
    assert shuffler.highest_command == 12
    shoe = rig.heartbeat("shoe")
    assert (shoe.first_kept, shoe.last, shoe.hold_revision, shoe.prompt_revision) == (1, 1, 1, 1)
    assert shoe.held
    assert not shoe.lapsed
    assert rig.heartbeat("keypad").strokes == 1


@pytest.mark.rule(10)
def test_an_ack_repeated_or_of_an_event_never_sent_changes_nothing() -> None:
    rig = Rig()
    rig.open("shoe")
    rig.begin_events("shoe")
    rig.ack("shoe")
    rig.table.press_dealer_key(m.DealerKey.YES)
    rig.run()
    rig.ack("shoe", 1)
    rig.ack("shoe", 3)
    heartbeat = rig.heartbeat("shoe")
    assert (heartbeat.first_kept, heartbeat.last) == (2, 2)


# ---- strokes


@pytest.mark.rule(30)
def test_strokes_are_counted_in_each_link_sent_once_and_never_kept() -> None:
    rig = Rig()
    rig.open("keypad")
    rig.level("keypad", m.Level.PROMPT, 41)
    for key in (1, 6, m.Key.ENTER):
        rig.table.press_key(key)
    rig.run(2)
    strokes = rig.all("keypad", m.Stroke)
    assert [(stroke.counter, stroke.prompt, stroke.key) for stroke in strokes] == [
        (1, 41, 1),
        (2, 41, 6),
        (3, 41, 10),
    ]
    assert rig.last("keypad", m.Heartbeat).last == 0
    rig.open("keypad")
    rig.table.press_key(2)
    rig.run()
    assert rig.last("keypad", m.Stroke).counter == 1


@pytest.mark.rule(31)
def test_a_stroke_that_the_line_lost_shows_as_a_gap_in_the_counter() -> None:
    rig = Rig()
    rig.open("keypad")
    rig.table.press_key(1)
    rig.table.devices["keypad"].step(rig.time, b"")  # What it sent reaches nobody.
    rig.table.press_key(6)
    rig.run(0.5)
    assert [stroke.counter for stroke in rig.all("keypad", m.Stroke)] == [2]
    assert rig.last("keypad", m.Heartbeat).strokes == 2


def test_strokes_pressed_before_any_link_are_heard_by_nobody_and_stored_nowhere() -> None:
    rig = Rig()
    rig.table.press_key(1)
    rig.open("keypad")
    rig.run(1)
    assert not rig.all("keypad", m.Stroke)
    assert rig.last("keypad", m.Heartbeat).strokes == 0


# ---- bad input


@pytest.mark.parametrize("damage", [b"\x05garbage\0", b"\xff" * 1000 + b"\0", frame(m.Ack(1, 1))[:-3] + b"\0"])
def test_damaged_frames_are_dropped_counted_and_harm_nothing_after_them(damage: bytes) -> None:
    rig = Rig()
    rig.say_bytes("lamp", damage)
    rig.open("lamp")
    assert rig.table.devices["lamp"].dropped["damaged"] == 1


def test_what_is_not_for_a_device_is_dropped_and_counted() -> None:
    rig = Rig()
    rig.open("lamp")
    link = rig.links["lamp"]
    rig.say("lamp", m.Stroke(link, 1, 0, 1), m.SetLevel(link, m.Level.HOLD, 1, 1), m.Lease(link, 1, DEAL, 1))
    assert rig.table.devices["lamp"].dropped["not for a device"] == 1
    assert rig.table.devices["lamp"].dropped["not of this device"] == 2
    heartbeat = rig.heartbeat("lamp")
    assert (heartbeat.hold_revision, heartbeat.held, heartbeat.lapsed) == (0, True, False)


@given(st.lists(st.binary(max_size=300)))
def test_no_bytes_whatever_break_a_device(pieces: list[bytes]) -> None:
    rig = Rig()
    for piece in pieces:
        for device in ALL:
            rig.say_bytes(device, piece)
    for device in ALL:
        rig.say_bytes(device, b"\0")
        rig.open(device)


@given(st.lists(st.integers(1, 40), max_size=30))
def test_bytes_may_come_in_any_pieces(cuts: list[int]) -> None:
    lamp = LampFirmware(Identity(m.Kind.LAMP, m.Capability.SHOWS_LAMP, "L", "1"), Random(1), 0.0)
    data = b"\0" + frame(m.Open(1, 3))
    for cut in cuts:
        lamp.step(0.0, data[:cut])
        data = data[cut:]
    lamp.step(0.0, data)
    assert lamp.link != 0


def test_an_open_of_another_version_is_answered_with_our_own() -> None:
    rig = Rig()
    rig.say("lamp", m.Open(2, 5))
    assert rig.last("lamp", m.Hello).version == 1


def test_identities_are_what_the_rig_was_fitted_with() -> None:
    identities = dict(FAST.identities)
    identities["lamp"] = replace(identities["lamp"], model="Other", serial="42")
    hello = Rig(replace(FAST, identities=identities)).open("lamp")
    assert (hello.model, hello.serial) == ("Other", "42")
