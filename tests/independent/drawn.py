"""Messages of sabot/1 drawn at random for the second decoder's tests, and ways to spoil their payloads and frames."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tests.independent import decoder
from tests.independent.decoder import KINDS, LEVEL_VALUES, LONGEST_PAYLOAD, TYPES, Message

# One shape for each type, and of EVENT one for each kind of event.
SHAPES = [(name, "") for name, _ in TYPES.values() if name != "Event"] + [("Event", name) for name, _ in KINDS.values()]


# ---- messages, drawn


def some_number(draw: random.Random, low: int, high: int) -> int:
    """Return a number in range: an extreme, one of few bits, or any."""
    way = draw.randrange(4)
    if way == 0:
        return draw.choice((low, high))
    if way == 1:
        return draw.choice((min(low + 1, high), max(high - 1, low)))
    if way == 2:
        return max(low, min(high, draw.getrandbits(draw.randint(1, 64))))
    return draw.randint(low, high)


def some_values(draw: random.Random, fields: list[decoder.Field]) -> Message:
    """Return values in range for the fields of a layout."""
    values: Message = {}
    for field in fields:
        if field.form == "digest":
            values[field.name] = draw.choice((bytes(32), b"\xff" * 32, draw.randbytes(32))).hex()
        elif field.form == "bits":
            values |= {name: draw.random() < 0.5 for name in field.bits}
        elif field.form == "truth":
            values[field.name] = draw.random() < 0.5
        elif field.form == "row":
            values[field.name] = [some_number(draw, 0, 65535) for _ in range(field.low)]
        elif field.only:
            values[field.name] = draw.choice(field.only)
        else:
            value = some_number(draw, field.low, field.high) & ~field.zero
            if field.form == "text":
                values[field.name] = "".join(chr(some_number(draw, 0x20, 0x7E)) for _ in range(value))
            elif field.form == "counts":
                values[field.name] = [some_number(draw, 0, 255) for _ in range(value)]
            else:
                values[field.name] = value
    return values


def some_message(draw: random.Random, name: str, body: str = "") -> Message:
    """Return a legal message of this shape."""
    fields = next(fields for known, fields in TYPES.values() if known == name)
    message: Message = {"message": name, **some_values(draw, fields)}
    if name == "SetLevel":
        message["value"] = some_number(draw, *LEVEL_VALUES[message["level"]])
    if name in ("Hello", "Heartbeat"):
        highest = min(message["last"] + 1, 2**32 - 1)
        message["first_kept"] = draw.choice((highest, some_number(draw, 1, highest)))
    if body:
        body_fields = next(fields for known, fields in KINDS.values() if known == body)
        message["body"] = {"type": body, **some_values(draw, body_fields)}
    return message


def some_messages(seed: int) -> Iterator[Message]:
    """Yield legal messages without end, all shapes in turn."""
    draw = random.Random(seed)
    while True:
        for shape in SHAPES:
            yield some_message(draw, *shape)


# ---- payloads and frames, spoiled


def spoil_field(draw: random.Random, message: Message) -> bytes:
    """Return a payload in which one field's bytes (of a text or of counts: their number) hold something else."""
    fields = next(fields for name, fields in TYPES.values() if name == message["message"])
    payload, values, start = decoder.pack(message), message, 1
    if message["message"] == "Event" and draw.random() < 0.7:
        start += len(decoder.packed(message, fields)) + 1
        values = message["body"]
        fields = next(fields for name, fields in KINDS.values() if name == values["type"])
    if not fields:
        return payload
    at = draw.randrange(len(fields))
    start += len(decoder.packed(values, fields[:at]))
    field = fields[at]
    top = 256**field.size - 1
    values_beside = [field.low - 1, field.high + 1, top, 0, draw.randint(0, top), 2 ** draw.randrange(8 * field.size)]
    value: int = draw.choice([value for value in values_beside if 0 <= value <= top])
    return payload[:start] + value.to_bytes(field.size, "little") + payload[start + field.size :]


def spoil_between(draw: random.Random, message: Message) -> bytes:
    """Return a payload that breaks what its numbers' own ranges do not say: lengths, characters, one by another."""
    if message["message"] == "Hello" and draw.random() < 0.7:
        name = draw.choice(("model", "serial", "firmware"))
        length, odd = draw.randint(0, 28), chr(draw.choice((0, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0xFF)))
        message[name] = "".join(draw.choice((odd, "a")) for _ in range(length))
    elif "first_kept" in message:
        message["last"] = draw.choice((0, 1, draw.getrandbits(32), 2**32 - 2, 2**32 - 1))
        message["first_kept"] = max(1, min(2**32 - 1, message["last"] + draw.randint(0, 3)))
    elif message["message"] == "SetLevel":
        message["value"] = draw.choice((0, 1, 2, 3, 256, 257, 2**24, 2**32 - 1))
    elif "compartments" in message.get("body", {}):
        message["body"]["compartments"] = list(draw.randbytes(draw.choice((0, 1, 63, 64, 65, 66, 120))))
    else:
        return bytes((draw.randrange(256),)) + decoder.pack(message)[1:]  # another type
    return decoder.pack(message)


def spoil_bytes(draw: random.Random, message: Message) -> bytes:
    """Return a payload with one byte changed."""
    payload = bytearray(decoder.pack(message))
    payload[draw.randrange(len(payload))] = draw.randrange(256)
    return bytes(payload)


def spoil_length(draw: random.Random, message: Message) -> bytes:
    """Return a payload with bytes too many or too few, at its end or within."""
    payload = decoder.pack(message)
    way, at = draw.randrange(4), draw.randrange(len(payload))
    if way == 0:
        return payload[: at + 1]
    if way == 1:
        return payload + draw.randbytes(draw.choice((1, 2, 4, LONGEST_PAYLOAD - len(payload))))
    if way == 2:
        return payload[:at] + draw.randbytes(1) + payload[at:]
    return payload[:at] + payload[at + 1 :] or b"\1"


def flip(draw: random.Random, whole: bytes) -> bytes:
    """Return a frame with one to three bits flipped."""
    number = int.from_bytes(whole, "little")
    for _ in range(draw.randint(1, 3)):
        number ^= 1 << draw.randrange(8 * len(whole))
    return number.to_bytes(len(whole), "little")


def truncate(draw: random.Random, whole: bytes) -> bytes:
    """Return the front or the back of a frame."""
    at = draw.randrange(len(whole))
    return draw.choice((whole[:at], whole[at:]))


def insert(draw: random.Random, whole: bytes) -> bytes:
    """Return a frame with up to 220 bytes put in."""
    at, more = draw.randrange(len(whole) + 1), draw.randbytes(draw.choice((1, 1, 2, 5, 220)))
    return whole[:at] + draw.choice((more, more.replace(b"\0", b"\xff"))) + whole[at:]


def swap(draw: random.Random, whole: bytes) -> bytes:
    """Return a frame with one byte changed to one that COBS or the cap may stumble over."""
    at = draw.randrange(len(whole))
    return whole[:at] + draw.choice((b"\xff", b"\x01", b"\0", b"\0\0", b"\xfe")) + whole[at + 1 :]


PAYLOAD_SPOILERS: tuple[Callable[[random.Random, Message], bytes], ...] = (
    spoil_field,
    spoil_between,
    spoil_bytes,
    spoil_length,
)
FRAME_SPOILERS: tuple[Callable[[random.Random, bytes], bytes], ...] = (flip, truncate, insert, swap)
