"""The words of the reports, as data, beside ``texts.py``. Written to be read by somebody who was not there."""

from __future__ import annotations

from firmware_bridge.core.words import Incident, Session, Trigger

SEATS: dict[str, str] = {
    "opened": "opened the table",
    "signed_in": "signed in",
    "took_over": "took the table over",
}

OPENING: dict[Session, str] = {
    Session.SHOWING: "cards shown",
    Session.CHECKING_BACKS: "backs checked",
    Session.MIXING: "mixed by hand",
}
"""What the dealer answered with YES before the loading (PT-A4)."""

COURSE: dict[str, str] = {
    "discovery": "DISCOVERY by {who}",
    "stop": "STOP OF DEALING confirmed",
    "held_already": "STOP OF DEALING: dealing was held already",
    "acknowledgement": "ACKNOWLEDGEMENT by {who}",
    "report": "REPORT to the inspectorate by {who}",
    "called": "called: {role}",
    "round": "a card of round {round} came while this was open",
    "changed_again": "by now it is yet another device: {how}",
    "owed": "a report to the inspectorate is owed from here on [{clause}]",
    "confirmation": "CONFIRMATION by {who}; action towards players: {action}",
    "device": "the {device}",
    "controller": "the controller",
    "nobody_signed_in": "a dealer who had not signed in",
    "read": "the reader saw the {face}",
    "by_eye": "no reader saw it",
    "counted": "{found} cards were counted, the books said {expected}",
    "other_back": "{who} said that the replacement has another back",
}
"""An incident's entries; what is in capitals is what an inspector looks for first."""

WITHOUT: dict[str, str] = {
    "discovery": "DISCOVERY not recorded",
    "stop": "STOP OF DEALING not recorded",
    "acknowledgement": "NOT ACKNOWLEDGED",
    "report": "NOT REPORTED to the inspectorate",
}
"""Those of the four moments that did not come."""

NOT_OWED = "not reported; no notice to the inspectorate is owed"

TAKEN: dict[Trigger, str] = {
    Trigger.RELEASE_LID: "{who} released the lid",
    Trigger.CALL_TECHNICIAN: "{who} called the technician",
    Trigger.REPAIRED: "{who} said that the machine is repaired",
    Trigger.TAKE_OUT_OF_SERVICE: "{who} took the machine out of service",
    Trigger.COUNT_MACHINE: "{who} had all cards counted",
    Trigger.ANSWER_NO: "{who} said that no card is damaged",
    Trigger.ANSWER_YES: "{who} named a damaged card, {card}",
    Trigger.NAME_CARD: "{who} named the damaged card, {card}",
    Trigger.CONFIRM_REPLACEMENT: "{who} sealed the card in envelope {value}",
    Trigger.DECIDE_ROUND: "{who} said what becomes of the round: {ends}",
    Trigger.NAME_SLIP: "{who} said what went wrong in the deal: {slip}",
    Trigger.TAKE_REMEDY: "{who} had the book's remedy taken: {remedy}",
    Trigger.SIGN_DEVIATION: "{who} signed a DEVIATION from the book: {remedy}",
    Trigger.CHECK_DEVICE: "{who} checked the device",
    Trigger.APPROVE_DEVICE: "{who} approved the device",
    Trigger.DEVICE_LOST: "the device was disconnected before its approval: it is to be checked again",
    Trigger.SHOE_TRAY_EMPTIED: "the replacement was taken out again unread",
    Trigger.CONDITION_GONE: "what raised it is over",
    Trigger.CONDITION_BACK: "what raised it is back",
    Trigger.JAMMED: "a card sticks again",
}
"""A step of an incident that was taken, by its trigger; of the others the trigger's own words."""

SAID_YES: dict[Incident, str] = {
    Incident.RAISED: "{who} pressed YES",
    Incident.AWAITING_REPLACEMENT: "{who} laid a replacement in the shoe's tray",
    Incident.WRONG_REPLACEMENT: "{who} laid another replacement in the shoe's tray",
    Incident.ASKING_BACK: "{who} said that the replacement has the same back",
}
"""What the dealer's YES said, by where the incident stood."""

JUDGED: dict[Incident, str] = {
    Incident.ASKING_BACK: "replacement: {read}: the card that is wanted",
    Incident.WRONG_REPLACEMENT: "replacement: {read}: NOT the card that is wanted",
}
"""What became of a replacement that was offered, by where it led."""

REPORT: dict[str, str] = {
    "title": "SESSION {session} OF TABLE {table}: {state}",
    "simulated": "*** SIMULATED DEVICES: THESE ARE NO CARDS OF A CASINO ***",
    "speed": "*** SPEED {speed:g}: TABLE TIME RAN FASTER OR SLOWER THAN A CLOCK ***",
    "ended": "{day}, {began} to {ended}. Times are UTC; #N is record N of the journal.",
    "unfinished": "{day}, since {began}; NOT ENDED: this is how it stands at {last}. Times are UTC; #N is record N.",
    "rulebook": "Rule book: {title} ({id}), digest {digest}; software: {software}",
    "software": "{name}, digest {digest}",
    "incident": "INCIDENT {number}: {text} [{clause}]",
    "still_open": "STILL OPEN: {stands}",
    "next": "next: {ask}",
    "no_incident": "none",
    "device": "{name}: {identity}",
    "device_from": "from {when} {identity}",
    "seat": "{what} {when}",
    "person": "{role} {person}: {did}",
    "packs": "packs of {packs}",
    "keys": "keys {keys}",
    "opening": "dealer {person} said YES to: {answers}",
    "agrees": "{when} counted {found} as the books say",
    "differs": "{when} counted {found}, NOT {expected} as the books say",
    "of_set": "set {set}: {text}",
    "named": "{set} ({backs})",
    "shuffled": "shuffled {when} by supervisor {person}",
    "not_shuffled": "NOT SHUFFLED {when} (sorted, broken off or not whole), begun by supervisor {person}",
    "too_few": "read too seldom: {faces}",
    "too_many": "read too often: {faces}",
    "shoe": "shoe {number} filled {when}, {cut}{players}{mark}",
    "cut": "cut by the one whose right it was",
    "cut_for_nobody": "cut by number {person}, for no player wanted to",
    "one_player": ", the warning card in the middle for one player",
    "warning_card": ", warning card {marked} with {behind} behind it",
    "no_warning_card": ", NO WARNING CARD by {marked} with {behind} left",
    "cycle_open": "a shuffle began {when} by supervisor {person}, NOT ENDED",
    "rounds": "dealer {person}: round (cards, time, records): {rounds}",
    "round": "{number} ({cards}, {began}-{ended} #{first}-{last})",
    "round_void": "{round} VOID [{clause}]",
    "round_open": "{number} ({cards}, {began} #{first}, STILL OPEN)",
    "account": "{place} {count}",
    "claim": "{opened} raised by dealer {by}: {outcome}",
    "claim_closed": "{outcome} {closed} by supervisor {person}",
    "claim_open": "STILL OPEN",
    "refusal": "{times} by {clause}",
    "repeat_here": "{text}: {here} in this session",
    "repeat_before": ", {earlier} in {sessions} before",
    "since_correction": "; {since} since the corrective action of {date} (room manager {person}, #{record})",
    "regular": "each of the {decks} decks is regular: faces by the reader, backs by the dealer's eyes",
    "no_difference": "{verified} of {cards} cards verified: no difference",
    "earlier_reading": "an earlier reading: {text}",
    "by_person": " - BY PERSON, no reader saw these cards",
    "chain": "complete to record {complete}, signed to record {signed}; head",
    "unsigned": "for the {records} after the last signed one the chain alone speaks",
    "key": "verified by {key}",
    "given_key": "the key given",
    "own_key": "the file's own key; compare it with the one noted at installation:",
    "bad": "*** THE JOURNAL DOES NOT HOLD: record {record}: {problem} ***",
    "untold": "Nothing of its sessions is told: what does not hold proves nothing.",
    "not_yet": "not yet",
}

REPEATS: dict[str, str] = {
    "journal": "REPEATS AT TABLE {table}, to {last} ({path}); #N is record N of its journal",
    "none": "No incident was ever raised.",
    "kind": "table {table}: {total} in {sessions}, the first {first}, the last {last}",
    "since": "{since} since the corrective action of {when}, entered by room manager {person}",
    "no_correction": "no corrective action was entered",
    "duty": "{role} on duty: {people}",
    "count": "{person} at {count}",
    "count_since": "{person} at {count} ({since} since then)",
    "nobody": "nobody",
    "bad": "the journal does not hold: record {record}: {problem}",
}
"""The page of repeats (BR-013)."""

HEADINGS: dict[str, str] = {
    "incidents": "INCIDENTS",
    "duties": "STILL OPEN",
    "repeats": "REPEATS",
    "people": "PEOPLE",
    "load": "LOAD, COUNTS",
    "rounds": "ROUNDS",
    "claims": "CLAIMS",
    "refusals": "REFUSED",
    "clock": "CLOCK",
    "accounts": "CARDS",
    "verification": "VERIFIED",
    "devices": "DEVICES",
    "journal": "JOURNAL",
}
"""The parts of a session's page, in their order; what has nothing to say takes no line."""
