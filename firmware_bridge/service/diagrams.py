"""The procedures' tables as state diagrams (Mermaid), for the README beside them and for whoever reads along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import INCIDENT_TABLES, INITIAL, SESSION_PARTS, TABLES
from firmware_bridge.core.words import ENDS, Incident, Procedure

PARTS: Mapping[str, tuple[Row, ...]] = {
    **{f"The session: {part}": rows for part, rows in SESSION_PARTS.items()},
    "The dealer's seat": TABLES[Procedure.DEALER],
    "A claim": TABLES[Procedure.CLAIM],
    "The set of cards": TABLES[Procedure.CARD_SET],
    "A deal that is followed": TABLES[Procedure.DEAL],
    "A set at a batch shuffler": TABLES[Procedure.COURSE],
}
"""The procedures in the order of an evening."""

STARTS = frozenset({*INITIAL.values(), Incident.RAISED})
FINAL = frozenset({*ENDS, Incident.CONFIRMED})
"""States in which something begins, and in which it has ended, so far as the same diagram does not lead on."""


def diagrams() -> Iterator[str]:
    """Yield the lines of all diagrams, each under its heading."""
    for title, rows in (*PARTS.items(), *_incidents()):
        yield from _section(title, rows)


def _incidents() -> Iterator[tuple[str, tuple[Row, ...]]]:
    """Yield each table of incidents once, under the kinds that it is for."""
    kinds: dict[tuple[Row, ...], list[str]] = {}
    for kind, rows in INCIDENT_TABLES.items():
        kinds.setdefault(rows, []).append(_words(kind))
    for rows, names in kinds.items():
        yield f"Incident: {', '.join(names)}", rows


def _section(title: str, rows: Sequence[Row]) -> Iterator[str]:
    """One diagram: an arrow from each state to each other, with the triggers that lead there and their clauses."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        label = f"{_words(row.trigger)} ({row.clause})"
        labels = arrows.setdefault((row.source, row.target), [])
        labels += [] if label in labels else [label]
    states = list(dict.fromkeys(state for arrow in arrows for state in arrow))
    left = {source for source, target in arrows if source != target}
    yield from ("", f"### {title}", "", "```mermaid", "stateDiagram-v2")
    yield from (f"    {state}: {_words(state)}" for state in states)
    yield from (f"    [*] --> {state}" for state in states if state in STARTS)
    yield from (f"    {source} --> {target}: {'<br/>'.join(labels)}" for (source, target), labels in arrows.items())
    yield from (f"    {state} --> [*]" for state in states if state in FINAL - left)
    yield "```"


def _words(name: str) -> str:
    """The word of a state, a trigger or a kind as one reads it."""
    return name.replace("_", " ")
