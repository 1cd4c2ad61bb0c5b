"""The set bound to a table: good, with a deck marked imperfect, authorised all the same, or barred (PT-E4, SB-2)."""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.words import CardSet, Role, Trigger

BY_SUPERVISOR = only.by(Role.SUPERVISOR, "PT-E4")
BY_ROOM_MANAGER = only.by(Role.ROOM_MANAGER, "PT-E4")
MARKED = (BY_SUPERVISOR, only.about_a_deck)
AUTHORISED = (BY_ROOM_MANAGER, only.has_reference)
REPLACED = (BY_SUPERVISOR, only.between_sessions, only.deck_is_marked)
MANAGER = (BY_ROOM_MANAGER,)
SIGNS = (only.by_whom("house.difference_signed_by"),)

# fmt: off
ROWS = (
    #   from                trigger                  to                  clause    guards
    Row(CardSet.GOOD,       Trigger.MARK_IMPERFECT,  CardSet.IMPERFECT,  "PT-E4",  MARKED, do.mark_deck),
    Row(CardSet.IMPERFECT,  Trigger.MARK_IMPERFECT,  CardSet.IMPERFECT,  "PT-E4",  MARKED, do.mark_deck),
    Row(CardSet.AUTHORISED, Trigger.MARK_IMPERFECT,  CardSet.IMPERFECT,  "PT-E4",  MARKED, do.mark_deck),
    Row(CardSet.IMPERFECT,  Trigger.DECK_REPLACED,   CardSet.IMPERFECT,  "PT-E4",  (*REPLACED, only.others_are_marked), do.replace_deck),
    Row(CardSet.IMPERFECT,  Trigger.DECK_REPLACED,   CardSet.GOOD,       "PT-E4",  REPLACED, do.replace_deck),
    Row(CardSet.AUTHORISED, Trigger.DECK_REPLACED,   CardSet.IMPERFECT,  "PT-E4",  (*REPLACED, only.others_are_marked), do.replace_deck),
    Row(CardSet.AUTHORISED, Trigger.DECK_REPLACED,   CardSet.GOOD,       "PT-E4",  REPLACED, do.replace_deck),
    Row(CardSet.IMPERFECT,  Trigger.AUTHORISE_DECK,  CardSet.AUTHORISED, "PT-E4",  AUTHORISED, do.authorise_deck),
    # closed with a difference: this set deals no more
    Row(CardSet.GOOD,       Trigger.SIGN_DIFFERENCE, CardSet.BARRED,     "SB-2",   SIGNS),
    Row(CardSet.IMPERFECT,  Trigger.SIGN_DIFFERENCE, CardSet.BARRED,     "SB-2",   SIGNS),
    Row(CardSet.AUTHORISED, Trigger.SIGN_DIFFERENCE, CardSet.BARRED,     "SB-2",   SIGNS),
    Row(CardSet.BARRED,     Trigger.SET_REPLACED,    CardSet.GOOD,       "SB-2",   (*MANAGER, only.between_sessions), do.clear_marks),
)
# fmt: on
