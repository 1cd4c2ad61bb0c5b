"""The course of a set at a table with a batch shuffler: only a completed shuffle of it makes it dealable (SB-5).

out -> in the tray -> in a cycle -> shuffled -> in the shoe -> out
                                 -> unshuffled (sorted, broken off, another count) -> coming out -> out
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import set_effects as of_set
from firmware_bridge.core.words import Course, Role, Trigger

BY_SUPERVISOR = only.by(Role.SUPERVISOR, "SB-5")
LAID = (
    BY_SUPERVISOR,
    only.machine_takes_whole_sets,
    only.no_open_claim,
    only.machine_is_in_service,
    only.nobody_is_at_the_machine,
    only.whole_set_is_in_hands,
    only.no_other_set_is_in_the_machine,
    only.tray_is_filled,
    only.machine_may_work,
)
SUPERVISOR = (BY_SUPERVISOR,)
PLAYED = (BY_SUPERVISOR, only.no_open_claim, only.no_round_runs)
AWAY = (BY_SUPERVISOR, only.another_set_is_played, only.it_lies_in_the_discard)
TO_DEAL = (only.let_out_to_deal,)
TO_UNLOAD = (only.let_out_to_unload,)

# fmt: off
ROWS = (
    #   from               trigger               to                 clause   guards
    Row(Course.OUT,        Trigger.SHUFFLE_SET,  Course.IN_TRAY,    "SB-5",  LAID, of_set.order_cycle),
    Row(Course.IN_TRAY,    Trigger.CYCLE_BEGAN,  Course.IN_CYCLE,   "SB-5",  (), of_set.lay_in),
    Row(Course.IN_TRAY,    Trigger.COUNT_UNKNOWN, Course.OUT,       "SB-5"),  # no cycle began
    Row(Course.IN_CYCLE,   Trigger.SHUFFLED,     Course.SHUFFLED,   "SB-5",  (only.set_is_whole,), of_set.set_shuffled),
    Row(Course.IN_CYCLE,   Trigger.SHUFFLED,     Course.UNSHUFFLED, "SB-7",  (), of_set.cycle_differs),
    Row(Course.IN_CYCLE,   Trigger.NOT_SHUFFLED, Course.UNSHUFFLED, "SB-5"),  # sorted, broken off, or its power was cut
    Row(Course.IN_CYCLE,   Trigger.TAKE_SET_OUT, Course.UNSHUFFLED, "SB-5",  SUPERVISOR),  # the intake shuts, and the cycle stops
    Row(Course.OUT,        Trigger.TAKE_SET_OUT, Course.OUT,        "SB-6",  AWAY, of_set.put_away),
    # to the shoe, dealt, and out of it what was not dealt
    Row(Course.SHUFFLED,   Trigger.PACK_OUT,     Course.IN_SHOE,    "SB-5",  TO_DEAL, of_set.book_into_shoe),
    Row(Course.SHUFFLED,   Trigger.NOT_SHUFFLED, Course.UNSHUFFLED, "SB-9"),  # something touched its order
    Row(Course.IN_SHOE,    Trigger.TAKE_SET_OUT, Course.COMING_OUT, "SB-5",  PLAYED),
    Row(Course.IN_SHOE,    Trigger.ALL_OUT,      Course.OUT,        "SB-5"),
    # out of the machine, into hands
    Row(Course.SHUFFLED,   Trigger.TAKE_SET_OUT, Course.COMING_OUT, "SB-5",  SUPERVISOR),
    Row(Course.UNSHUFFLED, Trigger.TAKE_SET_OUT, Course.COMING_OUT, "SB-5",  SUPERVISOR),
    Row(Course.COMING_OUT, Trigger.PACK_OUT,     Course.COMING_OUT, "SB-5",  TO_UNLOAD, of_set.book_out),
    Row(Course.COMING_OUT, Trigger.FEED_EMPTY,   Course.COMING_OUT, "SB-4",  (only.it_is_in_the_machine,), of_set.book_out),  # hands had emptied it
    Row(Course.COMING_OUT, Trigger.ALL_OUT,      Course.OUT,        "SB-5"),
    Row(Course.SHUFFLED,   Trigger.PACK_OUT,     Course.OUT,        "PT-A6", TO_UNLOAD, of_set.book_out),  # the table closes
    Row(Course.UNSHUFFLED, Trigger.PACK_OUT,     Course.OUT,        "PT-A6", TO_UNLOAD, of_set.book_out),
    Row(Course.SHUFFLED,   Trigger.OUTPUT_TAKEN, Course.OUT,        "SB-5",  (), of_set.book_taken),
    Row(Course.UNSHUFFLED, Trigger.OUTPUT_TAKEN, Course.OUT,        "SB-5",  (), of_set.book_taken),
)
# fmt: on
