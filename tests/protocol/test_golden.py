"""The golden vectors hold both ways, and the specification shows the same ones."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from drivers.protocol import codec, framing, messages

ROOT = Path(__file__).parents[2]
VECTORS: list[dict[str, Any]] = tomllib.loads((ROOT / "tests/golden/vectors.toml").read_text("utf-8"))["vector"]
SPECIFICATION = (ROOT / "drivers/protocol/README.md").read_text("utf-8")

each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])


def message_of(vector: dict[str, Any]) -> messages.Message:
    values = dict(vector["values"])
    if "digest" in values:
        values["digest"] = bytes.fromhex(values["digest"])
    # Not strict: numbers beyond TOML's stand there as text.
    made: messages.Message = msgspec.convert(values, getattr(messages, vector["message"]), strict=False)
    return made


@each_vector
def test_a_message_is_written_as_its_vector(vector: dict[str, Any]) -> None:
    payload = codec.encode(message_of(vector))
    assert payload.hex() == vector["payload"]
    assert framing.encode_frame(payload).hex() == vector["frame"]


@each_vector
def test_a_vector_is_read_as_its_message(vector: dict[str, Any]) -> None:
    decoder = framing.FrameDecoder()
    (payload,) = decoder.feed(bytes.fromhex(vector["frame"]))
    assert decoder.errors == 0
    assert codec.decode(payload) == message_of(vector)


@each_vector
def test_the_specification_shows_the_vector(vector: dict[str, Any]) -> None:
    assert vector["derivation"] in SPECIFICATION


def test_every_message_and_every_event_body_has_a_vector() -> None:
    shown = [message_of(vector) for vector in VECTORS]
    bodies = [message.body for message in shown if isinstance(message, messages.Event)]
    assert {type(message) for message in shown} == {layout.made for layout in codec.MESSAGES.values()}
    assert {type(body) for body in bodies} == {layout.made for layout in codec.BODIES.values()}
