"""The product's framing and codec against a second decoder that was written from the specification alone.

Nothing here says what is right: only that both read every frame alike, or refuse it alike, and write the same bytes.
"""

from __future__ import annotations

import json
import random
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.protocol import codec, messages
from drivers.protocol.framing import FrameDecoder, encode_frame
from tests.independent import decoder
from tests.independent.decoder import KINDS, LONGEST_COLLECTED, LONGEST_PAYLOAD, TYPES, Malformed, Message
from tests.independent.drawn import FRAME_SPOILERS, PAYLOAD_SPOILERS, SHAPES, some_message, some_messages

VECTORS = tomllib.loads((Path(__file__).parents[1] / "golden" / "vectors.toml").read_text("utf-8"))["vector"]
LARGE = ("nonce", "boot", "memory")  # the vectors have them as text where TOML's numbers do not reach
BODIES: dict[str, type[messages.Body]] = {
    str(body.__struct_config__.tag): body for body in get_args(get_type_hints(messages.Event)["body"])
}


# ---- the two, side by side


@cache
def enums_of(kind: type[msgspec.Struct]) -> dict[str, type[Enum]]:
    """Return the fields of a product's class that hold a member of an enumeration."""
    hints = get_type_hints(kind).items()
    return {name: hint for name, hint in hints if isinstance(hint, type) and issubclass(hint, Enum)}


def built(kind: type[msgspec.Struct], values: Message) -> Any:
    """Return a product's object with these values; a number that is no member of its enumeration stays a number."""
    values = dict(values)
    for name, enum in enums_of(kind).items():
        with suppress(ValueError):
            member = enum(values[name])
            values[name] = member if member == values[name] else values[name]  # as a set of flags, -1 means all
    return kind(**values)


def as_product(message: Message) -> messages.Message:
    """Return the product's object of a message, its values in range or not."""
    values = {name: value for name, value in message.items() if name != "message"}
    if "digest" in values:
        values["digest"] = bytes.fromhex(values["digest"])
    if "body" in values:
        body = {name: value for name, value in values["body"].items() if name != "type"}
        body |= {name: tuple(value) for name, value in body.items() if isinstance(value, list)}
        values["body"] = built(BODIES[message["body"]["type"]], body)
    made = built(getattr(messages, message["message"]), values)
    assert isinstance(made, messages.Message)
    return made


def as_message(made: messages.Message) -> Message:
    """Return the message that the product's object says."""

    def plain(value: Any) -> Any:
        if isinstance(value, messages.Body):
            return {"type": value.__struct_config__.tag} | {
                k: plain(v) for k, v in msgspec.structs.asdict(value).items()
            }
        if isinstance(value, bytes):
            return value.hex()
        if isinstance(value, Enum):
            return value.value
        return list(value) if isinstance(value, tuple) else value

    return {"message": type(made).__name__} | {k: plain(v) for k, v in msgspec.structs.asdict(made).items()}


def product_reads(payload: bytes) -> Message | None:
    """Return what the product reads in a payload; nothing if it refuses it."""
    try:
        return as_message(codec.decode(payload))
    except RemoteProtocolError:
        return None


def second_reads(payload: bytes) -> Message | None:
    """Return what the second decoder reads in a payload; nothing if it refuses it."""
    try:
        return decoder.decode(payload)
    except Malformed:
        return None


def both_read(payload: bytes) -> Message | None:
    """Return what both read in a payload, once they agree to the last type: ``1`` is not ``True`` here."""
    product, second = product_reads(payload), second_reads(payload)
    assert json.dumps(product) == json.dumps(second), payload.hex(" ")
    return second


def both_receive(stream: bytes, cuts: tuple[int, ...] = ()) -> tuple[list[bytes], int]:
    """Return the payloads and the number of errors in a stream that ends with a zero, once both agree on them."""
    assert stream.endswith(b"\0")
    product, second, payloads = FrameDecoder(), decoder.Line(), []
    for start, end in pairwise((0, *cuts, len(stream))):
        piece = second.feed(stream[start:end])
        assert product.feed(stream[start:end]) == piece, stream.hex(" ")
        payloads += piece
    assert product.errors == second.errors, stream.hex(" ")
    return payloads, second.errors


def both_write(message: Message) -> bytes | None:
    """Return the payload that both write, once they agree; nothing if both refuse the message."""
    product: bytes | None
    second: bytes | None
    try:
        product = codec.encode(as_product(message))
    except LocalProtocolError:
        product = None
    try:
        second = decoder.encode(message)
    except Malformed:
        second = None
    assert product == second, message
    return second


# ---- the comparisons


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_golden_vector_both_ways(vector: dict[str, Any]) -> None:
    values = {name: int(value) if name in LARGE else value for name, value in vector["values"].items()}
    message = {"message": vector["message"]} | values
    payload, whole = bytes.fromhex(vector["payload"]), bytes.fromhex(vector["frame"])
    assert both_write(message) == payload
    assert encode_frame(payload) == decoder.frame(payload) == whole
    assert both_receive(whole) == ([payload], 0)
    assert both_read(payload) == message


def test_valid_frames() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for message in islice(some_messages(seed=1), 10_000):
        payload = both_write(message)
        assert payload is not None, message
        whole = encode_frame(payload)
        assert whole == decoder.frame(payload)
        assert both_receive(whole) == ([payload], 0)
        assert both_read(payload) == message
        seen[message["message"], message.get("body", {}).get("type", "")] += 1
    assert set(seen) == set(SHAPES)
    assert min(seen.values()) > 300


def test_mutated_frames() -> None:
    draw, seen = random.Random(2), Counter[tuple[str, bool]]()
    for message in islice(some_messages(seed=3), 10_000):
        if draw.random() < 0.6:
            spoil = draw.choice(PAYLOAD_SPOILERS)
            spoiled, name = decoder.frame(spoil(draw, message)), spoil.__name__
        else:
            damage = draw.choice(FRAME_SPOILERS)
            spoiled, name = damage(draw, decoder.frame(decoder.pack(message))), damage.__name__
        payloads, errors = both_receive(spoiled + b"\0")
        read = [both_read(payload) for payload in payloads]
        for payload, found in zip(payloads, read, strict=True):  # a value has one form on the wire, and no other
            assert found is None or found["message"] == "ForeignHello" or both_write(found) == payload
        seen[name, errors == 0 and None not in read] += 1
    for spoil in PAYLOAD_SPOILERS:  # each way is taken for a message at times, and refused at times
        assert seen[spoil.__name__, True] > 10, seen
        assert seen[spoil.__name__, False] > 200, seen
    assert all(seen[damage.__name__, False] > 500 for damage in FRAME_SPOILERS), seen


def ends_of(field: decoder.Field) -> Iterator[bytes]:
    """Yield a field's bytes at both ends of its range and just beyond; a text or counts are as long as they say."""
    for value in (field.low - 1, field.low, field.high, field.high + 1):
        if 0 <= value < 256**field.size and field.form not in ("digest", "row"):
            yield value.to_bytes(field.size, "little") + b"a" * (value if field.form in ("text", "counts") else 0)


def test_ends_of_every_range() -> None:
    draw, seen = random.Random(10), Counter[bool]()
    for shape in SHAPES * 4:
        message = some_message(draw, *shape)
        fields = next(fields for name, fields in TYPES.values() if name == shape[0])
        body = next((fields for name, fields in KINDS.values() if name == shape[1]), [])
        kind = decoder.pack(message)[len(decoder.packed(message, fields)) + 1 :][:1]
        parts = [decoder.pack(message)[:1], *(decoder.packed(message, [field]) for field in fields)]
        parts += [kind, *(decoder.packed(message["body"], [field]) for field in body)] if body else [kind]
        for at, field in [*enumerate(fields, 1), *enumerate(body, len(fields) + 2)]:
            for end in ends_of(field):
                seen[both_read(b"".join([*parts[:at], end, *parts[at + 1 :]])) is not None] += 1
    assert min(seen.values()) > 200, seen


def test_ends_of_every_level() -> None:
    taken = []
    for level in range(7):
        for value in (0, 1, 2, 3, 2**32 - 1):
            order = {"message": "SetLevel", "link": 1, "level": level, "revision": 1, "value": value}
            if both_read(decoder.pack(order)):
                taken.append((level, value))
    prompts = [(5, value) for value in (0, 1, 2, 3, 2**32 - 1)]
    assert taken == [(1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (4, 0), (4, 1), *prompts]


def test_what_is_kept_at_both_ends() -> None:
    draw = random.Random(11)
    for name in ("Hello", "Heartbeat"):
        message = some_message(draw, name)
        for last in (0, 1, 2**32 - 2, 2**32 - 1):
            for first_kept in (0, 1, last, last + 1, last + 2, 2**32 - 1):
                if first_kept < 2**32:
                    read = both_read(decoder.pack(message | {"first_kept": first_kept, "last": last}))
                    assert (read is not None) == (1 <= first_kept <= last + 1)


def test_hellos_of_another_version() -> None:
    draw, seen = random.Random(13), Counter[bool]()
    sized = next(fields for name, fields in TYPES.values() if name == "Hello")[:11]  # what stands before the texts
    for version in (0, 2, 3, 255) * 100:
        payload = decoder.pack(some_message(draw, "Hello"))
        start = 1 + sum(field.size for field in sized)
        numbers = bytearray(draw.randbytes(start - 1))
        numbers[36] = version
        texts = draw.choice((payload[start:], payload[start:-1], payload[start:] + b"a"))
        read = both_read(payload[:1] + bytes(numbers) + texts)
        seen[read is not None] += 1
        assert read is None or (read["message"], read["version"]) == ("ForeignHello", version)
    assert min(seen.values()) > 100, seen


def test_second_decoder_refuses_what_is_the_receivers_own_to_send() -> None:
    for message in islice(some_messages(seed=12), len(SHAPES)):  # the product's codec reads both; its two ends refuse
        payload = decoder.pack(message)
        from_host = payload[0] < 0x80
        assert decoder.decode(payload, "device" if from_host else "host") == message
        with pytest.raises(Malformed):
            decoder.decode(payload, "host" if from_host else "device")


def test_messages_that_neither_writes() -> None:
    draw, refused = random.Random(4), 0
    for message in islice(some_messages(seed=5), 3_000):
        values = message["body"] if "body" in message and draw.random() < 0.7 else message
        numbers = [name for name, value in values.items() if type(value) is int]
        if numbers:
            beside = (-1, 0, 4, 6, 12, 53, 65, 255, 256, 2**32 - 1, 2**32, 2**64 - 1, 2**64)
            values[draw.choice(numbers)] = draw.choice(beside)
            refused += both_write(message) is None
    assert 500 < refused < 2_500


def test_payloads_of_every_length() -> None:
    for size in range(1, LONGEST_PAYLOAD + 1):
        for payload in (bytes(size), b"\x83" * size, b"\x83" + bytes(size - 1)):
            whole = decoder.frame(payload)
            assert encode_frame(payload) == whole
            assert len(whole) == size + 6
            assert both_receive(whole) == ([payload], 0)
            assert both_read(payload) is None
    with pytest.raises(LocalProtocolError):
        encode_frame(b"")
    assert both_receive(decoder.cobs(bytes(4)) + b"\0") == ([], 1)  # the right CRC of nothing


def test_too_long_for_a_frame() -> None:
    with pytest.raises(LocalProtocolError):
        encode_frame(bytes(LONGEST_PAYLOAD + 1))
    for length in (LONGEST_COLLECTED - 1, LONGEST_COLLECTED, LONGEST_COLLECTED + 1, LONGEST_COLLECTED + 2, 1_000):
        for filling in (b"\x01", b"\x02", b"\xff"):  # all zeros, ones between zeros, a block of 254 bytes
            assert both_receive(filling * length + b"\0") == ([], 1)
    too_long = b"\x82" + bytes(LONGEST_PAYLOAD)
    whole = decoder.cobs(too_long + zlib.crc32(too_long).to_bytes(4, "little")) + b"\0"
    good = decoder.frame(b"\x02")
    assert both_receive(whole + good) == ([b"\x02"], 1)


def test_streams_cut_anywhere_with_garbage_between() -> None:
    draw, messages_in = random.Random(6), some_messages(seed=7)
    for _ in range(200):
        stream, sent = bytearray(b"\0"), []
        for message in islice(messages_in, draw.randint(1, 12)):
            if draw.random() < 0.5:  # and then the zero of one who opens
                garbage = draw.randbytes(draw.choice((1, 3, 30, 250)))
                stream += garbage.replace(b"\0", draw.choice((b"\0", b"\1"))) + b"\0"
            sent.append(decoder.pack(message))
            stream += decoder.frame(sent[-1])
            if draw.random() < 0.3:
                stream += bytes(draw.randint(1, 3))
            if draw.random() < 0.2:  # half a frame, ended by the opening zero of the next
                half = decoder.frame(decoder.pack(next(messages_in)))
                stream += half[: draw.randrange(1, len(half) - 1)] + b"\0"
        whole = bytes(stream)
        received, errors = both_receive(whole)
        assert received == sent
        assert all(both_read(payload) for payload in received)
        cuts = sorted(draw.randint(0, len(whole)) for _ in range(draw.choice((1, 5, 50))))
        assert both_receive(whole, tuple(cuts)) == (received, errors)
        if draw.random() < 0.2:
            assert both_receive(whole, tuple(range(1, len(whole)))) == (received, errors)


def test_streams_of_spoiled_frames_run_together() -> None:
    draw, messages_in = random.Random(8), some_messages(seed=9)
    received = spoiled = 0
    for _ in range(200):
        stream = b""
        for message in islice(messages_in, 10):
            whole = decoder.frame(decoder.pack(message))
            stream += draw.choice((whole, whole, draw.choice(FRAME_SPOILERS)(draw, whole), draw.randbytes(20)))
        stream += b"\0"
        cuts = sorted(draw.randint(0, len(stream)) for _ in range(10))
        payloads, errors = both_receive(stream, tuple(cuts))
        assert both_receive(stream) == (payloads, errors)
        assert all(both_read(payload) for payload in payloads)
        received, spoiled = received + len(payloads), spoiled + errors
    assert received > 500
    assert spoiled > 500
