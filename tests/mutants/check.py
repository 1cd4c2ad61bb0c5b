"""Whether every mutant fits the product: each is applied in a fork of this process, which has built no machine yet."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable

from tests.mutants.mutant import Mutant


def misfits(mutants: Iterable[Mutant]) -> list[str]:
    """Return what is wrong with each mutant that cannot be applied, or that changes nothing."""
    return [f"{mutant.name}: {told}" for mutant in mutants if (told := _apply_in_a_fork(mutant))]


def _apply_in_a_fork(mutant: Mutant) -> str:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            mutant.apply()
        except BaseException:  # noqa: BLE001 - the fork has nobody else to tell
            os.write(writer, traceback.format_exc().encode()[-4000:])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    return told
