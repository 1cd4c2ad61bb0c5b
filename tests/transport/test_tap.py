"""What passed over a line is kept only where its device said that it sends no strokes, and as long as that holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from drivers.capture import Capture, Entry, read_capture
from drivers.protocol.framing import END, MAX_FRAME
from drivers.protocol.messages import Capability
from drivers.protocol.notices import LinkLost, LinkOpened, LinkRefused, Notice
from drivers.tap import LAST_PIECES, Tap
from tests.transport.link_bench import HELLO

SHOE = LinkOpened(HELLO, memory_lost=False, behind=False)
KEYPAD = LinkOpened(replace(HELLO, capabilities=Capability.SENDS_STROKES), memory_lost=False, behind=False)
SECRET = b"PIN"


def hear(tap: Tap, data: bytes, *notices: Notice) -> None:
    """A piece comes, and the core tells this of it."""
    tap.received(data)
    tap.told(notices)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "link.jsonl"


@pytest.fixture
def tap(path: Path) -> Tap:
    """Of a shoe that said who it is."""
    tap = Tap(Capture(path, "shoe", "shoe", lambda: 0.0))
    tap.opened()
    hear(tap, b"hello", SHOE)
    return tap


def heard(path: Path) -> list[Entry]:
    return [entry for entry in read_capture(path) if entry.what == "in"]


def test_what_a_device_without_keys_sends_is_kept_from_its_hello_on(tap: Tap, path: Path) -> None:
    hear(tap, b"event")
    assert [bytes.fromhex(entry.hex) for entry in heard(path)] == [b"hello", b"event"]
    assert tap.pieces == ["<" + b"hello".hex(), "<" + b"event".hex()]


def test_a_lone_zero_is_in_the_capture_and_drives_nothing_out_of_the_last_pieces(tap: Tap, path: Path) -> None:
    for _ in range(LAST_PIECES):
        tap.sent(END)
    assert tap.pieces == ["<" + b"hello".hex()]
    assert [entry.hex for entry in read_capture(path) if entry.what == "out"] == [END.hex()] * LAST_PIECES


def test_of_a_frame_that_never_ends_all_is_kept_however_long_it_gets(tap: Tap, path: Path) -> None:
    pieces = [bytes([1 + piece]) * MAX_FRAME for piece in range(4)]
    for piece in pieces:
        hear(tap, piece)
    assert [bytes.fromhex(entry.hex) for entry in heard(path)][1:] == pieces


@pytest.mark.parametrize("notice", [LinkLost("silent"), LinkRefused("a toaster")])
def test_after_a_link_is_lost_or_refused_on_an_open_port_only_how_much_came_is_kept(
    tap: Tap, path: Path, notice: Notice
) -> None:
    hear(tap, b"", notice)
    hear(tap, SECRET)  # a cable was exchanged
    assert (heard(path)[-1].hex, heard(path)[-1].masked) == ("", len(SECRET))
    assert tap.pieces[-1] == f"<{len(SECRET)} bytes"


def test_a_port_that_is_opened_again_is_anybodys_until_a_hello(tap: Tap, path: Path) -> None:
    tap.closed()
    tap.opened()
    hear(tap, SECRET)
    assert (heard(path)[-1].hex, heard(path)[-1].masked) == ("", len(SECRET))


def test_of_a_keypad_neither_capture_nor_last_pieces_hold_a_byte_that_came(path: Path) -> None:
    tap = Tap(Capture(path, "keypad", "keypad", lambda: 0.0))
    tap.opened()
    hear(tap, SECRET, KEYPAD)
    hear(tap, SECRET)
    assert tap.is_keypads
    assert [(entry.hex, entry.masked) for entry in heard(path)] == [("", len(SECRET))] * 2
    assert tap.pieces == [f"<{len(SECRET)} bytes"] * 2


def test_a_hello_in_pieces_is_kept_whole_and_no_frame_that_came_before_it(path: Path) -> None:
    tap = Tap(Capture(path, "shoe", "shoe", lambda: 0.0))
    tap.opened()
    hear(tap, SECRET + b"\0hel")
    hear(tap, b"lo\0", SHOE)
    assert [bytes.fromhex(entry.hex) for entry in heard(path)] == [b"", b"hello\0"]


def test_no_more_is_kept_of_what_has_begun_than_the_longest_frame_has(path: Path) -> None:
    tap = Tap(Capture(path, "shoe", "shoe", lambda: 0.0))
    tap.opened()
    for _ in range(MAX_FRAME):
        hear(tap, SECRET)
    hear(tap, b"hello\0", SHOE)
    assert len(bytes.fromhex(heard(path)[-1].hex)) == MAX_FRAME + len(b"hello\0")
