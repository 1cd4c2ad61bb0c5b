"""A light that says nothing is told at once what it should show, never back to back, and again every five seconds."""

from __future__ import annotations

from itertools import count

from drivers.protocol.messages import Lamp, Level
from drivers.protocol.notices import Want
from drivers.stack_light import GAP, STACK_LIGHT

DARK, STEADY, FLASHING = b"\xa0\x01\x00\xa1", b"\xa0\x01\x01\xa2", b"\xa0\x01\x12\xb3"


def test_it_is_told_at_once_whenever_its_port_opens_whatever_it_was_told_before() -> None:
    core = STACK_LIGHT.core(count(1).__next__)
    for at in (10.0, 11.0):  # within the repeat, and to the same
        assert core.connected(at).to_send == DARK
        core.disconnected(at + 0.5, "unplugged")


def test_two_changes_of_a_moment_are_two_frames_with_a_gap_between() -> None:
    core = STACK_LIGHT.core(count(1).__next__)
    core.connected(10.0)
    assert core.step(20.0, b"", [Want(Level.LAMP, Lamp.STEADY)]).to_send == STEADY
    waits = core.step(20.0, b"", [Want(Level.LAMP, Lamp.FLASHING)])
    assert (waits.to_send, waits.deadline) == (b"", 20.0 + GAP)
    assert core.step(20.0 + GAP, b"", ()).to_send == FLASHING


def test_what_it_shows_is_said_again_every_five_seconds() -> None:
    core = STACK_LIGHT.core(count(1).__next__)
    deadline = core.connected(10.0).deadline
    for at in (15.0, 20.0, 25.0):
        assert deadline == at
        assert core.step(at - 0.1, b"", ()).to_send == b""
        step = core.step(at, b"", ())
        assert (step.to_send, deadline := step.deadline) == (DARK, at + 5.0)
