"""What a row may ask of a shoe that is filled by hand, of its cut, its warning card and its last round."""

from __future__ import annotations

from drivers.cards import UNREAD
from firmware_bridge.core.accounts import OUT, compare
from firmware_bridge.core.events import Acted
from firmware_bridge.core.machine import NOT_AT_THIS_TABLE, Facts, Refusal
from firmware_bridge.core.outputs import mark_goes_unseen, needs_a_new_shoe, shoe_is_used_up, why_not_deal
from firmware_bridge.core.shoe import middle_is_asked, warning_card_is_used
from firmware_bridge.core.words import Place, Role

IN_HANDS = (Place.OUTSIDE, *OUT)
"""Where cards lie that go into the shoe."""


def fed_by_hand(facts: Facts) -> Refusal | None:
    """Fires at a table whose shoe people fill."""
    if facts.state.fed_by_hand:
        return None
    return NOT_AT_THIS_TABLE


def from_the_box(facts: Facts) -> Refusal | None:
    """Fires at a table that deals from a metal box (MO-1b)."""
    if facts.state.has_box:
        return None
    return NOT_AT_THIS_TABLE


def from_a_shoe(facts: Facts) -> Refusal | None:
    """Fires where cards come out of a shoe, which tells of each."""
    if not facts.state.has_box:
        return None
    return NOT_AT_THIS_TABLE


def cards_may_be_dealt(facts: Facts) -> Refusal | None:
    """No round begins while dealing is held: from a box no gate holds a card, so the key that begins it is the gate."""
    for reason in why_not_deal(facts.state):
        return Refusal(reason.clause, "no round begins now: the screen says why cards may not be dealt")
    return None


def a_machine_shuffles(facts: Facts) -> Refusal | None:
    """Fires at a table with a shuffler."""
    if not facts.state.fed_by_hand:
        return None
    return NOT_AT_THIS_TABLE


def cards_stay_in_discard(facts: Facts) -> Refusal | None:
    """Fires where a round's cards wait in the discard until the whole set is shuffled."""
    if not facts.state.takes_single_cards:
        return None
    return NOT_AT_THIS_TABLE


def who_cuts(facts: Facts) -> Refusal | None:
    """Where no player wants to cut, the one whom the book names; at a machine the supervisor says that it was done."""
    event, by_hand = facts.event, facts.state.fed_by_hand
    role = Role(facts.book.cut.if_nobody_wants) if by_hand else Role.SUPERVISOR
    if isinstance(event, Acted) and event.role is role:
        return None
    clause = facts.book.clause_of("cut.if_nobody_wants") if by_hand else "PT-A3"
    return Refusal(clause, f"this step is the {role.replace('_', ' ')}'s alone")


def place_depends_on_players(facts: Facts) -> Refusal | None:
    """Whether the warning card lies elsewhere for a single player (PT-S4)."""
    if middle_is_asked(facts.book, facts.state.decks):
        return None
    clause = facts.book.clause_of("warning_card.middle_for_one_player")
    return Refusal(clause, "the warning card lies where it does for more players too: press YES")


def whole_set_goes_in(facts: Facts) -> Refusal | None:
    """The shoe is filled with exactly the set (PT-E2)."""
    account = facts.state.account
    in_hands = sum(account.at(place) for place in IN_HANDS)
    if in_hands == account.cards and account.at(Place.OVER) == 0:
        return None
    return Refusal("PT-E2", f"{in_hands} cards are there: the set is {account.cards}")


def it_is_the_warning_card(facts: Facts) -> Refusal | None:
    """Fires for the first special card that comes out of a shoe with a warning card."""
    if warning_card_is_used(facts.book, facts.state.decks) and facts.state.shoe.behind is None:
        return None
    return Refusal("PT-S4", "the warning card of this shoe is out, or none is used")


def mark_can_be_seen(facts: Facts) -> Refusal | None:
    """A table opens with a shoe that tells its warning card: one that reads no face cannot (PT-S4, SB-1)."""
    if not mark_goes_unseen(facts.state, facts.book):
        return None
    return Refusal("PT-S4", "the shoe reads no face, and its warning card would pass unseen: connect one that reads")


def shuffle_comes_first(facts: Facts) -> Refusal | None:
    """Whether a warning card that comes between two rounds has the cards shuffled before another round (PT-S7)."""
    key = "last_round.warning_card_between_rounds"
    if facts.book.last_round.warning_card_between_rounds == "shuffle_first":
        return None
    return Refusal(facts.book.clause_of(key), "the round that begins now is still played")


def last_round_is_played(facts: Facts) -> Refusal | None:
    """Fires where no other round may begin with this shoe (PT-S6)."""
    if shoe_is_used_up(facts.state):
        return None
    return Refusal("PT-S6", "the warning card has not come: the shoe is not used up")


def all_cards_are_wanted(facts: Facts) -> Refusal | None:
    """Fires where the shoe's cards are counted or shuffled before play goes on (SB-7, SB-9)."""
    if needs_a_new_shoe(facts.state):
        return None
    return Refusal("SB-9", "nothing asks for a count or a shuffle: the shoe is played to its last round")


def play_may_stop(facts: Facts) -> Refusal | None:
    """Whether the book lets the dealer spread the cards when nobody plays (PT-S8)."""
    if facts.book.shuffle.when_play_stops:
        return None
    return Refusal(facts.book.clause_of("shuffle.when_play_stops"), "the shoe is played on when players come")


def play_stopped(facts: Facts) -> Refusal | None:
    """Fires where play stopped: then all cards are shown again (PT-S8, PT-S1)."""
    if facts.state.shoe.stopped:
        return None
    return Refusal("PT-S8", "play did not stop")


def no_card_is_awaited(facts: Facts) -> Refusal | None:
    """What was set aside as damaged is replaced before the cards are counted and mixed (PT-A1)."""
    account = facts.state.account
    if account.at(Place.SET_ASIDE) + account.at(Place.RESERVE) <= 0:
        return None
    return Refusal(
        "PT-A1", "a card was set aside, and its replacement is not sealed for: that first, or close the table"
    )


def all_came_out(facts: Facts) -> Refusal | None:
    """As many cards as the set has came out, and of each face as many, as far as they were read (SB-7, BR-015)."""
    account = facts.state.account
    seen = max(account.out, sum(account.out_faces.values()) + account.at(Place.RESERVE))  # what was replaced came too
    if (account.out, seen) != (account.cards, account.cards) or account.at(Place.OVER):
        return Refusal("SB-7", f"{seen} cards came out: the set is {account.cards}")
    missing, _ = compare(account.out_faces, facts.state.decks)
    if not facts.state.shoe_reads or len(missing) <= account.out_faces.get(UNREAD, 0):
        return None
    return Refusal("SB-7", "the number is right, and faces of the set did not come out")


def it_did_not_open(facts: Facts) -> Refusal | None:
    """Fires before the session opened on its cards."""
    if not facts.state.opened:
        return None
    return Refusal("SB-4", "the session is open: its cards are verified before it ends")
