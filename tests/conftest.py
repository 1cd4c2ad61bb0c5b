"""What every test stands on: nothing left behind, logging as it was, the same examples in every run."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import structlog

from tests import clause_coverage, row_coverage

# The same examples in every run, so that a red test is red for everyone; `--hypothesis-profile=explore` looks
# for new ones and prints how to repeat what it finds.
hypothesis.settings.register_profile("house", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis.settings.register_profile(
    "explore", deadline=None, derandomize=False, max_examples=2_000, database=None, print_blob=True
)
hypothesis.settings.load_profile("house")

# A run in the background inherits Ctrl-C ignored (nohup, make &), and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """See which rows fire and which clauses are proved."""
    for watching in (row_coverage, clause_coverage):
        config.pluginmanager.register(watching)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have to tell (``record_property("told", …)``), whether they passed or not."""
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, what in getattr(report, "user_properties", ()) if getattr(report, "when", "") == "call" else ():
                if name == "told":
                    terminalreporter.write_line(str(what))


def open_files() -> dict[int, str]:
    """Return this process's open file descriptors and what each of them leads to."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:  # the listing's own descriptor, closed since
            continue
    return found


def device_links(folder: Path) -> list[str]:
    """Return the symbolic links under ``folder`` that lead to a device (to a pseudo-terminal, say)."""
    links = (path for path in folder.rglob("*") if path.is_symlink())
    return sorted(str(link) for link in links if str(link.readlink()).startswith("/dev/"))


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, a file descriptor or a link to a device behind."""
    folder = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    threads, files = set(threading.enumerate()), open_files()
    yield
    left = [f"thread {thread.name!r}" for thread in threading.enumerate() if thread not in threads]
    if open_files().items() - files.items():
        gc.collect()  # what only a cycle keeps open closes itself, with the warning that fails the test
        left += [f"file descriptor {fd} on {where}" for fd, where in open_files().items() - files.items()]
    if folder is not None:
        left += [f"device link {link}" for link in device_links(folder)]
    assert not left, "left behind by this test: " + "; ".join(left)


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Give every test structlog unconfigured and without context, whatever the test before did to it."""
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
