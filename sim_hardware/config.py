"""Configuration of ``sim-hardware``: one TOML file, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from drivers.protocol.messages import Capability
from sim_hardware.batch_faults import BATCH_PLANS
from sim_hardware.batch_table import BatchFittings
from sim_hardware.cards import BACKS
from sim_hardware.equipment import KEYPAD, LAMP, SHOE, SHUFFLER, Identity, Make
from sim_hardware.faults import DEVICES, NOISE, PLANS, Plan
from sim_hardware.hand_fed_faults import HAND_FED_PLANS
from sim_hardware.hand_fed_table import HandFedFittings
from sim_hardware.mechanics import NORMAL, QUICK
from sim_hardware.registry import BATCH_SHUFFLERS, KEYPADS, LAMPS, SHOES, SHUFFLERS
from sim_hardware.shuffler import SABOT_CAROUSEL
from sim_hardware.table import Fittings, Now, PhysicalTable

M = TypeVar("M", bound=Make[Any])

MOST_DECKS = 8
MOST_COMPARTMENTS = 64


class ConfigError(Exception):
    """The configuration cannot be used; the message names file, fault and remedy. Nothing was started."""


class DeviceConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Of which make a device is, and what it shall say of itself where it differs from the others of its make."""

    make: str | None = None
    model: str | None = None
    serial: str | None = None
    firmware: str | None = None

    def identity(self, usual: Identity) -> Identity:
        """Return what this one says. Raises ValueError if a text does not fit a hello."""
        given = {name: getattr(self, name) for name in ("model", "serial", "firmware")}
        parts = {can: has for can in Capability if (has := getattr(self, str(can.name).lower(), None)) is not None}
        usual = usual.fitted(parts)
        return replace(usual, **{name: text for name, text in given.items() if text is not None})


class ShoeConfig(DeviceConfig, frozen=True, forbid_unknown_fields=True):
    """A shoe, and what it can do where its make differs: the capabilities' own names."""

    reads_faces: bool | None = None
    can_hold: bool | None = None


class ShufflerConfig(ShoeConfig, frozen=True, forbid_unknown_fields=True):
    """A shuffler, likewise."""

    can_lock_lid: bool | None = None
    can_shut_intake: bool | None = None


class DevicesConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One table for each device."""

    shuffler: ShufflerConfig = field(default_factory=ShufflerConfig)
    shoe: ShoeConfig = field(default_factory=ShoeConfig)
    keypad: DeviceConfig = field(default_factory=DeviceConfig)
    lamp: DeviceConfig = field(default_factory=DeviceConfig)


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. ``folder`` takes a symlink a device; ``speed`` scales moving parts, not the link.

    ``fed_by_hand``: no shuffler stands at the table.
    """

    folder: str
    seed: int = 0
    decks: int = 4
    backs: tuple[str, ...] = BACKS
    speed: float = 1.0
    quick: bool = False
    compartments: int | None = None
    fed_by_hand: bool = False
    faults: str = "none"
    devices: DevicesConfig = field(default_factory=DevicesConfig)

    def table(self, rng: Random, now: Now, ids: Random | None = None) -> PhysicalTable:
        """The table that the file describes. Raises ValueError for an unknown make or a text that fits no hello."""
        return self.fittings.set_up(rng, now, ids)

    @property
    def names(self) -> tuple[str, ...]:
        """The devices of the table."""
        return tuple(name for name in DEVICES if name != SHUFFLER or not self.fed_by_hand)

    @property
    def fittings(self) -> Fittings | BatchFittings | HandFedFittings:
        """How that table is fitted. Raises ValueError likewise."""
        given = self.devices
        if self.fed_by_hand:
            return HandFedFittings(**self._fitted(SABOT_CAROUSEL, HAND_FED_PLANS[self.faults]))
        batch = BATCH_SHUFFLERS.get(given.shuffler.make or "")
        if batch is not None:
            build = batch.quick if self.quick else None
            return BatchFittings(machine=batch.built_as, build=build, **self._fitted(batch, BATCH_PLANS[self.faults]))
        shuffler = _make(SHUFFLER, given.shuffler, SHUFFLERS)
        return Fittings(
            rates=QUICK if self.quick else NORMAL,
            compartments=shuffler.compartments if self.compartments is None else self.compartments,
            shuffler=shuffler.built_as,
            **self._fitted(shuffler, PLANS[self.faults]),
        )

    def _fitted(self, shuffler: Make[Any], faults: Plan) -> dict[str, Any]:
        """What every table is fitted with."""
        given = self.devices
        shoe, lamp = _make(SHOE, given.shoe, SHOES), _make(LAMP, given.lamp, LAMPS)
        keypad = _make(KEYPAD, given.keypad, KEYPADS)
        return {
            "decks": self.decks,
            "backs": self.backs,
            "identities": {
                SHUFFLER: given.shuffler.identity(shuffler.identity),
                SHOE: given.shoe.identity(shoe.identity),
                KEYPAD: given.keypad.identity(keypad.identity),
                LAMP: given.lamp.identity(lamp.identity),
            },
            "faults": faults,
            "noise": NOISE[self.faults],
            "shoe": shoe.built_as,
            "keypad": keypad.built_as,
            "lamp": lamp.built_as,
        }


def _make(device: str, given: DeviceConfig, known: Mapping[str, M]) -> M:
    """Return the make that a device is of; the first is the usual one."""
    name = next(iter(known)) if given.make is None else given.make
    if name not in known:
        raise ValueError(f"devices.{device}: make = {name!r}: registry.py knows {', '.join(known)}")
    return known[name]


def load(path: Path) -> Config:
    """Read a configuration. Raises ConfigError for a missing file, an unknown key or a value out of range."""
    try:
        config = msgspec.toml.decode(path.read_bytes(), type=Config)
        _check(config)
        config = msgspec.structs.replace(config, folder=str(path.parent.absolute() / config.folder))
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
    if config.compartments is not None and not 1 <= config.compartments <= MOST_COMPARTMENTS:
        raise ValueError(f"compartments = {config.compartments}: give 1 to {MOST_COMPARTMENTS}")
    if config.faults not in PLANS:
        raise ValueError(f"faults = {config.faults!r}: the plans are {', '.join(PLANS)}")
    if config.fed_by_hand and config.devices.shuffler != ShufflerConfig():
        raise ValueError("fed_by_hand = true says that no shuffler stands there: leave [devices.shuffler] out")
    _ = config.fittings  # Raises for a make that is none and a text that no hello can carry.
