"""Front page and simulator's page, done to the letter in a copy: a new shuffler runs, and nothing is asked."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.architecture.test_readme import PAGE, example
from tests.architecture.tree import ROOT
from tests.transport.registered import written_in

SIMULATORS_PAGE = ROOT / "sim_hardware" / "README.md"
PACKAGES = ("drivers", "firmware_bridge", "sim_hardware")
NAME = "carrossel_54"
LIMIT = 120.0

SABOT = "from firmware_bridge.service.__main__ import main; main()"
SIM_HARDWARE = "from sim_hardware.service import main; main()"


def simulators_example(language: str) -> str:
    """Return the example in a language in the section that adds a make."""
    section = (
        SIMULATORS_PAGE.read_text(encoding="utf-8").partition("## Add a make in one file")[2].partition("\n## ")[0]
    )
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", section.partition("\n## ")[0], re.M | re.S)
    return str(block)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages in which somebody did what the two pages say."""
    clone = tmp_path_factory.mktemp("clone")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, clone / package, ignore=shutil.ignore_patterns("__pycache__"))
    for package, page, source, table in (
        ("drivers", PAGE, example("python"), "DRIVERS"),
        ("sim_hardware", SIMULATORS_PAGE, simulators_example("python"), "SHUFFLERS"),
    ):
        text = page.read_text(encoding="utf-8")
        assert f"`{package}/{NAME}.py`" in text, "the page says where the file belongs"
        (clone / package / f"{NAME}.py").write_text(source, encoding="utf-8")
        registry = clone / package / "registry.py"
        registry.write_text(written_in(registry.read_text(encoding="utf-8"), text, package, table), encoding="utf-8")
    return clone


def command(program: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", program, *arguments]


def environment(clone: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(clone)}


@pytest.mark.timeout(LIMIT)
def test_the_new_make_plays_a_whole_session_in_the_demonstration(clone: Path) -> None:
    assert f'make run ARGS="--shuffler {NAME}"' in SIMULATORS_PAGE.read_text(encoding="utf-8")
    options = ("--headless", "--seed", "7", "--speed", "10", "--rounds", "1", "--faults", "none")
    played = subprocess.run(
        command(SABOT, "demo", "--shuffler", NAME, *options, "--journal", str(clone / "journal")),
        cwd=clone,
        env=environment(clone),
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout.splitlines()[-1])["verified"]
    shown = subprocess.run(
        command(SABOT, "report", "session", str(clone / "journal")),
        cwd=clone,
        env=environment(clone),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "shuffler: Carrossel 54 0017" in shown


@contextmanager
def by_hand(clone: Path, folder: Path, more: str = "") -> Iterator[Path]:
    """The devices of the page's folder, by hand; yields the table's configuration."""
    shutil.copytree(clone / "sim_hardware" / "by_hand", folder)
    with (folder / "devices.toml").open("a") as devices:
        devices.write(simulators_example("toml") + more)
    table = folder / "table.toml"
    table.write_text(table.read_text().replace('driver = "continuous_shuffler"', f'driver = "{NAME}"'))
    with subprocess.Popen(
        command(SIM_HARDWARE, "--config", "devices.toml"),
        cwd=folder,
        env=environment(clone),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert any("ready" in line for line in iter(process.stdout.readline, "")), "it ended before it was ready"
            yield table
        finally:
            process.terminate()
            process.communicate(timeout=LIMIT)


def identified(clone: Path, table: Path) -> str:
    """What ``sabot devices`` says of the devices."""
    told = subprocess.run(
        command(SABOT, "devices", "--config", table.name, "--identify"),
        cwd=table.parent,
        env=environment(clone),
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    return told.stdout + told.stderr


def test_by_hand_it_says_who_it_is(clone: Path, tmp_path: Path) -> None:
    with by_hand(clone, tmp_path / "by-hand") as table:
        assert "Carrossel 54 0017" in identified(clone, table)


def test_one_that_lacks_what_its_driver_requires_is_told_so(clone: Path, tmp_path: Path) -> None:
    assert "`reads_faces = false`" in SIMULATORS_PAGE.read_text(encoding="utf-8")
    with by_hand(clone, tmp_path / "by-hand", "reads_faces = false\n") as table:
        assert "lacks READS_FACES, which a Carrossel 54 must have" in identified(clone, table)
