"""The repository as the tests of this folder read it: its files, their text, their syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("drivers", "firmware_bridge")
CODE = (*PRODUCT, "sim_hardware", "tests")
FOLDERS = {*CODE, "udev", ".ci"}
FILES = {
    ".gitignore", "CHANGELOG.md", "DECISIONS.md", "Makefile", "README.md",
    "lock-run.txt", "lock-test.txt", "pyproject.toml",
}  # fmt: skip
"""The top level is fixed; documentation of a part stands in that part's own README.md."""

MADE_BY_TOOLS = {"__pycache__"}


def files(*folders: str, suffix: str = "") -> list[Path]:
    """Return every file under the named folders, in order, without what a tool has made."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob(f"*{suffix}")))
    return [path for path in found if path.is_file() and not MADE_BY_TOOLS.intersection(path.parts)]


def committed() -> list[Path]:
    """Return every file that belongs to the repository."""
    return [ROOT / name for name in sorted(FILES) if (ROOT / name).exists()] + files(*sorted(FOLDERS))


def name(path: Path) -> str:
    """Return how a message names a file: its path from the top of the repository."""
    return path.relative_to(ROOT).as_posix()


def texts(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file that is text, with it; a golden vector may be bytes."""
    for path in paths:
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


@cache
def syntax(path: Path) -> ast.Module:
    """Return a Python file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=name(path))


def nodes(*folders: str) -> Iterator[tuple[Path, ast.AST]]:
    """Yield every node of the syntax of every Python file under the folders."""
    for path in files(*folders, suffix=".py"):
        for node in ast.walk(syntax(path)):
            yield path, node
