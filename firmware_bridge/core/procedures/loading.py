"""Loading: at least two packs, once in a session, the supervisor present throughout (PT-A5).

awaiting a pack <-> loading it (intake open) <-> asking whether the supervisor is present
all packs in -> the machine counts itself -> ready, or a wrong load that is unloaded again
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.words import Role, Session, Trigger

BY_SUPERVISOR = only.by(Role.SUPERVISOR, "SB-3")
BY_PRESENT = only.by_whom("loading.present")
CLOSES = only.by(Role.SUPERVISOR, "closing.taken_out_only_at_close")
PACK_IS_IN = (BY_PRESENT, only.tray_is_empty, only.pack_is_big_enough)
COUNT = (BY_SUPERVISOR, only.machine_may_work)
DECLARED = (BY_SUPERVISOR, only.tray_is_empty, only.enough_packs)
COUNTABLE = (*DECLARED, only.load_is_right, only.machine_may_work)

# fmt: off
ROWS = (
    #   from                     trigger                   to                       clause    guards
    Row(Session.AWAITING_PACK,   Trigger.START_PACK,       Session.LOADING_PACK,    "PT-A5",  (BY_PRESENT, only.cards_are_left), do.begin_pack),
    Row(Session.LOADING_PACK,    Trigger.CARD_IN,          Session.LOADING_PACK,    "PT-A5",  (), do.book_loaded),
    Row(Session.LOADING_PACK,    Trigger.END_PACK,         Session.AWAITING_PACK,   "PT-A5",  PACK_IS_IN, do.end_pack),
    # present throughout: unanswered, the intake shuts until the supervisor answers
    Row(Session.LOADING_PACK,    Trigger.CONFIRM_PRESENCE, Session.LOADING_PACK,    "PT-A5",  (BY_PRESENT,), do.prove_presence),
    Row(Session.LOADING_PACK,    Trigger.PRESENCE_DUE,     Session.ASKING_PRESENCE, "PT-A5"),
    Row(Session.ASKING_PRESENCE, Trigger.CARD_IN,          Session.ASKING_PRESENCE, "PT-A5",  (), do.book_loaded),  # under way when the intake shut
    Row(Session.ASKING_PRESENCE, Trigger.END_PACK,         Session.AWAITING_PACK,   "PT-A5",  PACK_IS_IN, do.end_pack),  # the PIN that ends it proves presence
    Row(Session.ASKING_PRESENCE, Trigger.CONFIRM_PRESENCE, Session.LOADING_PACK,    "PT-A5",  (BY_PRESENT,), do.prove_presence),
    # all packs are in: exactly the set, by the books and by the machine's own full count
    Row(Session.AWAITING_PACK,   Trigger.DECLARE_LOADED,   Session.COUNTING_LOAD,   "PT-A5",  COUNTABLE, do.order_count),
    Row(Session.AWAITING_PACK,   Trigger.DECLARE_LOADED,   Session.WRONG_LOAD,      "PT-E2",  (*DECLARED, only.load_is_wrong)),
    Row(Session.COUNTING_LOAD,   Trigger.COUNTED,          Session.READY,           "PT-E2",  (only.count_agrees, only.load_is_right), do.both(do.full_count, do.open_session)),
    Row(Session.COUNTING_LOAD,   Trigger.COUNTED,          Session.AWAITING_PACK,   "PT-A1",  (only.count_agrees, only.load_awaits_cards), do.full_count),
    Row(Session.COUNTING_LOAD,   Trigger.COUNTED,          Session.WRONG_LOAD,      "PT-E2",  (), do.full_count),
    Row(Session.COUNTING_LOAD,   Trigger.DECLARE_CLOSED,   Session.WRONG_LOAD,      "PT-A6",  (CLOSES,)),  # it never gets to count
    Row(Session.COUNTING_LOAD,   Trigger.COUNT_UNKNOWN,    Session.COUNTING_LOAD,   "SB-7",   (only.machine_may_work,), do.order_count),
    Row(Session.COUNTING_LOAD,   Trigger.COUNT_UNKNOWN,    Session.COUNTING_LOAD,   "SB-7"),  # jammed, or opened: counted again when it is mended
    Row(Session.COUNTING_LOAD,   Trigger.COUNT_MACHINE,    Session.COUNTING_LOAD,   "SB-7",   COUNT, do.order_count),
    # a table that does not open after all
    Row(Session.AWAITING_PACK,   Trigger.DECLARE_CLOSED,   Session.NOT_OPENED,      "PT-A6",  (CLOSES, only.nothing_is_loaded)),
    Row(Session.AWAITING_PACK,   Trigger.DECLARE_CLOSED,   Session.WRONG_LOAD,      "PT-A6",  (CLOSES,)),
    Row(Session.LOADING_PACK,    Trigger.DECLARE_CLOSED,   Session.WRONG_LOAD,      "PT-A6",  (CLOSES,)),
    Row(Session.ASKING_PRESENCE, Trigger.DECLARE_CLOSED,   Session.WRONG_LOAD,      "PT-A6",  (CLOSES,)),
    Row(Session.WRONG_LOAD,      Trigger.CARD_IN,          Session.WRONG_LOAD,      "PT-A6",  (), do.book_loaded),  # under way when the intake shut
)
# fmt: on
