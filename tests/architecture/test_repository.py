"""The repository as it arrives elsewhere: a fixed top level, whole locks, nothing private, no dead link."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path

import pytest

from tests.architecture import tree

LOCKS = ("lock-run.txt", "lock-test.txt")
PINNED = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; [^\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)

REGISTRIES = frozenset(
    {
        "a4aa2ac280bb8d1a0ce7a1be5a7bfb10292b49fe9435ad5cff19f421f3c70e41",
        "8b5bb5eb9d758455b8635855cf8aaf05b68775e3f83f0291e800ef338fb9783c",
        "8743857e3ea00fd1c64bbc68b8af241954ad2c285e7a60340eec7ea5dcb200db",
        "e680c440a2e92079ab1bf7a927e8d3920f1bcd173c0487e28e020110b2e59efc",
    }
)
"""Hosts of package registries, by the SHA-256 of their names, so that this file does not name them either."""

HOST = re.compile(r"(?=((?:[a-z0-9-]+\.)+(?:org|com|net|io)\b))|(?<![\w.])(/(?:home|Users)/\w)")

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.M)
FENCED = re.compile(r"^```.*?^```", re.M | re.S)


def test_the_top_level_is_fixed() -> None:
    there = {path.name for path in tree.ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    made_by_tools = {name for name in there if name.endswith(".egg-info")} | {"build", "dist", "__pycache__"}
    assert there - made_by_tools <= tree.FOLDERS


def locked(lock: str) -> dict[str, str]:
    """Return what a lock file holds with version and hashes: the version of each library."""
    text = (tree.ROOT / lock).read_text(encoding="utf-8")
    return {library: version for library, version, _ in PINNED.findall(text)}


def asked_for(requirement: str) -> str:
    """Return the name of the library that a requirement of pyproject.toml asks for."""
    return re.split(r"[ <>=!~;\[]", requirement, maxsplit=1)[0].lower()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_holds_nothing_but_libraries_with_hashes(lock: str) -> None:
    text = (tree.ROOT / lock).read_text(encoding="utf-8")
    rest = [line for line in PINNED.sub("", text).splitlines() if line and not line.lstrip().startswith("#")]
    assert not rest, "every library has one version and its hashes, and no option or address stands beside them"


def test_the_lock_files_hold_what_the_project_asks_for() -> None:
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    run, test = (locked(lock) for lock in LOCKS)
    assert {asked_for(line) for line in project["dependencies"]} <= run.keys()
    assert {asked_for(line) for line in project["optional-dependencies"]["test"]} <= test.keys()
    assert run.items() <= test.items(), "what is tested is what runs; `make lock` writes both"


def test_no_registry_and_no_home_is_named() -> None:
    named = [
        f"{tree.name(path)}: {host or home}"
        for path, text in tree.texts(tree.committed())
        for host, home in HOST.findall(text)
        if home or hashlib.sha256(host.encode()).hexdigest() in REGISTRIES
    ]
    assert not named, "where libraries come from is a setting of each machine; nobody's folder is everybody's"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as readers of Markdown make them."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(page: Path, target: str) -> bool:
    """Tell whether a page's link leads to a file of the repository, and to a heading if it names one."""
    path, _, anchor = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    if not there.is_relative_to(tree.ROOT) or not there.exists():
        return False
    return not anchor or anchor in anchors(there)


def test_links_between_pages_lead_somewhere() -> None:
    dead = [
        f"{tree.name(page)}: {target}"
        for page in tree.committed()
        if page.suffix == ".md"
        for target in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
        if "://" not in target and not leads_somewhere(page, target)
    ]
    assert not dead
