"""Procedures as flat tables, run by ``transitions``; the only file of the product that imports that library.

A table's row reads like its clause. A machine holds no state of its own: its one scratch model is placed in the
recorded state, the trigger is fired, and the row taken (or the refusal) is the answer. Guards and effects are pure, and
nothing is fired from inside a callback, so the library's traps (a raising callback clears its queue, a queued trigger
answers True) have nothing to bite on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from transitions import EventData, Machine

from firmware_bridge.core.changes import AnyChange
from firmware_bridge.core.events import AnyEvent
from firmware_bridge.core.state import State
from firmware_bridge.core.words import THE_ONLY, Trigger
from firmware_bridge.rulebooks.schema import RuleBook

logging.getLogger("transitions").setLevel(logging.WARNING)  # its INFO lines cost three times the transition


class Refusal(Struct, frozen=True):
    """Why a step may not be taken: a clause, a house value or an SB rule, and words for the table."""

    clause: str
    reason: str


NOT_AT_THIS_TABLE = Refusal("", "")
"""What a guard answers where its row is for another kind of table: as if the row did not stand there."""


class Facts(Struct, frozen=True):
    """All that a guard or an effect may look at: state, event, rule book, table time, and what the procedure is about.

    ``subject`` is the incident's number for an incident's machine, and 0 for the others; ``set`` the set's name for the
    machine of a set's course, and that of the set that is played with for the others.
    """

    state: State
    event: AnyEvent
    book: RuleBook
    now: int
    subject: int = 0
    set: str = THE_ONLY


Guard = Callable[[Facts], Refusal | None]
Effect = Callable[[Facts], Iterable[AnyChange]]


class Row(Struct, frozen=True):
    """One row of a procedure's table; of one state and trigger the first row that may, fires."""

    source: str
    trigger: Trigger
    target: str
    clause: str
    guards: tuple[Guard, ...] = ()
    effect: Effect | None = None


class _Scratch:
    """The model that the library moves about; it keeps the row taken and the first refusal met."""

    state: str
    row: Row | None = None
    refusal: Refusal | None = None


class TableMachine:
    """One procedure's table, ready to be fired from any of its states."""

    def __init__(self, name: str, rows: Sequence[Row]) -> None:
        self.name = name
        self.rows = tuple(rows)
        self.triggers = frozenset(row.trigger for row in rows)
        self._known = frozenset((row.source, row.trigger) for row in rows)
        self._scratch = _Scratch()
        states = list(dict.fromkeys([row.source for row in rows] + [row.target for row in rows]))
        self._machine = Machine(
            model=None,  # as a model of its own the scratch would have two methods a trigger and one a state
            states=[str(state) for state in states],
            initial=str(states[0]),
            auto_transitions=False,
            send_event=True,
        )
        for row in rows:
            self._machine.add_transition(
                str(row.trigger),
                str(row.source),
                str(row.target),
                conditions=[_condition(row, self._scratch)],
            )

    def knows(self, source: str, trigger: Trigger) -> bool:
        """Whether the table has a row of this state and trigger."""
        return (source, trigger) in self._known

    def fire(self, source: str, trigger: Trigger, facts: Facts) -> Row | Refusal | None:
        """Return the row that fires, the refusal of the first that did not, or None where the table has no such row."""
        if not self.knows(source, trigger):
            return None
        scratch = self._scratch
        scratch.row = scratch.refusal = None
        self._machine.set_state(str(source), scratch)  # an Enum would be taken by its name
        self._machine.events[trigger].trigger(scratch, facts)
        return scratch.row or scratch.refusal


def _condition(row: Row, scratch: _Scratch) -> Callable[[EventData], bool]:
    def may_fire(event: EventData) -> bool:
        (facts,) = event.args
        for guard in row.guards:
            refusal = guard(facts)
            if refusal is not None:
                if refusal is not NOT_AT_THIS_TABLE:
                    scratch.refusal = scratch.refusal or refusal
                return False
        scratch.row = row
        return True

    return may_fire
