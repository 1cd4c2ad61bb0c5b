"""The front page's worked example is a driver that works and a device that can be configured."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import msgspec

from drivers.continuous_shuffler import CONTINUOUS_SHUFFLER
from drivers.device import Driver
from drivers.protocol.messages import Capability, Level
from firmware_bridge.service.config import Device
from tests.architecture import tree


def example(language: str) -> str:
    """Return the one example in a language on the front page."""
    page = (tree.ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", page, re.M | re.S)
    return str(block)


def test_the_shuffler_in_one_file_is_a_driver() -> None:
    made: dict[str, Any] = {}
    exec(compile(example("python"), "README.md", "exec"), made)
    driver = made["CARROSSEL_54"]
    assert isinstance(driver, Driver)
    assert driver.required == CONTINUOUS_SHUFFLER.required | Capability.READS_FACES
    assert Level.LID in CONTINUOUS_SHUFFLER.levels - driver.levels


def test_its_configuration_is_one() -> None:
    (device,) = tomllib.loads(example("toml"))["device"]
    assert msgspec.convert(device, Device).driver == "carrossel_54"
