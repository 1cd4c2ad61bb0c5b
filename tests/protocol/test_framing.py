"""Frames: what was sent arrives whole or not at all, whatever happened to the line."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import LocalProtocolError
from drivers.protocol import framing

PAYLOADS = st.binary(min_size=1, max_size=framing.MAX_PAYLOAD)
SAMPLE = bytes.fromhex("830d0c0b0a2d000000010125")


def test_a_frame_is_payload_check_and_zero_under_cobs() -> None:
    assert framing.encode_frame(b"123456789") == b"\x0e123456789" + bytes.fromhex("2639f4cb") + b"\0"


@given(PAYLOADS)
def test_every_payload_comes_back(payload: bytes) -> None:
    frame = framing.encode_frame(payload)
    assert frame.count(0) == 1
    assert frame.endswith(b"\0")
    assert len(frame) == len(payload) + framing.CHECK_SIZE + 2
    assert framing.FrameDecoder().feed(frame) == [payload]


@pytest.mark.parametrize("payload", [b"", bytes(framing.MAX_PAYLOAD + 1)])
def test_what_fits_no_frame_is_not_sent(payload: bytes) -> None:
    with pytest.raises(LocalProtocolError, match="bytes"):
        framing.encode_frame(payload)


@pytest.mark.parametrize("payload", [bytes(framing.MAX_PAYLOAD), b"\xff" * framing.MAX_PAYLOAD])
def test_the_longest_payload_makes_the_longest_frame(payload: bytes) -> None:
    frame = framing.encode_frame(payload)
    assert len(frame) == framing.MAX_FRAME
    assert framing.FrameDecoder().feed(frame) == [payload]


@pytest.mark.parametrize("split", range(len(SAMPLE) + 7))
def test_a_frame_may_be_cut_anywhere(split: int) -> None:
    decoder = framing.FrameDecoder()
    frame = framing.encode_frame(SAMPLE)
    assert decoder.feed(frame[:split]) + decoder.feed(frame[split:]) == [SAMPLE]
    assert decoder.errors == 0


def test_a_frame_may_come_byte_by_byte() -> None:
    decoder = framing.FrameDecoder()
    line = framing.encode_frame(SAMPLE) + framing.encode_frame(b"x")
    assert [payload for byte in line for payload in decoder.feed(bytes([byte]))] == [SAMPLE, b"x"]


def test_every_single_flipped_bit_is_found_and_costs_at_most_the_next_frame() -> None:
    frame = framing.encode_frame(SAMPLE)
    for bit in range(8 * len(frame)):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        decoder = framing.FrameDecoder()
        arrived = decoder.feed(bytes(damaged) + framing.encode_frame(b"next") + framing.encode_frame(b"after"))
        assert SAMPLE not in arrived
        assert arrived[-1] == b"after"
        assert set(arrived) <= {b"next", b"after"}
        assert decoder.errors >= 1


@pytest.mark.parametrize("lost", range(len(SAMPLE) + 5))
def test_a_lost_byte_is_found(lost: int) -> None:
    frame = framing.encode_frame(SAMPLE)
    decoder = framing.FrameDecoder()
    assert SAMPLE not in decoder.feed(frame[:lost] + frame[lost + 1 :] + b"\0")
    assert decoder.errors == 1


def test_zeros_between_frames_are_no_error() -> None:
    decoder = framing.FrameDecoder()
    assert decoder.feed(b"\0\0" + framing.encode_frame(SAMPLE) + b"\0") == [SAMPLE]
    assert (decoder.errors, decoder.latest) == (0, "")


def test_an_opening_zero_ends_a_half_frame() -> None:
    decoder = framing.FrameDecoder()
    half = framing.encode_frame(SAMPLE)[:9]
    assert decoder.feed(half + b"\0" + framing.encode_frame(b"whole")) == [b"whole"]
    assert decoder.errors == 1


@pytest.mark.parametrize(
    ("stuffed", "fault"),
    [
        (b"\x05abc", "not COBS"),
        (b"\x01", "too short"),
        (b"\x05abcd", "too short"),
        (b"\x06abcde", "wrong check"),
    ],
)
def test_a_damaged_frame_says_what_is_wrong_with_it(stuffed: bytes, fault: str) -> None:
    decoder = framing.FrameDecoder()
    assert decoder.feed(stuffed + b"\0") == []
    assert decoder.errors == 1
    assert fault in decoder.latest


def test_an_over_long_frame_is_one_error_and_the_next_one_is_read() -> None:
    decoder = framing.FrameDecoder()
    assert decoder.feed(b"\x01" * framing.MAX_FRAME) == []
    assert decoder.feed(b"\x01" * 1000) == []
    assert decoder.feed(b"\0" + framing.encode_frame(SAMPLE)) == [SAMPLE]
    assert decoder.errors == 1
    assert "longer than 202 bytes" in decoder.latest


def test_a_frame_that_never_ends_is_one_error_as_soon_as_it_is_longer_than_any_frame() -> None:
    decoder = framing.FrameDecoder()
    decoder.feed(b"\x01" * (framing.MAX_FRAME - 1))
    assert decoder.errors == 0
    for _ in range(1000):
        decoder.feed(b"\x01")
        assert decoder.errors == 1
    assert "longer than 202 bytes" in decoder.latest
    decoder.feed(b"\0" + b"\x01" * framing.MAX_FRAME)
    assert decoder.errors == 2, "the next one is another"


def test_the_buffer_never_exceeds_a_frame() -> None:
    decoder = framing.FrameDecoder()
    for size in [1, 50, 150, 201, 202, 5000] * 3:
        decoder.feed(b"\xaa" * size)
        assert len(decoder._partial) < framing.MAX_FRAME


@given(st.lists(st.binary(max_size=300), max_size=12), PAYLOADS)
def test_no_garbage_stops_the_line(garbage: list[bytes], payload: bytes) -> None:
    decoder = framing.FrameDecoder()
    for noise in garbage:
        decoder.feed(noise)
    decoder.feed(b"\0")
    assert decoder.feed(framing.encode_frame(payload)) == [payload]


@given(st.binary(max_size=600), st.lists(st.integers(0, 600), max_size=8))
def test_how_a_stream_is_cut_changes_nothing(stream: bytes, cuts: list[int]) -> None:
    whole, pieces = framing.FrameDecoder(), framing.FrameDecoder()
    edges = [0, *sorted(cuts), len(stream)]
    arrived = [payload for a, b in pairwise(edges) for payload in pieces.feed(stream[a:b])]
    assert arrived == whole.feed(stream)
    assert pieces.errors == whole.errors


def test_garbage_costs_the_same_per_byte_however_much_comes() -> None:
    def cost(size: int) -> float:
        decoder, noise = framing.FrameDecoder(), b"\x55" * 64
        start = perf_counter()
        for _ in range(size // len(noise)):
            decoder.feed(noise)
        return (perf_counter() - start) / size

    few = min(cost(16_384) for _ in range(5))
    # A buffer that grew would cost some thirty times as much here; six leaves room for a busy machine.
    assert min(cost(524_288) for _ in range(3)) < 6 * few
