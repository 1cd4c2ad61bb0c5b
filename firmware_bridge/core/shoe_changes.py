"""What a decision changes of a shoe that is filled by hand."""

from __future__ import annotations

from firmware_bridge.core.device_changes import Change


class CardsCut(Change, frozen=True, tag="cards_cut"):
    """The cards were cut: by the one whose right it was, so the dealer said (0), or by this person, as no player did.

    Where the dealer may cut himself, his YES says that as well.
    """

    person: int = 0


class ShoeFilled(Change, frozen=True, tag="shoe_filled"):
    """All cards, so many, went into the shoe; the warning card before them, placed for one player or for more."""

    cards: int
    one_player: bool


class ShoeMarked(Change, frozen=True, tag="shoe_marked"):
    """The last round of this shoe: its warning card came with so many cards behind it, or has not come by then.

    ``counted``: it has none, for a machine filled it and counted its cards; so many are left.
    """

    behind: int
    came: bool
    counted: bool = False


class PlayStopped(Change, frozen=True, tag="play_stopped"):
    """Play stopped for want of players or of bets: all cards are shown, and the right to cut begins anew (PT-S8)."""
