"""What the screen tells people: of the round under way, whether it is to be ended; of sorted decks, who reads them."""

from __future__ import annotations

from firmware_bridge.view import TableView


def is_void(view: TableView) -> bool:
    """Whether the screen says that the round under way is void."""
    return any(ask.trigger == "round_over" and "is void" in ask.text for ask in view.asks)


def ran_dry(view: TableView) -> bool:
    """Whether a shoe that holds a whole set has no card left for the round."""
    return bool(view.sets) and view.session_state == "in_round" and view.accounts["shoe"] <= 0


def awaits_a_cycle(view: TableView) -> bool:
    """Whether a batch shuffler's next cycle is what an incident waits for: nothing is dealt before it."""
    return bool(view.sets) and any(one.state == "counting" for one in view.incidents)


def is_read_by_eye(view: TableView) -> bool:
    """Whether the next deck is a supervisor's to look at: the shoe that stands there now reads no face."""
    return any(ask.trigger == "confirm_deck" for ask in view.asks)
