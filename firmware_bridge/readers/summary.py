"""What a journal tells of its last session, as one JSON object: verified first, then folded."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from firmware_bridge.core.fold import fold
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Place, Session
from firmware_bridge.journal import VerifyReport, read_records, verify
from firmware_bridge.view import deck_words, difference


def summary(path: Path, *, key: bytes | None = None, head: str | None = None) -> dict[str, Any]:
    """Return the last session of a journal. ``verified``: the journal holds, and every deck was found regular.

    A journal that does not hold is not folded: then only what is wrong with it is told. ``JournalError`` if ``key`` or
    ``head`` is none.
    """
    report = verify(path, key=key, head=head)
    state = fold((record.number, record.utc_ns, record.body) for record in read_records(path)) if report.ok else State()
    return {
        "table": state.table or report.table,
        "session": state.session.value if report.ok else "unknown",
        "session_number": state.session_number,
        "rounds": len(state.rounds),
        "cards": _cards(state),
        "incidents": {
            "raised": state.incidents_raised,
            "open": {str(number): one.kind.value for number, one in state.incidents.items()},
            "confirmed": {str(number): one.kind.value for number, one in state.incidents_closed.items()},
        },
        "verified": report.ok and state.session is Session.VERIFIED,
        "difference": list(difference(state)),
        "earlier_readings": [deck_words(deck) for deck in state.earlier_decks if not deck.regular],
        "decks_by_person": [deck.deck for deck in state.decks_read if deck.by_person],
        "simulated": any(device.simulated for device in state.devices.values()),
        "speed": state.speed,
        "journal": _journal(report),
    }


def _cards(state: State) -> dict[str, int]:
    """Cards of all sets by place."""
    counts: Counter[Place] = Counter()
    for cards in state.sets.values():
        counts.update(cards.account.shown)
    return {place.value: count for place, count in counts.items()}


def _journal(report: VerifyReport) -> dict[str, Any]:
    return {
        "head": report.head,
        "complete_to": report.complete_to,
        "signed_to": report.signed_to,
        "session_closed": report.session_closed,
        "bad_record": report.bad_record,
        "problem": report.problem,
    }
