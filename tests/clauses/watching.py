"""What a test's run asks of the procedures: only there can the absence of a row, a guard or a reason show."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace as with_fields

from firmware_bridge.core import outputs
from firmware_bridge.core.machine import Facts, Guard, Refusal, Row, TableMachine
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Trigger
from tests.clauses.mutants import change_machines, everywhere, place_of
from tests.mutants.guards import name_of

seen: set[str] = set()
"""What was asked since this was emptied: places of rows, guards that refused, reasons that held dealing."""


def watch() -> None:
    """See from now on, in this process, what is asked; nothing else is changed."""
    change_machines(lambda rows: tuple(_watched(row) for row in rows))
    fire, knows, why = TableMachine.fire, TableMachine.knows, outputs.why_not_deal

    def seen_fire(self: TableMachine, source: str, trigger: Trigger, facts: Facts) -> Row | Refusal | None:
        seen.add(place_of(self.name, source, trigger))
        return fire(self, source, trigger, facts)

    def seen_knows(self: TableMachine, source: str, trigger: Trigger) -> bool:
        seen.add(place_of(self.name, source, trigger))
        return knows(self, source, trigger)

    def seen_why(state: State) -> tuple[outputs.Reason, ...]:
        reasons = why(state)
        seen.update(f"reason {reason.about}" for reason in reasons)
        return reasons

    TableMachine.fire = seen_fire  # type: ignore[method-assign]
    TableMachine.knows = seen_knows  # type: ignore[method-assign]
    everywhere("why_not_deal", seen_why)


def _watched(row: Row) -> Row:
    return with_fields(row, guards=tuple(_seen_guard(guard) for guard in row.guards))


def _seen_guard(guard: Guard) -> Callable[[Facts], Refusal | None]:
    name = f"guard {name_of(guard)}"

    def asked(facts: Facts) -> Refusal | None:
        refusal = guard(facts)
        if refusal is not None:
            seen.add(name)
        return refusal

    return asked
