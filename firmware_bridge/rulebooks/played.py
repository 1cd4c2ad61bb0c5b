"""Values that no procedure asks for yet, and the one way in which they play: a book that says otherwise is refused.

A value leaves this table with the row or guard that asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping

PLAYED: Mapping[str, object] = {
    "decks.imperfect_needs_authorisation": True,
    "opening.show_cards": True,
    "opening.check_backs": True,
    "opening.mix_by_hand": True,
    "loading.loadings_per_session": 1,
    "loading.present": "supervisor",
    "cut.with_shuffler": False,
    "last_round.announced_with_continuous": False,
    "rounds.used_cards_to_discard_at_once": True,
    "rounds.discards_return_after_each": True,
    "closing.taken_out_only_at_close": True,
    "closing.unloading_present": "supervisor",
    "closing.sort_decks": True,
    "house.after_emptying": "close_session",
    "house.difference_signed_by": "room_manager",
}
