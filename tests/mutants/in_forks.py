"""Hunting guards: a shift is played once as the product is, and forks where a guard bites: the copy goes on without it.

Until a guard alone keeps a row from firing, its mutant does what the product does. So the copy is that mutant's own
shift, of which only the rest has to be played.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Collection
from functools import cache

from tests.mutants.guards import PREFIX, let_through
from tests.mutants.hunt import Hunted, play

MOST = 60_000
"""Bytes of a violation that a copy tells; its last line comes last."""


class Forks:
    """In one process: which guards are hunted in the shift under way, and what became of each."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._shift = 0
        self._wanted: set[str] = set()
        self._without = ""
        self._tells = -1
        self._found: list[Hunted] = []
        let_through(self._is_out)

    def play(self, shift: int, books: str, wanted: Collection[str]) -> tuple[str, list[Hunted]]:
        """Play a shift, and each of these guards' mutants from where its guard bites first.

        Returns what breaks as the product is, and what became of each mutant whose guard bites here.
        """
        self._shift, self._wanted, self._found = shift, set(wanted), []
        try:
            violation = play(shift, books)
        except BaseException:
            if not self._without:
                raise
            violation = traceback.format_exc()
        if self._without:
            left = violation.encode()[-MOST:]
            while left:
                left = left[os.write(self._tells, left) :]
            os._exit(0)
        return violation, self._found

    def _is_out(self, guard: str) -> bool:
        """Whether this guard, which bites now, is taken out in this process. A way out's copy stays as its shift is."""
        name = PREFIX + guard
        if name in self._wanted and os.getpid() == self._process and not self._without:
            self._wanted.discard(name)
            self._fork(name)
        return name == self._without

    def _fork(self, name: str) -> None:
        began = time.monotonic()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self._without, self._tells = name, writer
            return
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            violation = pipe.read().decode(errors="replace")
        _, status = os.waitpid(child, 0)
        if status:
            raise RuntimeError(f"the copy of shift {self._shift} with {name} ended with status {status}")
        caught = self._shift if violation else None
        self._found.append(Hunted(name, caught, violation, time.monotonic() - began, 1))


@cache
def _forks() -> Forks:
    return Forks()


def play_in_forks(shift: int, books: str, wanted: Collection[str]) -> tuple[str, list[Hunted]]:
    """``Forks.play`` in a process of a pool, which has not built the machines before its first shift."""
    return _forks().play(shift, books, wanted)
