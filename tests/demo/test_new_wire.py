"""The drivers' page, done to the letter in a copy: a make with a wire of its own is seen to run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT
from tests.demo.test_new_make import LIMIT, PACKAGES, environment
from tests.transport.registered import written_in
from tests.transport.test_worked_example import README, written_examples


@pytest.mark.timeout(LIMIT)
def test_driver_and_model_talk_and_who_it_is_and_what_it_tells_is_printed(tmp_path: Path) -> None:
    clone, folder = tmp_path / "clone", tmp_path / "empty"
    folder.mkdir()
    for package in PACKAGES:
        shutil.copytree(ROOT / package, clone / package, ignore=shutil.ignore_patterns("__pycache__"))
    page = README.read_text(encoding="utf-8")
    driver, model, script = written_examples()
    for package, source, table in (("drivers", driver, "DRIVERS"), ("sim_hardware", model, "SHUFFLERS")):
        assert f"`{package}/fortuna_2.py`" in page, "the page says where the file belongs"
        (clone / package / "fortuna_2.py").write_text(source, encoding="utf-8")
        registry = clone / package / "registry.py"
        registry.write_text(written_in(registry.read_text(encoding="utf-8"), page, package, table), encoding="utf-8")
    (folder / "see.py").write_text(script, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "see.py"], cwd=folder, env=environment(clone), capture_output=True, text=True, timeout=LIMIT
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    told = re.findall(r"LinkOpened|model='Fortuna 2'|LidMoved\(open=\w+\)|CardIn|CardFed|FeedEmpty", ran.stdout)
    lid = ["LidMoved(open=True)", "LidMoved(open=False)"]
    assert [one for one in told if one != "model='Fortuna 2'"] == ["LinkOpened", *lid, "CardIn", "CardFed", "FeedEmpty"]
    assert "model='Fortuna 2'" in told
    assert not list((folder / "ports").iterdir()), "no link to a port stays behind"
