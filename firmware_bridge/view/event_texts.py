"""The words of what happened, as data, beside ``texts.py``: one line for the last events, and what was typed."""

from __future__ import annotations

EVENTS: dict[str, str] = {
    "started": "controller started: rule book {rulebook}, {decks} decks",
    "speed": ", SPEED {speed:g}",
    "linked": "{device}: connected, {model} {serial}",
    "unlinked": "{device}: not connected: {why}",
    "bad_frames": "{device}: {count} damaged frames dropped on its line",
    "rejected": "keypad: number or PIN is not right",
    "dropped": "keypad: the entry was dropped: {why}",
    "refused": "refused - {step}: {why} [{clause}]",
    "pack_ended": "{cards} in this pack",
    "count_good": "counted: {cards}, as the books say",
    "count_bad": "counted: {cards}, but the books say {expected}",
    "count_unknown": "the machine did not tell a count",
    "opened": "the session is open on {cards}",
    "round_began": "a round began",
    "round_over": "round over: {cards} out",
    "first_back": "the first card of the round went in: no claim about it any more",
    "left": "{cards} stay in the discard [PT-A11]",
    "limit": "the round goes on",
    "claim_closed": "claim {outcome}",
    "again": "the decks are sorted and read again",
    "marked": "deck {deck} marked imperfect",
    "authorised": "deck {deck} authorised, reference {reference}",
    "unmarked": "replaced: no mark stands against the set",
    "raised": "INCIDENT: {incident}{about}{detail} [{clause}]",
    "incident": "incident {number}: {words}",
    "acknowledged": "incident {incident}: acknowledged by supervisor {person}",
    "stopped": "incident {incident}: dealing is confirmed held",
    "tagged": "incident {incident}: a card came in round {round} meanwhile",
    "closed": "incident {incident}: action towards players: {action}",
    "escalated": "incident {incident}: unanswered too long, the {role} is called",
    "named": "incident {incident}: the damaged card is the {card} of deck {deck}",
    "sealed": "incident {incident}: damaged card sealed in envelope {envelope}; a notice to the inspectorate is owed",
    "notice_sent": "incident {incident}: notice to the inspectorate sent, says room manager {person}",
    "replacement_read": "the shoe read {card}",
    "took_over": "supervisor {person} has the table",
    "locked": "keypad: number {person} is locked out",
    "unlocked": "number {person} may act again",
    "renewed": "the PIN of number {person} was renewed by room manager {by}",
    "not_renewed": "the PIN of number {person} was not renewed: {why}",
    "screen": "a screen shows the table",
    "no_screen": "no screen shows the table",
    "jammed": "{device}: a card sticks",
    "unjammed": "{device}: its path is clear",
    "slow": "the journal was slow: {milliseconds} ms",
}

TYPED: dict[str, str] = {
    "action": "action {value}",
    "outcome": "outcome {value}",
    "card": "{card}",
    "envelope": "envelope {value}",
    "deck": "deck {value}",
    "reference": "reference {value}",
    "incident": "incident {value}",
    "person": "number {value}",
}
"""What was typed with a step, by what the step asks for."""

OUTCOMES: dict[int, str] = {1: "upheld", 2: "rejected", 3: "withdrawn"}
