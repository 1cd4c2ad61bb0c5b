"""What a rule book says, as typed values. The same for every jurisdiction: what differs is the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Overseer = Literal["table_inspector", "supervisor", "room_manager"]
"""Who may be the one present, or the one who signs: roles as in ``core.words.Role``, above the dealer."""


class Equipment(Struct, frozen=True):
    """What the table is furnished with."""

    decks_allowed: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=8)], ...],
        Meta(min_length=1, max_length=8, extra_json_schema={"description": "the fewest first, none twice"}),
    ]


class Opening(Struct, frozen=True):
    """What the dealer does with the cards before they are loaded."""

    show_cards: bool
    check_backs: bool
    mix_by_hand: bool


class Loading(Struct, frozen=True):
    """How the cards come into the machine."""

    min_packs: Annotated[int, Meta(ge=1, le=8)]
    loadings_per_session: Annotated[int, Meta(ge=1, le=8)]
    present: Overseer


class Cut(Struct, frozen=True):
    """Whether the cards are cut."""

    with_shuffler: bool


class LastRound(Struct, frozen=True):
    """Whether the last round of the shoe is announced."""

    announced_with_continuous: bool


class Rounds(Struct, frozen=True):
    """Where the cards of a round go."""

    used_cards_to_discard_at_once: bool
    discards_return_after_each: bool
    may_leave_in_discard: bool


class Claims(Struct, frozen=True):
    """Until when a claim about a round is admissible."""

    until: Literal["first_card_returned"]


class Closing(Struct, frozen=True):
    """How the cards come out of the machine, and what is done with them."""

    taken_out_only_at_close: bool
    unloading_present: Overseer
    sort_decks: bool


class Decks(Struct, frozen=True):
    """Which decks may be played with."""

    imperfect_needs_authorisation: bool


class House(Struct, frozen=True):
    """Where the law is silent: the house's values. ``_s``: seconds of table time, ``_ms``: of link time."""

    burn_with_shuffler: Annotated[int, Meta(ge=0, le=8)]
    min_pack: Annotated[int, Meta(ge=1, le=208)]
    presence_interval_s: Annotated[int, Meta(ge=10, le=600)]
    round_card_limit: Annotated[int, Meta(ge=20, le=208)]
    rounds_between_counts: Annotated[int, Meta(ge=1, le=1000)]
    return_window_s: Annotated[int, Meta(ge=10, le=600)]
    entry_timeout_s: Annotated[int, Meta(ge=5, le=120)]
    split_lag_s: Annotated[int, Meta(ge=1, le=10)]
    inventory_time_s: Annotated[int, Meta(ge=10, le=600)]
    flush_limit_ms: Annotated[int, Meta(ge=100, le=2500)]
    wrong_entries: Annotated[int, Meta(ge=3, le=10)]
    lock_out_s: Annotated[int, Meta(ge=60, le=3600)]
    call_supervisor_after_s: Annotated[int, Meta(ge=10, le=600)]
    escalate_after_s: Annotated[int, Meta(ge=30, le=3600)]
    after_emptying: Literal["close_session", "reload_with_room_manager"]
    damaged_deck_replaced: Literal["before_next_session"]
    power_cut: Literal["gap_and_full_count"]
    difference_signed_by: Overseer


class Source(Struct, frozen=True):
    """Where a value comes from: ``id`` names a clause or a house value; ``reason`` is empty for a clause."""

    id: str
    reason: str


class RuleBook(Struct, frozen=True):
    """One rule book. ``digest`` is the SHA-256 of the file, in hex: it proves which book bound a session."""

    id: str
    title: str
    digest: str
    equipment: Equipment
    opening: Opening
    loading: Loading
    cut: Cut
    last_round: LastRound
    rounds: Rounds
    claims: Claims
    closing: Closing
    decks: Decks
    house: House
    sources: Mapping[str, Source]

    def clause_of(self, key: str) -> str:
        """Return what stands behind a value (``loading.min_packs``): ``PT-A5``, or ``house.min_pack``."""
        return self.sources[key].id

    def reason_of(self, key: str) -> str:
        """Return why the house set a value; empty where the law did."""
        return self.sources[key].reason


SECTIONS: Mapping[str, type[Any]] = {
    "equipment": Equipment,
    "opening": Opening,
    "loading": Loading,
    "cut": Cut,
    "last_round": LastRound,
    "rounds": Rounds,
    "claims": Claims,
    "closing": Closing,
    "decks": Decks,
    "house": House,
}
"""The tables of a rule book's file, by name."""
