"""The fold of the deal: places marked, cards placed, turns ended, slips remedied, one small function a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from firmware_bridge.core import deal_changes as c
from firmware_bridge.core.deal import Deal
from firmware_bridge.core.device_changes import Change
from firmware_bridge.core.slips import NamedSlip, repair
from firmware_bridge.core.state import State


def _marking_began(state: State, change: c.MarkingBegan) -> None:
    state.layout.marks = ()


def _place_marked(state: State, change: c.PlaceMarked) -> None:
    state.layout.marks = (*state.layout.marks, change.in_play)
    state.prompt = state.record  # the next question is another one


def _places_marked(state: State, change: c.PlacesMarked) -> None:
    state.layout.in_play = change.places


def _deal_began(state: State, change: c.DealBegan) -> None:
    state.deal = Deal(change.places, change.first, change.late)


def _card_placed(state: State, change: c.CardPlaced) -> None:
    if state.deal is not None:
        state.deal.came()


def _turn_ended(state: State, change: c.TurnEnded) -> None:
    if state.deal is not None:
        state.deal.finished()
    state.prompt = state.record


def _deal_ended(state: State, change: c.DealEnded) -> None:
    state.deal = None


def _slip_named(state: State, change: c.SlipNamed) -> None:
    state.incidents[change.incident].slip = NamedSlip(change.slip, change.place)


def _remedy_taken(state: State, change: c.RemedyTaken) -> None:
    named = state.incidents[change.incident].slip
    if state.deal is not None and named is not None:
        repair(state.deal, named, change.remedy)


OF_THE_DEAL: Mapping[type[Change], Callable[[State, Any], None]] = MappingProxyType(
    {
        c.MarkingBegan: _marking_began,
        c.PlaceMarked: _place_marked,
        c.PlacesMarked: _places_marked,
        c.DealBegan: _deal_began,
        c.CardPlaced: _card_placed,
        c.TurnEnded: _turn_ended,
        c.DealEnded: _deal_ended,
        c.SlipNamed: _slip_named,
        c.RemedyTaken: _remedy_taken,
    }
)
"""Every change of the deal, and what writes it down."""
