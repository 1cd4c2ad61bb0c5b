"""What log and capture keep of a wire that is not sabot/1: its own frames, never what a keypad says on its cable."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from drivers.capture import Capture, read_capture
from drivers.device import Driver
from drivers.line.codec import Card, KeyPress, encode
from drivers.line.core import LineCore
from drivers.protocol import messages as m
from drivers.protocol.messages import DealerKey, Key
from drivers.protocol.notices import CaughtUp, LinkOpened
from drivers.registry import DRIVERS
from drivers.tap import Tap
from tests.sim.host import frame

PIN = (4, 8, 2, 9, 1, 5)
NO_WORD_OF_ITS_FRAMES = Driver(
    name="another make", kind=DRIVERS["line_shoe"].kind, required=m.Capability(0), bodies=frozenset(),
    levels=frozenset(), wire=LineCore,
)  # fmt: skip
OTHERS = [DRIVERS["stack_light"], DRIVERS["line_shoe"], NO_WORD_OF_ITS_FRAMES]


def opened(driver: Driver, path: Path) -> Tap:
    """Return the tap of a link of this make that is open."""
    tap = Tap(Capture(path, "lamp", "lamp", lambda: 0.0), driver.judge)
    opens(tap, driver)
    return tap


def opens(tap: Tap, driver: Driver) -> None:
    tap.opened()
    tap.received(b"")
    hello = m.Hello.of_another_wire(driver.kind, driver.required, 1, 1, model="other")
    tap.told([LinkOpened(hello, memory_lost=False, behind=False), CaughtUp()])


def comes(tap: Tap, *pieces: bytes) -> None:
    for piece in pieces:
        tap.received(piece)
        tap.told([])


def written(tap: Tap, path: Path) -> bytes:
    """All that is readable in log and capture."""
    kept = [entry.hex for entry in read_capture(path) if entry.what == "in"]
    return bytes.fromhex("".join(kept + [piece[1:] for piece in tap.pieces if "bytes" not in piece]))


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("driver", OTHERS, ids=lambda driver: driver.name)
@pytest.mark.parametrize("cut", [1, 7, 1000])
def test_a_keypads_strokes_are_kept_on_no_other_wire(driver: Driver, cut: int, tmp_path: Path) -> None:
    """Its cable is on the adapter of a device whose link stays open without heartbeats."""
    tap = opened(driver, tmp_path / "lamp.jsonl")
    typed = b"".join(frame(m.Stroke(7, at, 1, key)) for at, key in enumerate([*PIN, Key.ENTER], start=1))
    comes(tap, *(typed[at : at + cut] for at in range(0, len(typed), cut)))
    assert written(tap, tmp_path / "lamp.jsonl") == b""
    masked = sum(entry.masked for entry in read_capture(tmp_path / "lamp.jsonl"))
    assert masked == len(typed), "how much came is told"


@pytest.mark.parametrize("cut", [1, 3, 1000])
def test_a_line_shoes_own_frames_are_kept_whole_and_what_is_none_by_its_length(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "shoe.jsonl"
    tap = opened(DRIVERS["line_shoe"], path)
    frames = [encode(Card(7, own_tray=False)), encode(KeyPress(DealerKey.YES)), encode(Card(52, own_tray=True))]
    noise = bytes(Random(1).choices(range(0x80, 0x100), k=20))
    stream = frames[0] + noise + frames[1] + frames[2]
    comes(tap, *(stream[at : at + cut] for at in range(0, len(stream), cut)))
    entries = [entry for entry in read_capture(path) if entry.what == "in"]
    assert bytes.fromhex("".join(entry.hex for entry in entries)) == b"".join(frames)
    assert sum(entry.masked for entry in entries) == len(noise)


def test_half_a_frame_of_the_link_before_makes_none_with_what_comes_over_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "shoe.jsonl"
    tap = opened(DRIVERS["line_shoe"], path)
    frame = encode(Card(7, own_tray=False))
    comes(tap, frame[:3])
    opens(tap, DRIVERS["line_shoe"])
    comes(tap, frame[3:])
    assert written(tap, path) == b""


def test_before_its_hello_a_line_shoes_frames_are_kept_by_their_length_too(tmp_path: Path) -> None:
    path = tmp_path / "shoe.jsonl"
    tap = Tap(Capture(path, "shoe", "line_shoe", lambda: 0.0), DRIVERS["line_shoe"].judge)
    tap.opened()
    comes(tap, encode(Card(7, own_tray=False)))
    assert written(tap, path) == b""


def test_a_light_that_never_speaks_shows_nothing_of_what_comes(tmp_path: Path) -> None:
    tap = opened(DRIVERS["stack_light"], tmp_path / "lamp.jsonl")
    comes(tap, b"\xa0\x01\x01\xa2")
    assert tap.pieces == ["<4 bytes"]
    assert written(tap, tmp_path / "lamp.jsonl") == b""


@pytest.mark.parametrize("name", DRIVERS)
def test_whoever_does_not_speak_sabot1_has_a_judge(name: str) -> None:
    driver = DRIVERS[name]
    assert (driver.judge is None) == (name not in {"line_shoe", "stack_light", "usb_keypad"})
