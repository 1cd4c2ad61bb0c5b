"""Which software runs at a table: its version, and a digest of its files as they lie on this computer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import drivers
import firmware_bridge

SOFTWARE = "sabot 0.1.0"

PACKAGES = tuple(Path(package.__path__[0]) for package in (drivers, firmware_bridge))
"""What drives the devices and what decides; whatever else is installed takes no part in a table."""


@cache
def software_digest() -> str:
    """The digest of this program's own files, read once: a file that changes later is not what runs."""
    return digest_of(PACKAGES)


def digest_of(packages: Iterable[Path]) -> str:
    """SHA-256 over all files of the packages: of each, in the order of their paths, its own SHA-256 and its path.

    What the interpreter writes beside them (``__pycache__``) is none of them. ``OSError``: one cannot be read.
    """
    digest = hashlib.sha256()
    for package in packages:
        files = {path.relative_to(package.parent).as_posix(): path for path in package.rglob("*") if path.is_file()}
        for name in sorted(files):
            if "__pycache__" not in files[name].parts:
                digest.update(f"{hashlib.sha256(files[name].read_bytes()).hexdigest()}  {name}\n".encode())
    return digest.hexdigest()
