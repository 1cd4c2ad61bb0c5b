"""Every word that the table knows has a text."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.console import Asking
from firmware_bridge.core.incident_asks import INCIDENT_ASKED, RAISED_ASKS
from firmware_bridge.core.procedures import INCIDENT_TABLES
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import CardSet, Incident, IncidentKind, Place, Role, Session, Trigger
from firmware_bridge.readers.letters import LETTERS
from firmware_bridge.view import alarm_texts, device_texts, event_texts, incident_texts, phrases, texts


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (Role, texts.ROLES),
        (Place, texts.PLACES),
        (Session, texts.SESSIONS),
        (IncidentKind, incident_texts.INCIDENTS),
        (IncidentKind, incident_texts.REMEDIES),
        (IncidentKind, incident_texts.INCIDENT_CLAUSES),
        (IncidentKind, alarm_texts.BIG),
        (IncidentKind, alarm_texts.COURSES),
        (Incident, alarm_texts.STATES),
        (CardSet, texts.SETS),
        (DealerKey, phrases.KEYS),
    ],
)
def test_each_word_has_a_text(words: type, table: dict[object, str]) -> None:
    assert set(words) == set(table)  # type: ignore[call-overload]


def test_whatever_a_person_does_and_whatever_moves_an_incident_has_a_text_and_nothing_else() -> None:
    moves_incidents = {row.trigger for rows in INCIDENT_TABLES.values() for row in rows}
    assert {*STEPS, *phrases.KEYS.values()} | moves_incidents == set(texts.TRIGGERS)


def test_the_keypad_tells_what_it_asks_for() -> None:
    assert set(texts.KEYPAD) == {asking.value for asking in Asking}


def test_each_step_that_an_alarm_asks_for_has_a_text() -> None:
    asked = {trigger for triggers in (*INCIDENT_ASKED.values(), *RAISED_ASKS.values()) for trigger in triggers}
    assert asked - {Trigger.YES} <= set(alarm_texts.ASKS)
    assert {state for state, triggers in INCIDENT_ASKED.items() if Trigger.YES in triggers} == set(alarm_texts.YES)


def test_whatever_a_step_asks_to_be_typed_is_told_afterwards() -> None:
    assert {step.typed for step in STEPS.values()} - {""} == set(event_texts.TYPED)


def test_all_large_letters_are_there() -> None:
    words = [*alarm_texts.BIG.values(), texts.DEAL, texts.DO_NOT_DEAL]
    assert set("".join(words)) <= set(LETTERS)
    assert all(len({len(row) for row in rows}) == 1 and len(rows) == 5 for rows in LETTERS.values())


def test_texts_are_plain_ascii_that_any_terminal_shows() -> None:
    modules = (texts, alarm_texts, device_texts, event_texts, incident_texts)
    tables = [
        table for one in modules for name, table in vars(one).items() if name.isupper() and isinstance(table, dict)
    ]
    words = [text for table in tables for text in table.values() if isinstance(text, str)]
    assert words
    assert all(text.isascii() and text.isprintable() for text in words)
