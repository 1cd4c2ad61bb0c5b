"""The front page's worked example is a driver that works and a device that can be configured."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from types import ModuleType

import msgspec
import pytest

from drivers.continuous_shuffler import CONTINUOUS_SHUFFLER
from drivers.device import Driver
from drivers.protocol.messages import Capability, Level
from drivers.registry import DRIVERS
from firmware_bridge.service.config import Device
from tests.architecture import tree
from tests.transport.registered import registered

PAGE = tree.ROOT / "README.md"


def example(language: str) -> str:
    """Return the one example in a language on the front page."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    return str(block)


@pytest.fixture
def driver() -> Iterator[Driver]:
    """The driver of the page, in a module of the name that the page gives its file."""
    module = ModuleType("drivers.carrossel_54")
    exec(compile(example("python"), "README.md", "exec"), vars(module))
    sys.modules[module.__name__] = module
    yield module.CARROSSEL_54
    del sys.modules[module.__name__]


def test_the_shuffler_in_one_file_is_a_driver(driver: Driver) -> None:
    assert isinstance(driver, Driver)
    assert driver.required == CONTINUOUS_SHUFFLER.required | Capability.READS_FACES
    assert Level.LID in CONTINUOUS_SHUFFLER.levels - driver.levels


def test_two_lines_in_the_registry_make_it_known_to_a_configuration(driver: Driver) -> None:
    (device,) = tomllib.loads(example("toml"))["device"]
    known = registered(PAGE)
    assert known[msgspec.convert(device, Device).driver] is driver
    assert known.keys() == {*DRIVERS, "carrossel_54"}
