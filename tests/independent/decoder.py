"""A second decoder and encoder of sabot/1, written from drivers/protocol/README.md alone, without the product's code.

It exists to be compared with: two programs that agree on every byte have read the specification alike. So it is
plain and slow, and its messages are dictionaries, named as in tests/golden/vectors.toml.
"""

from __future__ import annotations

import zlib
from typing import Any, Literal, NamedTuple

Message = dict[str, Any]
Receiver = Literal["host", "device"]

VERSION = 1
LONGEST_PAYLOAD = 196
LONGEST_COLLECTED = 201  # a frame without its zero
CHECK_SIZE = 4

U8, U32, U64 = 0xFF, 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF


class Malformed(Exception):
    """What was received is no frame, or no message, of sabot/1: one error."""


# ---- section 2: frames


def cobs(checked: bytes) -> bytes:
    """Return the COBS form of at most 200 bytes: each block between zeros, with its length + 1 before it."""
    return b"".join(bytes((len(block) + 1,)) + block for block in checked.split(b"\0"))


def uncobs(collected: bytes) -> bytes:
    """Return what ``collected`` is the COBS form of; there is no zero in it, for it was collected up to one."""
    blocks, at = [], 0
    while at < len(collected):
        end = at + collected[at]
        if end > len(collected):
            raise Malformed("a code byte promises more bytes than there are")
        blocks.append(collected[at + 1 : end])
        at = end
    return b"\0".join(blocks)


def frame(payload: bytes) -> bytes:
    """Return the frame of a payload, its zero included."""
    if not 1 <= len(payload) <= LONGEST_PAYLOAD:
        raise Malformed(f"a payload of {len(payload)} bytes")
    return cobs(payload + zlib.crc32(payload).to_bytes(CHECK_SIZE, "little")) + b"\0"


def unframe(collected: bytes) -> bytes:
    """Return the payload of what was collected between two zeros."""
    if len(collected) > LONGEST_COLLECTED:
        raise Malformed("longer than any frame")
    checked = uncobs(collected)
    if len(checked) < 1 + CHECK_SIZE:
        raise Malformed("fewer than 5 bytes")
    payload, check = checked[:-CHECK_SIZE], checked[-CHECK_SIZE:]
    if zlib.crc32(payload) != int.from_bytes(check, "little"):
        raise Malformed("the CRC does not match")
    return payload


class Line:
    """The receiving end of a line: bytes in, payloads out, errors counted."""

    def __init__(self) -> None:
        self.errors = 0
        self._collected = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the payloads of the frames that ``data`` ends; one too long is counted when it becomes so."""
        payloads = []
        for byte in data:
            if byte:
                if len(self._collected) <= LONGEST_COLLECTED:  # one byte above the cap tells that it was passed
                    self._collected.append(byte)
                    self.errors += len(self._collected) > LONGEST_COLLECTED
            elif self._collected:
                if len(self._collected) <= LONGEST_COLLECTED:
                    try:
                        payloads.append(unframe(bytes(self._collected)))
                    except Malformed:
                        self.errors += 1
                self._collected.clear()
        return payloads


# ---- sections 3 and 4: the layouts


class Field(NamedTuple):
    """One field of a layout; ``size`` is in bytes, the range is of a number or of a length."""

    name: str
    form: Literal["number", "truth", "bits", "text", "digest", "counts", "row"]
    size: int
    low: int
    high: int
    bits: tuple[str, ...] = ()  # the names of a bit field's bits, from bit 0
    zero: int = 0  # those bits of a number that are zero
    only: tuple[int, ...] = ()  # the values of a number, where not all between its ends are one


def number(name: str, size: int, low: int = 0, high: int | None = None) -> Field:
    """Return a field that holds a number; without ``high``, up to what its bytes hold."""
    return Field(name, "number", size, low, 256**size - 1 if high is None else high)


def truth(name: str) -> Field:
    """Return a field that is 0 or 1, and nothing else."""
    return Field(name, "truth", 1, 0, 1)


def bits(*names: str) -> Field:
    """Return a byte whose lowest bits have these names, and whose other bits are zero."""
    return Field("flags", "bits", 1, 0, 2 ** len(names) - 1, names)


def text(name: str) -> Field:
    """Return a field of 0 to 24 printable ASCII characters after their number."""
    return Field(name, "text", 1, 0, 24)


def row(name: str, counts: int) -> Field:
    """Return a field of exactly so many counts of two bytes each."""
    return Field(name, "row", 2, counts, counts)


LINK = number("link", 4)
CAPABILITIES = 0xCFF
MODE, PASSES, CARDS = number("mode", 1, 1, 3), number("passes", 1, 1), number("cards", 2)
FAULTS = (1, 2, 3, 16, 17, 18, 32, 33, 34)

TYPES: dict[int, tuple[str, list[Field]]] = {
    0x01: ("Open", [number("version", 1), number("nonce", 8)]),
    0x02: ("Ask", [LINK, number("number", 4, 1)]),
    0x03: ("Ack", [LINK, number("number", 4, 1)]),
    0x04: ("SetLevel", [LINK, number("level", 1, 1, 5), number("revision", 4, 1), number("value", 4)]),
    0x05: ("Lease", [LINK, number("revision", 4, 1), number("purpose", 1, 1, 3), number("heartbeat", 4, 1)]),
    0x06: ("Command", [LINK, number("id", 8, 1), number("operation", 1, 1, 4), number("argument", 4)]),
    0x81: (
        "Hello",
        [
            number("nonce", 8),
            number("link", 4, 1),
            number("boot", 8),
            number("memory", 8),
            number("first_kept", 4, 1),
            number("last", 4),
            number("version", 1, VERSION, VERSION),
            number("kind", 1, 1, 6),
            number("capabilities", 4, 0, CAPABILITIES)._replace(zero=~CAPABILITIES),
            number("window", 1, 1, 64),
            bits("simulated"),
            text("model"),
            text("serial"),
            text("firmware"),
            Field("digest", "digest", 32, 0, 0),
        ],
    ),
    0x82: (
        "Heartbeat",
        [
            LINK,
            number("number", 4, 1),
            number("first_kept", 4, 1),
            number("last", 4),
            number("hold_revision", 4),
            number("lamp_revision", 4),
            number("lid_revision", 4),
            number("intake_revision", 4),
            number("prompt_revision", 4),
            bits("held", "lapsed", "busy"),
            number("highest_command", 8),
            number("strokes", 4),
        ],
    ),
    0x83: ("Event", [LINK, number("number", 4, 1)]),  # and then its kind and body, by KINDS
    0x84: ("Stroke", [LINK, number("counter", 4, 1), number("prompt", 4), number("key", 1, 0, 11)]),
}

KINDS: dict[int, tuple[str, list[Field]]] = {
    1: ("card_drawn", [number("purpose", 1, 0, 3), number("face", 1, 0, 53)]),
    2: ("card_in", [number("face", 1, 0, 52)]),
    3: ("card_fed", [number("purpose", 1, 0, 3)]),
    4: ("hold_confirmed", [LINK, number("revision", 4)]),
    5: ("lapsed", [LINK, number("revision", 4)]),
    6: ("lid_moved", [truth("open")]),
    7: ("tray_changed", [truth("occupied")]),
    8: ("intake_changed", [truth("ready")]),
    9: ("feed_empty", []),
    10: ("dealer_key", [number("key", 1, 1, 5), number("prompt", 4)]),
    11: ("command_result", [number("id", 8, 1), truth("done")]),
    12: ("inventory", [number("id", 8, 1), number("buffer", 1), Field("compartments", "counts", 1, 0, 64)]),
    13: ("events_lost", [number("dropped", 4, 1)]),
    14: ("jam_changed", [number("place", 1, 1, 3), truth("jammed")]),
    15: ("output_changed", [truth("occupied")]),
    16: ("cycle_began", [number("id", 8), MODE, PASSES]),
    17: ("pass_done", [number("id", 8), number("number", 1, 1), CARDS]),
    18: ("cycle_ended", [number("id", 8), MODE, number("outcome", 1, 1, 4), number("passes", 1), CARDS]),
    19: ("faces", [number("id", 8), row("cards", 53)]),
    20: ("backs", [number("id", 8), row("cards", 7)]),
    21: ("pack_out", [number("purpose", 1, 0, 3), CARDS]),
    22: ("fault_changed", [number("fault", 1, FAULTS[0], FAULTS[-1])._replace(only=FAULTS), truth("present")]),
}

LEVEL_VALUES = {1: (1, 1), 2: (0, 2), 3: (0, 1), 4: (0, 1), 5: (0, U32)}  # hold, lamp, lid, intake, prompt
PRINTABLE = range(0x20, 0x7F)
SURE_IN_ANY_HELLO = ("nonce", "link", "version", "model", "serial")


class _Body:
    """The bytes of a payload, read from the front."""

    def __init__(self, data: bytes) -> None:
        self.left = data

    def take(self, size: int) -> bytes:
        """Take the next ``size`` bytes."""
        if len(self.left) < size:
            raise Malformed("shorter than its layout")
        taken, self.left = self.left[:size], self.left[size:]
        return taken

    def field(self, field: Field) -> Message:
        """Take one field; a bit field gives an entry for each of its bits."""
        if field.form == "digest":
            return {field.name: self.take(field.size).hex()}
        if field.form == "row":
            counts = [self.take(field.size) for _ in range(field.low)]
            return {field.name: [int.from_bytes(count, "little") for count in counts]}
        value = int.from_bytes(self.take(field.size), "little")
        if not field.low <= value <= field.high or value & field.zero or (field.only and value not in field.only):
            raise Malformed(f"{field.name} is {value}")
        if field.form == "text":
            characters = self.take(value)
            if any(character not in PRINTABLE for character in characters):
                raise Malformed(f"{field.name} is no printable ASCII")
            return {field.name: characters.decode("ascii")}
        if field.form == "counts":
            return {field.name: list(self.take(value))}
        if field.form == "bits":
            return {name: bool(value >> bit & 1) for bit, name in enumerate(field.bits)}
        return {field.name: bool(value) if field.form == "truth" else value}

    def layout(self, fields: list[Field]) -> Message:
        """Take all fields of a layout."""
        taken: Message = {}
        for field in fields:
            taken |= self.field(field)
        return taken


def other_version(body: bytes) -> Message | None:
    """Return what a HELLO of another version says for certain; nothing if it is of this version."""
    read = _Body(body)
    fields = TYPES[0x81][1]
    hello = read.layout(
        [
            field._replace(low=0, high=256**field.size - 1, zero=0) if field.form in ("number", "bits") else field
            for field in fields
        ]
    )
    if hello["version"] == VERSION:
        return None
    if read.left:
        raise Malformed("longer than its layout")
    return {"message": "ForeignHello"} | {name: hello[name] for name in SURE_IN_ANY_HELLO}


def decode(payload: bytes, receiver: Receiver | None = None) -> Message:
    """Return the message of a payload; of a ``receiver``, only what is not its own to send."""
    body = _Body(payload)
    kind = body.take(1)[0]
    if kind not in TYPES or (receiver == "host" and kind < 0x80) or (receiver == "device" and kind >= 0x80):
        raise Malformed(f"type {kind:02x}")
    name, fields = TYPES[kind]
    if name == "Hello" and (foreign := other_version(body.left)):
        return foreign
    message: Message = {"message": name} | body.layout(fields)
    if name == "Event":
        event = body.take(1)[0]
        if event not in KINDS:
            raise Malformed(f"event kind {event}")
        event_name, event_fields = KINDS[event]
        message["body"] = {"type": event_name} | body.layout(event_fields)
    if body.left:
        raise Malformed("longer than its layout")
    if name == "SetLevel":
        low, high = LEVEL_VALUES[message["level"]]
        if not low <= message["value"] <= high:
            raise Malformed(f"level {message['level']} is {message['value']}")
    if name in ("Hello", "Heartbeat") and message["first_kept"] > message["last"] + 1:
        raise Malformed("first kept is above last + 1")
    return message


def packed(values: Message, fields: list[Field]) -> bytes:
    """Return the bytes of a layout's values, whatever their ranges say."""
    out = b""
    for field in fields:
        if field.form == "bits":
            out += bytes((sum(bool(values[name]) << bit for bit, name in enumerate(field.bits)),))
        elif field.form == "text":
            characters = values[field.name].encode("latin-1")
            out += bytes((len(characters),)) + characters
        elif field.form == "counts":
            out += bytes((len(values[field.name]), *values[field.name]))
        elif field.form == "row":
            out += b"".join(count.to_bytes(field.size, "little") for count in values[field.name])
        elif field.form == "digest":
            out += bytes.fromhex(values[field.name])
        else:
            out += int(values[field.name]).to_bytes(field.size, "little")
    return out


def pack(message: Message) -> bytes:
    """Return the payload of a message without asking whether it is a legal one."""
    kind, fields = next((kind, fields) for kind, (name, fields) in TYPES.items() if name == message["message"])
    out = bytes((kind,)) + packed(message, fields)
    if message["message"] == "Event":
        body = message["body"]
        event, fields = next((event, fields) for event, (name, fields) in KINDS.items() if name == body["type"])
        out += bytes((event,)) + packed(body, fields)
    return out


def encode(message: Message) -> bytes:
    """Return the payload of a legal message: one that reads back as it is."""
    try:
        payload = pack(message)
    except (OverflowError, ValueError) as error:  # of these, ValueError is of a byte above 255 or below 0
        raise Malformed("a value that its bytes cannot hold") from error
    if decode(payload) != message:
        raise Malformed("not what it reads back as")
    return payload
