"""The software's digest is over what runs at a table: another file, or another content, is another digest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.service.software import PACKAGES, digest_of, software_digest


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "one.py").write_text("ONE = 1\n")
    (folder / "book.toml").write_text("value = 1\n")
    return folder


@pytest.mark.parametrize(
    "alter",
    [
        lambda package: (package / "part" / "one.py").write_text("ONE = 2\n"),
        lambda package: (package / "book.toml").write_text("value = 2\n"),
        lambda package: (package / "part" / "one.py").rename(package / "part" / "two.py"),
        lambda package: (package / "more.py").write_text(""),
        lambda package: (package / "book.toml").unlink(),
    ],
)
def test_whatever_is_altered_gives_another_digest(package: Path, alter: Callable[[Path], object]) -> None:
    before = digest_of([package])
    alter(package)
    assert digest_of([package]) != before


def test_what_the_interpreter_writes_and_where_it_all_lies_give_none(package: Path, tmp_path: Path) -> None:
    before = digest_of([package])
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "one.pyc").write_bytes(b"0")
    assert digest_of([package]) == before
    (tmp_path / "elsewhere").mkdir()
    assert digest_of([package.rename(tmp_path / "elsewhere" / "package")]) == before


def test_it_is_over_what_drives_the_devices_and_what_decides() -> None:
    assert [path.name for path in PACKAGES] == ["drivers", "firmware_bridge"]
    assert software_digest() == digest_of(PACKAGES)
    assert len(software_digest()) == 64
