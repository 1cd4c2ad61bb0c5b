"""The English words of a set at a batch shuffler, beside ``texts.py``."""

from __future__ import annotations

from firmware_bridge.core.words import Course, Trigger

COURSES: dict[Course, str] = {
    Course.OUT: "not shuffled: lay the whole set into the machine's tray",
    Course.IN_TRAY: "in the machine's tray, to be shuffled",
    Course.IN_CYCLE: "being shuffled",
    Course.SHUFFLED: "shuffled: it goes to the shoe when nothing holds it",
    Course.UNSHUFFLED: "in the machine, NOT SHUFFLED: have it taken out, and shuffled anew",
    Course.COMING_OUT: "coming out: it is shuffled before it is dealt again",
    Course.IN_SHOE: "in the shoe",
}
"""Where the set stands, and what follows."""

OF_SETS: dict[Trigger, str] = {
    Trigger.SHUFFLE_SET: "have the set in the tray shuffled",
    Trigger.TAKE_SET_OUT: "have the set taken out, to be shuffled anew",
}
"""Steps, as ``texts.TRIGGERS``."""

ASKS_OF_SETS: dict[Trigger, str] = {trigger: words + "{which}" for trigger, words in OF_SETS.items()}
"""What is asked of the supervisor, as ``texts.ASKS``."""

WHICH = "; type its number: {sets}"
SET = "set {name} ({backs})"
THE_SET = "the set"
STANDS = "{set}: {course}{places}"

LAY_SET_IN = "lay {set} into the machine's tray, whole: {cards}, from table and discard too"
DRAW_OUT = "draw what was not dealt from the shoe, and lay it with the discard: {cards}"
LOOK_FOR = (
    "look for what {set} lacks, {cards}{faces}, in this order: the machine's gate and exit; the bottom of the pack in "
    "play; the place of the cut card; the floor and the well. Lay what you find with {set}; {counted}"
)
NAMED = " ({faces})"
COUNTED_ONE = "it is counted anew, whole"
COUNTED_BOTH = "both sets are counted anew, for a card of the other one too, before either is dealt"
"""Where a card that a set lacks is looked for, and what has to follow (BR-014)."""

BY_A_CYCLE = (
    "say that the set is to be counted anew: its next shuffle counts it",
    "the next shuffle of the set counts it",
)
"""How an incident has a batch shuffler count: no other way than by a whole cycle."""

OUT_AT_THE_DOOR = "wait: the machine lets out at its door what is in it"
SHUFFLING = "wait: the machine counts and shuffles the set"
