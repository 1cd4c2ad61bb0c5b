"""Whether every mutant fits the product: each is applied in a fork of this process, which has built no machine yet."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from functools import partial

from tests.forks import in_forks
from tests.mutants.mutant import Mutant


def misfits(mutants: Iterable[Mutant]) -> list[str]:
    """Return what is wrong with each mutant that cannot be applied, or that changes nothing."""
    tasks = {mutant.name: partial(_apply, mutant) for mutant in mutants}
    return [f"{name}: {told}" for name, told in in_forks(tasks, jobs=1) if told]


def _apply(mutant: Mutant) -> str:
    try:
        mutant.apply()
    except Exception:  # noqa: BLE001 - told as what it is: a mutant that fits the product no more
        return traceback.format_exc()
    return ""
