"""The receipts of a session, by what they are about: pure selections of its report, each with the same head."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.view.receipt import Body, Receipt, ReceiptKind, place_of
from firmware_bridge.view.receipts_of_cards import loads, unloads
from firmware_bridge.view.receipts_of_incidents import envelopes, foreign_cards, incidents, machines
from firmware_bridge.view.session_parts import SessionReport

MAKERS: Mapping[ReceiptKind, Callable[[SessionReport, RuleBook], Iterator[Body]]] = {
    ReceiptKind.LOAD: loads,
    ReceiptKind.UNLOAD: unloads,
    ReceiptKind.ENVELOPE: envelopes,
    ReceiptKind.FOREIGN: foreign_cards,
    ReceiptKind.MACHINE: machines,
    ReceiptKind.INCIDENT: incidents,
}


def receipts(kind: ReceiptKind, session: SessionReport, book: RuleBook) -> tuple[Receipt, ...]:
    """Return all receipts of a kind that a session has, in the order of their records; ``book`` bound it."""
    return tuple(
        Receipt(
            kind=kind,
            number=body.number,
            table=session.table,
            session=session.session,
            began=session.began,
            ended=session.ended,
            last_record=session.last_record,
            simulated=session.simulated,
            speed=session.speed,
            fields=(*place_of(body.about or session, book), *body.fields),
            signatures=body.signatures,
            set=body.set,
        )
        for body in MAKERS[kind](session, book)
    )
