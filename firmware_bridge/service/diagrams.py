"""The procedures' tables as state diagrams (Mermaid), for the README beside them and for whoever reads along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import (
    INCIDENT_TABLES,
    INITIAL,
    card_set,
    claim,
    closing,
    course,
    deal,
    hand_fed,
    loading,
    metal_box,
    opening,
    rounds,
)
from firmware_bridge.core.words import ENDS, Incident

PARTS: Mapping[str, tuple[Row, ...]] = {
    "The session: opening": opening.ROWS,
    "The session: loading": loading.ROWS,
    "The session: a shoe filled by hand": hand_fed.ROWS,
    "The session: a metal box": metal_box.ROWS,
    "The session: rounds": rounds.ROWS,
    "The session: closing": closing.ROWS,
    "The dealer's seat": opening.DEALER_ROWS,
    "A claim": claim.ROWS,
    "The set of cards": card_set.ROWS,
    "A deal that is followed": deal.ROWS,
    "A set at a batch shuffler": course.ROWS,
}
"""The procedures in the order of an evening; the session in parts, each of which can be read."""

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
