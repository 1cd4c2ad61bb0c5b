"""A PIN on its way from the keys to the check, and which PINs are too weak to be anybody's."""

from __future__ import annotations

import hmac
from itertools import pairwise
from typing import NoReturn

SHORTEST_PIN, LONGEST_PIN = 6, 12


class Pin:
    """A PIN as it was typed; it shows its digits only where they are asked for by name.

    It prints as ``Pin(hidden)``; never compared with ``==``, hashed, copied or pickled.
    """

    __slots__ = ("_digits",)

    def __init__(self, digits: str) -> None:
        self._digits = digits

    def digits(self) -> str:
        """Return the digits: for the check against the hash and for enrolment, nothing else."""
        return self._digits

    def typed_alike(self, again: Pin) -> bool:
        """Whether a new PIN was typed the same way twice; in a time that does not tell where they differ."""
        return hmac.compare_digest(self._digits.encode(), again._digits.encode())

    def __repr__(self) -> str:
        return "Pin(hidden)"

    def __eq__(self, other: object) -> NoReturn:
        # A comparison's time tells how many digits agree, and it invites to keep PINs for comparing.
        raise TypeError("PINs are not compared: check them against the person's hash")

    __hash__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a PIN is not copied, pickled or written anywhere")


def weakness(pin: Pin) -> str | None:
    """Return why a PIN is refused, without its digits; None for a good one."""
    digits = pin.digits()
    if not (digits.isascii() and digits.isdigit()):
        return "a PIN has digits only"
    if not SHORTEST_PIN <= len(digits) <= LONGEST_PIN:
        return f"a PIN has {SHORTEST_PIN} to {LONGEST_PIN} digits"
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(digits)}
    if steps == {0}:
        return "this PIN repeats one digit"
    if steps in ({1}, {9}):
        return "this PIN is a run of digits"
    return None
