"""Every word that the table knows has a text."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge import view
from firmware_bridge.core.console import Asking
from firmware_bridge.core.dealing import MEANS
from firmware_bridge.core.incident_asks import INCIDENT_ASKED, RAISED_ASKS
from firmware_bridge.core.procedures import INCIDENT_TABLES
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import CardSet, Incident, IncidentKind, Place, Role, Session, Trigger
from firmware_bridge.readers.letters import LETTERS
from firmware_bridge.view import alarm_texts, event_texts, incident_texts, phrases, texts


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
    assert {*STEPS, *phrases.KEYS.values(), *MEANS.values()} | moves_incidents == set(texts.TRIGGERS)


def test_the_keypad_tells_what_it_asks_for() -> None:
    assert set(texts.KEYPAD) == {asking.value for asking in Asking}


def test_each_step_that_an_alarm_asks_for_has_a_text() -> None:
    at = {(state, trigger) for state, triggers in INCIDENT_ASKED.items() for trigger in triggers}
    raised = {(kind, trigger) for kind, triggers in RAISED_ASKS.items() for trigger in triggers}
    assert {trigger for _, trigger in at | raised} - {Trigger.YES} <= set(alarm_texts.ASKS)
    assert {one for one in at if Trigger.YES in one} <= set(alarm_texts.ASKS_AT) <= at
    assert {one for one in raised if Trigger.YES in one} <= set(alarm_texts.ASKS_OF_KIND) <= raised


def test_whatever_a_step_asks_to_be_typed_is_told_afterwards() -> None:
    assert {step.typed for step in STEPS.values()} - {""} == set(event_texts.TYPED)


def test_all_large_letters_are_there() -> None:
    words = [*alarm_texts.BIG.values(), texts.DEAL, texts.DO_NOT_DEAL]
    assert set("".join(words)) <= set(LETTERS)
    assert all(len({len(row) for row in rows}) == 1 and len(rows) == 5 for rows in LETTERS.values())


def test_texts_are_plain_ascii_that_any_terminal_shows() -> None:
    names = [one.name for one in pkgutil.iter_modules(view.__path__) if one.name.endswith("texts")]
    words = [text for name in names for text in texts_in(vars(importlib.import_module(f"{view.__name__}.{name}")))]
    assert len(words) > 500
    assert [text for text in words if not (text.isascii() and text.isprintable())] == []


def texts_in(of: object) -> Iterator[str]:
    """Yield the texts of a module, however deep they stand in its tables."""
    if isinstance(of, str):
        yield of
    elif isinstance(of, dict):
        for name, one in of.items():
            if not (isinstance(name, str) and name.startswith("__")):
                yield from texts_in(one)
    elif isinstance(of, tuple):
        for one in of:
            yield from texts_in(one)
