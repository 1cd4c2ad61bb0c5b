"""The English words of a difference: what the verification found that is not the set."""

from __future__ import annotations

DIFFERENCES: dict[str, str] = {
    "deck": "deck {deck}: {faces}",
    "doubted": "{deck}: one read is wrong, or one card; the deck is read once more",
    "regular": "regular, {cards}",
    "by_person": "{cards}, counted by a person, not read",
    "only_read": "{cards} did not come back from a round: only a reader shows that what is missing is back",
    "came_out": "{seen} of {cards} were counted out of the machine by the shoe",
    "missing": "{face} missing",
    "over": "{face} {times}",
    "unread": "{cards} unread",
    "not_read": "not read: no cards were left",
    "not_full": "{cards} read",
    "total": "{found} of {cards} verified",
    "of_set": "set {set}: ",
    "lacks": "the whole set lacks {faces}",
    "has_over": "the whole set has too many: {faces}",
    "mixed": "the decks are mixed with each other: the set as a whole has all its faces",
    "last_good": "last good count: record {record} at {at}, {cards}; rounds since: {rounds}",
    "no_good": "no good count in this session; rounds: {rounds}",
    "no_rounds": "none",
    "loaded": "{found} of {cards} were loaded",
    "load_unread": "not every card was read as it came out: which one it is, sorting by hand tells",
}

TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times", 6: "six times"}
