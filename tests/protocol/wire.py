"""One direction of a bad line: what happens to a frame is drawn, or said beforehand; each time it did is counted."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from enum import Enum
from random import Random

from drivers.protocol.framing import END, MAX_FRAME


class Fate(Enum):
    """What can happen to a frame. No cable overtakes itself: only a box between two cables lets frames be *late*."""

    LOST = "lost"
    LATE = "overtaken by later frames"
    COPIED = "copied, the copy late"
    DOUBLED = "doubled"
    CORRUPTED = "a bit flipped"
    CUT = "cut short"
    MERGED = "run into the next one"
    NOISY = "garbage before it"
    SPLIT = "split over two reads"
    STALLED = "held up with all behind it"


MOST_LATE = 20
LATEST = 60
LONGEST_STALL = 20
"""Ticks."""


class Wire:
    """Carries what is sent in one tick to what arrives in that tick."""

    def __init__(self, rng: Random, struck: Counter[str], fates: Sequence[Fate] = tuple(Fate)) -> None:
        self.badness = 0.0
        """Chance of a frame to meet something."""
        self.planned: deque[Fate | None] = deque()
        """What the next frames meet, in order; None: nothing."""
        self._fates = fates
        self._rng = rng
        self._struck = struck
        self._late: list[tuple[int, bytes]] = []
        """Frames with the tick in which each arrives, after what was sent before then."""
        self._tick = 0
        self._held = b""
        self._held_for = 0

    def carry(self, sent: bytes) -> bytes:
        """Return what arrives now."""
        self._tick += 1
        arriving = b"".join(frame for due, frame in self._late if due <= self._tick)
        self._late = [(due, frame) for due, frame in self._late if due > self._tick]
        self._held_for -= 1
        if self._held_for <= 0:
            arriving, self._held = arriving + self._held, b""
        for frame in sent.split(END)[:-1]:
            is_behind = self._held_for > 0
            arrives = self._meet(frame + END)
            if is_behind:
                self._held += arrives
            else:
                arriving += arrives
        return arriving

    def unplug(self) -> None:
        """Lose what is under way."""
        self._late.clear()
        self._held = b""

    def calm_down(self) -> bytes:
        """Let nothing happen any more; return all that was under way."""
        self.badness = 0.0
        self.planned.clear()
        arriving = self._held + b"".join(frame for _, frame in self._late)
        self.unplug()
        self._held_for = 0
        return arriving

    def _meet(self, frame: bytes) -> bytes:
        if self.planned and frame != END:
            fate = self.planned.popleft()
        elif self._rng.random() < self.badness:
            fate = self._rng.choice(self._fates)
        else:
            fate = None
        if fate is None:
            return frame
        self._struck[fate.value] += 1
        return self._struck_by(fate, frame)

    def _struck_by(self, fate: Fate, frame: bytes) -> bytes:
        at = self._rng.randrange(len(frame))
        match fate:
            case Fate.LOST:
                return b""
            case Fate.LATE | Fate.COPIED:
                due = self._tick + self._rng.choice((1, 5, LATEST)) * self._rng.randint(1, 10) // 10
                self._late = [*self._late[-MOST_LATE:], (due, frame)]
                return b"" if fate is Fate.LATE else frame
            case Fate.DOUBLED:
                return frame + frame
            case Fate.CORRUPTED:
                return frame[:at] + bytes([frame[at] ^ 1 << self._rng.randrange(8)]) + frame[at + 1 :]
            case Fate.CUT:
                return frame[:at]
            case Fate.MERGED:
                return frame.removesuffix(END)
            case Fate.NOISY:
                return self._rng.randbytes(self._rng.randint(1, 2 * MAX_FRAME)) + frame
            case Fate.SPLIT | Fate.STALLED:
                if self._held_for > 0:
                    return frame  # behind what is held already
                self._held_for = 1 if fate is Fate.SPLIT else self._rng.randint(2, LONGEST_STALL)
                self._held = frame[at:] if fate is Fate.SPLIT else frame
                return frame[:at] if fate is Fate.SPLIT else b""
