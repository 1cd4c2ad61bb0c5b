"""What a decision changes of the deal: the places in play, a round's cards place by place, a slip and its remedy."""

from __future__ import annotations

from firmware_bridge.core.deal import Due
from firmware_bridge.core.device_changes import Change
from firmware_bridge.core.slips import Remedy, Slip


class PlaceMarked(Change, frozen=True, tag="place_marked"):
    """The dealer said of one more place, in order, whether it is in play."""

    in_play: bool


class PlacesMarked(Change, frozen=True, tag="places_marked"):
    """All places are marked: these are in play from the next round on. None: no mark stands."""

    places: tuple[int, ...]


class MarkingBegan(Change, frozen=True, tag="marking_began"):
    """The dealer marks the places anew; those marked before stand until he has been through them all."""


class DealBegan(Change, frozen=True, tag="deal_began"):
    """A round's deal is followed: to which places, which cards are due first, and which the bank's are after that."""

    places: tuple[int, ...]
    first: tuple[Due, ...]
    late: tuple[Due, ...]


class CardPlaced(Change, frozen=True, tag="card_placed"):
    """A card came, and was due there."""

    card: Due


class TurnEnded(Change, frozen=True, tag="turn_ended"):
    """A place has finished: it takes no more cards."""

    place: int


class DealEnded(Change, frozen=True, tag="deal_ended"):
    """The round is over, and nothing of its deal is due any more."""


class SlipNamed(Change, frozen=True, tag="slip_named"):
    """What went wrong in the deal, and at which place (the bank's: 0)."""

    incident: int
    slip: Slip
    place: int
    person: int


class RemedyTaken(Change, frozen=True, tag="remedy_taken"):
    """What was done about a slip. A ``deviation`` is not what the book has for it, which ``clause`` says."""

    incident: int
    remedy: Remedy
    deviation: bool
    clause: str
    person: int


OfTheDeal = (
    PlaceMarked | PlacesMarked | MarkingBegan | DealBegan | CardPlaced | TurnEnded | DealEnded | SlipNamed | RemedyTaken
)
"""Every change of the deal."""
