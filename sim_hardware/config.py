"""Configuration of ``sim-hardware``: one TOML file, read strictly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

from sim_hardware.cards import BACKS
from sim_hardware.equipment import Identity, default_identities
from sim_hardware.faults import NOISE, PLANS
from sim_hardware.lamp import LampFirmware
from sim_hardware.line_shoe import LineShoe
from sim_hardware.mechanics import COMPARTMENTS, NORMAL, QUICK
from sim_hardware.shoe import ShoeFirmware
from sim_hardware.stack_light import StackLight
from sim_hardware.table import Fittings

MOST_DECKS = 8
MOST_COMPARTMENTS = 64


class ConfigError(Exception):
    """The configuration cannot be used; the message names file, fault and remedy. Nothing was started."""


class DeviceConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What a device shall say of itself, where it differs from the usual."""

    model: str | None = None
    serial: str | None = None
    firmware: str | None = None


class ShoeConfig(DeviceConfig, frozen=True, forbid_unknown_fields=True):
    """The shoe's identity, whether it has a reader, and what it speaks."""

    reads_faces: bool = True
    wire: Literal["sabot/1", "line"] = "sabot/1"


class LampConfig(DeviceConfig, frozen=True, forbid_unknown_fields=True):
    """The lamp's identity, and what it understands."""

    wire: Literal["sabot/1", "stack light"] = "sabot/1"


class DevicesConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One table for each device."""

    shuffler: DeviceConfig = field(default_factory=DeviceConfig)
    shoe: ShoeConfig = field(default_factory=ShoeConfig)
    keypad: DeviceConfig = field(default_factory=DeviceConfig)
    lamp: LampConfig = field(default_factory=LampConfig)


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. ``folder`` takes a symlink a device; ``speed`` scales moving parts, not the link."""

    folder: str
    seed: int = 0
    decks: int = 4
    backs: tuple[str, ...] = BACKS
    speed: float = 1.0
    quick: bool = False
    compartments: int = COMPARTMENTS
    faults: str = "none"
    devices: DevicesConfig = field(default_factory=DevicesConfig)

    @property
    def fittings(self) -> Fittings:
        """The table that the file describes. Raises ValueError if an identity does not fit a hello."""
        return Fittings(
            decks=self.decks,
            backs=self.backs,
            rates=QUICK if self.quick else NORMAL,
            compartments=self.compartments,
            identities=self._identities(),
            faults=PLANS[self.faults],
            noise=NOISE[self.faults],
            shoe=LineShoe if self.devices.shoe.wire == "line" else ShoeFirmware,
            lamp=StackLight if self.devices.lamp.wire == "stack light" else LampFirmware,
        )

    def _identities(self) -> dict[str, Identity]:
        identities = default_identities(self.devices.shoe.reads_faces, compartments=self.compartments)
        for name, usual in identities.items():
            given: DeviceConfig = getattr(self.devices, name)
            texts = {key: getattr(given, key) for key in ("model", "serial", "firmware")}
            identities[name] = replace(usual, **{key: text for key, text in texts.items() if text is not None})
        return identities


def load(path: Path) -> Config:
    """Read a configuration. Raises ConfigError for a missing file, an unknown key or a value out of range."""
    try:
        config = msgspec.toml.decode(path.read_bytes(), type=Config)
        _check(config)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; name a file that can be read") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        known = ", ".join(each.name for each in msgspec.structs.fields(Config))
        raise ConfigError(f"{path}: {error}; correct it (top-level keys are {known})") from error
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error
    return config


def _check(config: Config) -> None:
    if not 1 <= config.decks <= MOST_DECKS:
        raise ValueError(f"decks = {config.decks}: give 1 to {MOST_DECKS}")
    if not config.backs:
        raise ValueError("backs = []: name at least one colour")
    if config.speed <= 0:
        raise ValueError(f"speed = {config.speed}: give more than 0; 1.0 is real time")
    if not 1 <= config.compartments <= MOST_COMPARTMENTS:
        raise ValueError(f"compartments = {config.compartments}: give 1 to {MOST_COMPARTMENTS}")
    if config.faults not in PLANS:
        raise ValueError(f"faults = {config.faults!r}: the plans are {', '.join(PLANS)}")
    _ = config.fittings  # Raises for a text that no hello can carry.
