"""How often the same kind of incident came back, over all sessions of a journal (BR-013).

Counted from the records alone: no restart, no new software and no new day sets a count back.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from firmware_bridge.core import changes as c
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.words import IncidentKind, Role
from firmware_bridge.view.incident_course import When
from firmware_bridge.view.incident_texts import INCIDENTS


class OnDuty(Struct, frozen=True):
    """Somebody who had the table when incidents of a kind were raised; ``person`` 0: nobody had.

    ``since``: how many of them since the corrective action, all where there was none.
    """

    role: Role
    person: int
    count: int
    since: int


class Repeat(Struct, frozen=True):
    """One kind of incident at one table.

    ``here`` is how often in the last session; ``since`` how often since the last corrective action against it, which
    is the record ``corrected`` of room manager ``corrected_by``: None where there was none, and then all are counted.
    """

    kind: IncidentKind
    text: str
    table: str
    total: int
    sessions: int
    here: int
    first: When
    last: When
    corrected: When | None
    corrected_by: int
    since: int
    on_duty: tuple[OnDuty, ...]


class _Raised(Struct, frozen=True):
    when: When
    session: int
    dealer: int
    supervisor: int


class Repeats:
    """Gathers incidents and corrective actions, record by record."""

    def __init__(self) -> None:
        self._raised: dict[IncidentKind, list[_Raised]] = {}
        self._corrected: dict[IncidentKind, tuple[When, int]] = {}

    def add(self, logged: Logged, state: State, when: When) -> None:
        """Take a record that is folded into the state already."""
        for change in logged.decision.changes:
            if isinstance(change, c.Raised):
                one = _Raised(when, state.session_number, state.dealer, state.supervisor)
                self._raised.setdefault(change.kind, []).append(one)
            elif isinstance(change, c.Corrected):
                self._corrected[change.kind] = when, change.person

    def found(self, state: State) -> tuple[Repeat, ...]:
        """Return every kind that was raised, the most frequent first."""
        repeats = [self._repeat(kind, raised, state) for kind, raised in self._raised.items()]
        return tuple(sorted(repeats, key=lambda one: (-one.since, -one.total, one.kind)))

    def _repeat(self, kind: IncidentKind, raised: list[_Raised], state: State) -> Repeat:
        corrected, person = self._corrected.get(kind, (None, 0))
        since = [one for one in raised if corrected is None or one.when.record > corrected.record]
        return Repeat(
            kind=kind,
            text=INCIDENTS[kind],
            table=state.table,
            total=len(raised),
            sessions=len({one.session for one in raised}),
            here=sum(one.session == state.session_number for one in raised),
            first=raised[0].when,
            last=raised[-1].when,
            corrected=corrected,
            corrected_by=person,
            since=len(since),
            on_duty=(*_on_duty(Role.SUPERVISOR, raised, since), *_on_duty(Role.DEALER, raised, since)),
        )


def _on_duty(role: Role, raised: list[_Raised], since: list[_Raised]) -> list[OnDuty]:
    """Who had the table in this role, the most frequent first."""

    def counted(incidents: list[_Raised]) -> Counter[int]:
        return Counter(one.dealer if role is Role.DEALER else one.supervisor for one in incidents)

    later = counted(since)
    return [OnDuty(role, person, count, later[person]) for person, count in counted(raised).most_common()]
