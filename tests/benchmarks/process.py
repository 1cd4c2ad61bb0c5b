"""Processes under measure: they see the libraries that a table's PC has, and none that only tests need.

It matters: structlog imports rich wherever it is installed, and then takes three times as long and 15 MB more. And they
keep their bytecode, as an installed distribution does, whatever this shell was told: else each start compiles
430 modules.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.architecture.tree import ROOT

LIMIT = 30.0
"""Seconds after which a measure gives up waiting for another process."""

HIDE = "import sys; sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(',')))"
"""What is None there cannot be imported."""

RUN = f"{HIDE}; import runpy; del sys.argv[0]; runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"


@cache
def hidden() -> str:
    """Return the packages that are installed here and not at a table, for ``HIDE``."""
    locked = re.findall(r"^([\w.-]+)==", (ROOT / "lock-run.txt").read_text(encoding="utf-8"), re.MULTILINE)
    kept = {_plain(name) for name in (*locked, "sabot")}
    return ",".join(name for name, of in packages_distributions().items() if not kept & {_plain(one) for one in of})


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def environment() -> dict[str, str]:
    """Return this process's environment, but for what keeps Python from keeping bytecode."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def started(script: str) -> subprocess.CompletedProcess[str]:
    """Run a line of Python to its end."""
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment())


def seconds_to_start() -> float:
    """Return how long an interpreter takes that starts and does nothing."""
    began = time.perf_counter()
    started("pass")
    return time.perf_counter() - began


@contextmanager
def running(
    module: str, *arguments: str, log: Path, descriptors: Sequence[int] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Python module that does not end by itself until the context ends; what it says goes to ``log``.

    ``RuntimeError`` with that where it ended all the same and somebody waited for it in vain.
    """
    command = [sys.executable, "-c", RUN, hidden(), module, *arguments]
    with log.open("ab") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, cwd=ROOT, env=environment(), pass_fds=descriptors)
        try:
            yield process
        except TimeoutError as error:
            if process.poll() is not None:
                said = log.read_text(encoding="utf-8", errors="replace")
                raise RuntimeError(f"{module} ended with status {process.returncode}:\n{said[-2000:]}") from error
            raise
        finally:
            process.terminate()
            process.wait(LIMIT)
