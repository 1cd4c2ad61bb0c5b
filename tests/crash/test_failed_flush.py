"""A flush fails, and the process is gone before it could give the file up; the next one reads what memory still shows.

What a failed flush leaves is taken for written by the system: it can be read, and is on no disk. A journal that goes on
behind it loses, at the next power cut, all that it acknowledged from then on.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import SqliteStore, store
from tests.crash.disk import Acknowledged, Platter, Recorder, Step
from tests.crash.test_crash_images import Played, check, held, played  # noqa: F401  a fixture

KEPT, FAILED, MORE = 150, 3, 2
"""Records that were acknowledged, that the failed flush should have written, and that the next process writes."""

FATES: dict[str, Callable[[Random], Callable[[], bool]]] = {
    "none of it had reached the disk": lambda _rng: lambda: False,
    "half of it had": lambda rng: lambda: rng.random() < 0.5,
    "all of it had": lambda _rng: lambda: True,
}


def killed_at_a_failed_flush(folder: Path, played: Played) -> tuple[list[Step], int]:  # noqa: F811
    """Fail a flush, be gone, start again, write more; return all steps, and the first one of the second process."""
    recorder, before, after = Recorder(), folder / "before", folder / "after"
    before.mkdir(parents=True)
    shutil.copy(played.folder / "journal.key", before)
    with pytest.MonkeyPatch.context() as monkeypatch:
        recorder.watch(monkeypatch)
        gone = opened(before, recorder)
        gone.append(played.entries[:KEPT], sign=True)
        recorder.steps.append(Acknowledged(KEPT))
        recorder.failing = True
        with pytest.raises(JournalError, match="The disk failed"):
            gone.append(played.entries[KEPT : KEPT + FAILED], sign=True)
        recorder.failing = False
        shutil.copytree(before, after, ignore=shutil.ignore_patterns("*-shm"))  # what memory shows of the files
        began = len(recorder.steps)
        with opened(after, recorder) as next_one:
            last = next_one.last_number
            assert last in (KEPT, KEPT + FAILED)
            next_one.append(played.entries[last : last + MORE], sign=True)
            recorder.steps.append(Acknowledged(last + MORE))
        steps = list(recorder.steps)
        gone.close()  # long after it is gone: nothing of that counts
    recorder.close()
    return steps, began


def opened(folder: Path, recorder: Recorder) -> SqliteStore:
    """The journal in a folder, on the recorded disk."""
    return SqliteStore.open(
        folder / "journal", table="BJ 7", key_path=folder / "journal.key", connect=recorder.connect, anew=True
    )


@pytest.mark.field("BR-036")
@pytest.mark.clause("SB-11")
@pytest.mark.parametrize("fate", FATES)
def test_what_the_next_process_acknowledges_outlasts_a_power_cut(
    played: Played,  # noqa: F811
    fate: str,
    tmp_path: Path,
) -> None:
    steps, began = killed_at_a_failed_flush(tmp_path, played)
    rng = Random(fate)
    platter = Platter(FATES[fate](rng))
    for place, step in enumerate(steps):
        platter.take(step)
        for again in range(4 if place >= began else 0):
            check(platter, rng, played, tmp_path / f"{place} {again}")
    assert platter.acknowledged >= KEPT + MORE


@pytest.mark.field("BR-036")
def test_the_images_would_show_a_journal_that_trusts_what_memory_shows(
    played: Played,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "written_again", lambda _path: None)
    steps, _ = killed_at_a_failed_flush(tmp_path, played)
    platter = Platter()
    for step in steps[: steps.index(Acknowledged(KEPT + FAILED + MORE)) + 1]:
        platter.take(step)
    (tmp_path / "image").mkdir()
    platter.image(Random(0), tmp_path / "image")
    assert len(held(tmp_path / "image", played)) < platter.acknowledged
