"""The fold of what is about a shoe that is filled by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from firmware_bridge.core import changes as c
from firmware_bridge.core.shoe import Shoe
from firmware_bridge.core.state import State


def _cards_cut(state: State, change: c.CardsCut) -> None:
    state.shoe.in_turn = 0 if change.person else state.shoe.in_turn + 1


def _shoe_filled(state: State, change: c.ShoeFilled) -> None:
    before = state.shoe
    state.shoe = Shoe(before.number + 1, state.record, change.cards, before.in_turn, change.one_player)
    state.burned = 0


def _shoe_marked(state: State, change: c.ShoeMarked) -> None:
    state.shoe.marked_at = state.shoe.marked_at or state.record
    if change.came:
        state.shoe.behind = change.behind


def _play_stopped(state: State, change: c.PlayStopped) -> None:
    state.shoe.stopped, state.shoe.in_turn = True, 0


OF_A_SHOE: Mapping[type[c.Change], Callable[[State, Any], None]] = MappingProxyType(
    {
        c.CardsCut: _cards_cut,
        c.ShoeFilled: _shoe_filled,
        c.ShoeMarked: _shoe_marked,
        c.PlayStopped: _play_stopped,
    }
)
"""What each of these changes moves."""
