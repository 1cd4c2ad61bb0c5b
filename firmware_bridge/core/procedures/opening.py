"""Opening a table: the cards are shown, their backs checked, mixed by hand, and perhaps cut (PT-A4, PT-E2, PT-A3).

closed -> showing -> checking backs -> mixing -> cutting -> awaiting the first pack; a book may ask for fewer of these
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import shoe_effects as of_shoe
from firmware_bridge.core.words import DealerSeat, Role, Session, Trigger

BY_SUPERVISOR = only.by(Role.SUPERVISOR, "SB-3")
CLOSES = only.by(Role.SUPERVISOR, "closing.taken_out_only_at_close")
NOT_OPENED = (CLOSES, only.it_did_not_open)
OPEN_TABLE = (
    BY_SUPERVISOR,
    only.permissions_hold,
    only.decks_are_allowed,
    only.a_screen_shows,
    only.devices_are_there,
    only.machine_is_in_service,
    only.machine_is_shut,
    only.path_is_clear,
    only.mark_can_be_seen,
    only.set_may_open,
)

# fmt: off
ROWS = (
    #   from                            trigger                 to                      clause    guards
    Row(Session.CLOSED,                 Trigger.OPEN_TABLE,     Session.SHOWING,        "PT-A4",  OPEN_TABLE, do.begin_session),
    Row(Session.VERIFIED,               Trigger.OPEN_TABLE,     Session.SHOWING,        "PT-A4",  OPEN_TABLE, do.begin_session),
    Row(Session.CLOSED_WITH_DIFFERENCE, Trigger.OPEN_TABLE,     Session.SHOWING,        "PT-A4",  OPEN_TABLE, do.begin_session),
    Row(Session.NOT_OPENED,             Trigger.OPEN_TABLE,     Session.SHOWING,        "PT-A4",  OPEN_TABLE, do.begin_session),
    Row(Session.SHOWING,                Trigger.YES,            Session.CHECKING_BACKS, "PT-S1",  (only.fed_by_hand, only.by_signed_dealer)),
    Row(Session.SHOWING,                Trigger.YES,            Session.CHECKING_BACKS, "PT-A4",  (only.by_signed_dealer,)),
    Row(Session.CHECKING_BACKS,         Trigger.YES,            Session.MIXING,         "opening.check_backs", (only.by_signed_dealer,)),
    Row(Session.MIXING,                 Trigger.YES,            Session.CUTTING,        "PT-S2",  (only.fed_by_hand, only.by_signed_dealer)),
    Row(Session.MIXING,                 Trigger.YES,            Session.CUTTING,        "opening.mix_by_hand", (only.by_signed_dealer,)),
    Row(Session.CUTTING,                Trigger.CUT,            Session.FILLING_SHOE,   "PT-S3",  (only.fed_by_hand, only.who_cuts), of_shoe.cut_for_nobody),
    Row(Session.CUTTING,                Trigger.CUT,            Session.READY,          "PT-A3",  (only.who_cuts, only.machine_takes_whole_sets)),  # into its tray
    Row(Session.CUTTING,                Trigger.CUT,            Session.AWAITING_PACK,  "PT-A3",  (only.who_cuts,)),
    # what the rule book does not ask for is passed over
    Row(Session.SHOWING,                Trigger.NOT_ASKED,      Session.CHECKING_BACKS, "PT-A4",  (only.is_not_asked("opening.show_cards"),)),
    Row(Session.CHECKING_BACKS,         Trigger.NOT_ASKED,      Session.MIXING,         "opening.check_backs", (only.is_not_asked("opening.check_backs"),)),
    Row(Session.MIXING,                 Trigger.NOT_ASKED,      Session.CUTTING,        "opening.mix_by_hand", (only.a_machine_shuffles, only.is_not_asked("opening.mix_by_hand"))),
    Row(Session.CUTTING,                Trigger.NOT_ASKED,      Session.READY,          "PT-A3",  (only.a_machine_shuffles, only.is_not_asked("cut.with_shuffler"), only.machine_takes_whole_sets)),
    Row(Session.CUTTING,                Trigger.NOT_ASKED,      Session.AWAITING_PACK,  "PT-A3",  (only.a_machine_shuffles, only.is_not_asked("cut.with_shuffler"))),
    # a table that does not open after all: no card is in the machine yet
    Row(Session.SHOWING,                Trigger.DECLARE_CLOSED, Session.NOT_OPENED,     "PT-A6",  NOT_OPENED),
    Row(Session.CHECKING_BACKS,         Trigger.DECLARE_CLOSED, Session.NOT_OPENED,     "PT-A6",  NOT_OPENED),
    Row(Session.MIXING,                 Trigger.DECLARE_CLOSED, Session.NOT_OPENED,     "PT-A6",  NOT_OPENED),
    Row(Session.CUTTING,                Trigger.DECLARE_CLOSED, Session.NOT_OPENED,     "PT-A6",  NOT_OPENED),
)

BY_DEALER = (only.by(Role.DEALER, "SB-3"), only.not_the_supervisor)

DEALER_ROWS = (
    # the dealer signs in at each relief; a new session begins with nobody signed in
    Row(DealerSeat.SEAT,                Trigger.SIGN_IN,        DealerSeat.SEAT,        "SB-3",   BY_DEALER, do.sign_dealer_in),
)
# fmt: on
