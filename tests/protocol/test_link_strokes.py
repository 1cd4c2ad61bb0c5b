"""Strokes of a keypad: an entry is what was typed, the whole of it, once, or nothing (rules 30 and 31)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from tests.protocol.bench import LINK, Bench

ENTER, CLEAR = m.Key.ENTER, m.Key.CLEAR
PROMPT = 31
PAD = {"kind": m.Kind.KEYPAD, "capabilities": m.Capability.SENDS_STROKES}


class Pad:
    """A keypad on the bench; the first entry of its link may begin."""

    def __init__(self) -> None:
        self.bench = Bench(kind=m.Kind.KEYPAD)
        self.counter = 0
        self.opened = self.bench.open(**PAD)
        self.hear(CLEAR)

    def hear(self, *keys: int) -> list[n.Notice]:
        """Return what the core tells of strokes that arrive."""
        return [notice for key in keys for notice in self.bench.hear(self.press(key)).notices]

    def press(self, key: int) -> m.Stroke:
        """Return the next stroke, which a test may lose."""
        self.counter += 1
        return m.Stroke(LINK, self.counter, PROMPT, key)


@pytest.fixture
def pad() -> Pad:
    return Pad()


def told(*keys: int) -> list[n.Notice]:
    return [n.StrokeTold(key, PROMPT) for key in keys]


@pytest.mark.rule(30)
def test_strokes_are_told_with_their_prompt(pad: Pad) -> None:
    assert pad.hear(1, 6, ENTER, 0, CLEAR) == told(1, 6, ENTER, 0, CLEAR)


@pytest.mark.rule(30)
def test_nothing_is_sent_for_a_stroke(pad: Pad) -> None:
    assert pad.bench.hear(pad.press(5)).sent == []


@pytest.mark.rule(30)
def test_a_copy_or_an_overtaken_stroke_is_dropped(pad: Pad) -> None:
    first = pad.press(1)
    pad.bench.hear(first)
    assert pad.bench.hear(first).notices == []
    late, later = pad.press(2), pad.press(3)
    pad.bench.hear(later)
    assert pad.bench.hear(late).notices == []


@pytest.mark.rule(31)
def test_after_a_gap_nothing_acts_up_to_and_including_the_next_enter(pad: Pad) -> None:
    """Of "1 6 Enter" with the 1 lost, "6 Enter" would be taken as the answer."""
    pad.press(1)
    assert pad.hear(6) == [n.EntryBroken()]
    assert pad.hear(ENTER) == []
    assert pad.hear(7, ENTER) == told(7, ENTER)


@pytest.mark.rule(31)
@pytest.mark.parametrize("end", [ENTER, CLEAR])
def test_an_enter_or_clear_right_after_the_gap_ends_it_and_acts_on_nothing(pad: Pad, end: int) -> None:
    pad.press(1)
    assert pad.hear(end) == [n.EntryBroken()]
    assert pad.hear(2) == told(2)


@pytest.mark.rule(31)
def test_a_second_gap_while_strokes_are_ignored_is_no_new_break(pad: Pad) -> None:
    pad.press(1)
    pad.hear(2)
    pad.press(3)
    assert pad.hear(4) == []


@pytest.mark.rule(31)
def test_a_stroke_lost_as_the_last_is_noticed_by_the_heartbeat(pad: Pad) -> None:
    pad.hear(1)
    pad.press(6)
    assert pad.bench.beat(strokes=pad.counter).only(n.EntryBroken)
    assert pad.hear(ENTER) == []


@pytest.mark.rule(31)
def test_a_heartbeat_that_shows_what_was_heard_breaks_nothing(pad: Pad) -> None:
    pad.hear(1)
    assert pad.bench.beat(strokes=pad.counter).only(n.EntryBroken) == []
    assert pad.hear(6) == told(6)


@pytest.mark.rule(31)
def test_every_opening_breaks_the_entry_and_says_so(pad: Pad) -> None:
    assert pad.opened.only(n.EntryBroken)
    pad.hear(1, 2, 3)
    pad.bench.disconnect()
    pad.counter = 0
    assert pad.bench.open(**PAD).only(n.EntryBroken)
    assert pad.hear(6, ENTER) == []
    assert pad.hear(7) == told(7)


def test_a_device_without_strokes_breaks_no_entry() -> None:
    assert Bench().open().only(n.EntryBroken) == []


@pytest.mark.rule(30)
@pytest.mark.rule(31)
@given(st.lists(st.tuples(st.sampled_from([1, 2, 3, ENTER]), st.sampled_from(["ok", "lost", "twice", "late"]))))
def test_an_entry_taken_is_what_was_typed(typed: list[tuple[int, str]]) -> None:
    """Whatever is lost, doubled or overtaken: an entry is one of those typed, whole, and none is taken twice."""
    pad = Pad()
    entries: list[list[int]] = [[]]
    late: list[m.Stroke] = []
    taken: list[list[int]] = []
    entry: list[int] = []
    for key, fate in typed:
        stroke = pad.press(key)
        entries[-1].append(key)
        if key == ENTER:
            entries.append([])
        arriving = {"ok": [stroke, *late], "lost": [], "twice": [stroke, stroke], "late": []}[fate]
        late = [stroke] if fate == "late" else []
        for notice in pad.bench.hear(*arriving).notices:
            if isinstance(notice, n.EntryBroken):
                entry = []
            elif isinstance(notice, n.StrokeTold):
                entry.append(notice.key)
                if notice.key == ENTER:
                    taken.append(entry)
                    entry = []
    position = 0
    for whole in taken:
        position = entries.index(whole, position) + 1
