"""The frames of the ``line`` dialect: the specification's bytes, and every way in which a frame can be damaged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import drivers.line
from drivers.cards import Face
from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.line import codec
from drivers.line.codec import Card, FrameDecoder, Identity, KeyPress, Message, Tray, decode, encode, frame
from drivers.protocol.messages import DealerKey

SPECIFICATION = Path(drivers.line.__file__).with_name("README.md").read_text("utf-8")
GOLDEN = re.findall(r"^([BICDTK]\S*(?: \S+)*?) {3,}((?:[0-9a-f]{2} ?)+)$", SPECIFICATION, re.M)
MEANT: dict[str, Message] = {
    "BLine Shoe,LS-0042,RF": Identity("Line Shoe", "LS-0042", simulated=False, reads_faces=True, switched_on=True),
    "ILine Shoe,LS-0042,S": Identity("Line Shoe", "LS-0042", simulated=True, reads_faces=False, switched_on=False),
    "C07": Card(Face(7), own_tray=False),
    "C00": Card(Face(0), own_tray=False),
    "D52": Card(Face(52), own_tray=True),
    "T1": Tray(occupied=True),
    "T0": Tray(occupied=False),
    "K1": KeyPress(DealerKey.ROUND_OVER),
    "K5": KeyPress(DealerKey.YES),
}
SEVEN, EIGHT = encode(Card(Face(7), own_tray=False)), encode(Card(Face(8), own_tray=False))

NAMES = st.text("ABCxyz019 ._-", min_size=1, max_size=24)
MESSAGES = st.one_of(
    st.builds(Identity, NAMES, NAMES, st.booleans(), st.booleans(), st.booleans()),
    st.builds(Card, st.integers(0, 52).map(Face), st.booleans()),
    st.builds(Tray, st.booleans()),
    st.builds(KeyPress, st.sampled_from(DealerKey)),
)


def heard(decoder: FrameDecoder, *pieces: bytes) -> list[Message]:
    """Return the messages in these bytes."""
    return [decode(text) for piece in pieces for text in decoder.feed(piece)]


def test_the_specification_shows_a_frame_of_each_kind() -> None:
    assert {text for text, _ in GOLDEN} == set(MEANT)


@pytest.mark.parametrize(("text", "shown"), GOLDEN)
def test_the_bytes_of_the_specification_are_what_is_written_and_read(text: str, shown: str) -> None:
    assert encode(MEANT[text]).hex(" ") == shown
    decoder = FrameDecoder()
    assert heard(decoder, bytes.fromhex(shown)) == [MEANT[text]]
    assert decoder.errors == 0


@given(st.lists(MESSAGES, max_size=5))
def test_what_is_written_is_read_whole_and_byte_by_byte(messages: list[Message]) -> None:
    data = b"".join(map(encode, messages))
    whole, single = FrameDecoder(), FrameDecoder()
    assert heard(whole, data) == messages
    assert heard(single, *(bytes([byte]) for byte in data)) == messages
    assert whole.errors == single.errors == 0


@pytest.mark.field("BR-023")
@pytest.mark.parametrize("split", range(1, len(SEVEN)))
def test_a_frame_in_two_pieces_is_one_message_wherever_it_is_split(split: int) -> None:
    decoder = FrameDecoder()
    assert heard(decoder, SEVEN[:split]) == []
    assert heard(decoder, b"", SEVEN[split:]) == [Card(Face(7), own_tray=False)]
    assert decoder.errors == 0


@pytest.mark.field("BR-023")
@pytest.mark.parametrize("missed", range(1, len(SEVEN)))
def test_who_connects_within_a_frame_hears_the_next_and_counts_no_fault(missed: int) -> None:
    decoder = FrameDecoder()
    assert heard(decoder, SEVEN[missed:] + EIGHT) == [Card(Face(8), own_tray=False)]
    assert decoder.errors == 0


@pytest.mark.parametrize("lost", range(len(SEVEN)))
def test_one_lost_byte_costs_one_frame_and_is_counted(lost: int) -> None:
    decoder = FrameDecoder()
    hurt = SEVEN[:lost] + SEVEN[lost + 1 :]
    told = heard(decoder, EIGHT + hurt + EIGHT + EIGHT)
    assert told == [Card(Face(8), own_tray=False)] * 3
    assert decoder.errors == 1


@pytest.mark.parametrize("at", range(len(SEVEN)))
@pytest.mark.parametrize("bit", range(8))
def test_a_single_wrong_bit_is_never_taken_for_a_card(at: int, bit: int) -> None:
    decoder = FrameDecoder()
    hurt = bytearray(SEVEN)
    hurt[at] ^= 1 << bit
    told = heard(decoder, EIGHT + hurt + EIGHT + EIGHT)
    assert Card(Face(7), own_tray=False) not in told
    assert set(told) == {Card(Face(8), own_tray=False)}
    assert decoder.errors >= 1


def test_the_check_does_not_see_two_bytes_exchanged_and_the_specification_says_so() -> None:
    assert codec.check_of(b"C12") == codec.check_of(b"C21")
    assert "`C12` and `C21` have the same check" in SPECIFICATION


def test_a_frame_without_end_is_one_fault_and_keeps_no_more_than_the_longest_text() -> None:
    decoder = FrameDecoder()
    decoder.feed(EIGHT + b"\x02")
    for _ in range(1000):
        decoder.feed(b"A" * 1000)
    assert decoder.errors == 1
    assert len(decoder._text) <= codec.MAX_TEXT
    assert heard(decoder, EIGHT) == [Card(Face(8), own_tray=False)]


def test_noise_between_frames_is_one_fault_for_each_stretch_of_it() -> None:
    decoder = FrameDecoder()
    assert len(heard(decoder, EIGHT + b"\x00\xff\x41" + EIGHT + b"\x41" + EIGHT)) == 3
    assert decoder.errors == 2


@given(st.binary(max_size=300))
def test_no_bytes_whatever_raise_or_keep_a_good_frame_from_being_heard(noise: bytes) -> None:
    decoder = FrameDecoder()
    decoder.feed(noise)
    decoder.feed(EIGHT)  # one may be lost to what was open
    assert decoder.feed(EIGHT)[-1:] == [b"C08"]


@pytest.mark.parametrize("text", [b"C53", b"C7", b"K0", b"K6", b"T2", b"B,x,R", b"IModel,S,X", b"Cxx", b"??", b"c07"])
def test_a_good_frame_of_an_unknown_text_is_the_shoes_fault(text: bytes) -> None:
    (heard_text,) = FrameDecoder().feed(frame(text))
    with pytest.raises(RemoteProtocolError):
        decode(heard_text)


@pytest.mark.parametrize("message", [Card(Face(53), own_tray=False), Identity("", "1", True, True, True)])
def test_what_the_dialect_does_not_have_is_not_written(message: Message) -> None:
    with pytest.raises(LocalProtocolError):
        encode(message)
