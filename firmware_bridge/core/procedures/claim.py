"""A claim: heard until the round's first card went in, and open it holds insertion and dealing (PT-A12, SB-8)."""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.words import Claim, Role, Trigger

MADE = (only.by_signed_dealer, only.claim_is_admissible)
CLOSED = (only.by(Role.SUPERVISOR, "PT-A12"), only.outcome_is_named)

# fmt: off
ROWS = (
    #   from        trigger              to          clause     guards
    Row(Claim.NONE, Trigger.CLAIM,       Claim.OPEN, "PT-A12",  MADE),
    Row(Claim.OPEN, Trigger.CLAIM,       Claim.OPEN, "PT-A12",  MADE),  # said twice, open once
    Row(Claim.OPEN, Trigger.CLOSE_CLAIM, Claim.NONE, "SB-8",    CLOSED, do.close_claim),
)
# fmt: on
