"""The receipts of a session, each on a paper of its own or as JSON; the journal is verified first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import VerifyReport
from firmware_bridge.readers.report import Format, dated, journal_facts, read_session
from firmware_bridge.readers.report_page import KEPT, at, head, journal_section, section, untold, wrapped
from firmware_bridge.view import Receipt, ReceiptKind, receipts, role_words
from firmware_bridge.view.receipt import Line
from firmware_bridge.view.receipt_texts import LABELS, NO_RECEIPT, OF_SET, SIGN, TITLES


class Papers(Struct, frozen=True):
    """What a journal tells: its receipts of a kind in a session; none, and no session, where it does not hold."""

    verified: VerifyReport
    kind: ReceiptKind
    table: str = ""
    session: int = 0
    receipts: tuple[Receipt, ...] = ()


def receipts_of(
    path: Path, kind: ReceiptKind, session: int | None = None, number: int | None = None, books: Sequence[Path] = ()
) -> Papers:
    """Return the receipts of a kind in a session (None: the last one), all or the one of incident ``number``.

    Raises as ``report.session_of``, and ``JournalError`` where the session has no receipt of this number.
    """
    verified, told = read_session(path, session, books)
    if told is None:
        return Papers(verified, kind)
    report, book = told
    found = receipts(kind, report, book)
    wanted = tuple(one for one in found if number in (None, one.number))
    if number is not None and not wanted:
        known = ", ".join(str(one.number) for one in found) or "none"
        raise JournalError(
            f"journal {path}: session {report.session} has no {kind} receipt of incident {number}; it has: {known}"
        )
    return Papers(verified, kind, report.table, report.session, wanted)


def receipts_written(papers: Papers, format: Format = "text") -> str:
    """Return receipts as papers, a blank line between them, or as JSON; without a newline at its end."""
    if format == "json":
        plain = {"journal": journal_facts(papers.verified), "receipts": dated(msgspec.to_builtins(papers.receipts))}
        return msgspec.json.encode(plain).decode()
    if not papers.verified.ok:
        return "\n".join(untold(papers.verified))
    if not papers.receipts:
        nothing = NO_RECEIPT[papers.kind].format(session=papers.session, table=papers.table)
        return "\n".join([*wrapped(nothing), *journal_section(papers.verified)])
    return "\n\n".join("\n".join(receipt_page(papers.verified, one)) for one in papers.receipts)


def receipt_page(verified: VerifyReport, receipt: Receipt) -> list[str]:
    """Return the lines of one receipt: its head, its fields, who signs, and how far the journal holds."""
    title = TITLES[receipt.kind].format(table=receipt.table, session=receipt.session, number=receipt.number)
    title += OF_SET.format(set=receipt.set) if receipt.set else ""
    lines = [line for text in head(title, receipt) for line in wrapped(text)]
    lines.append("")
    for one in receipt.fields:
        lines += section(LABELS[one.name], (_dated(line, receipt) for line in one.lines))
    lines += ["", *_signatures(receipt), "", *journal_section(verified)]
    return lines


def _dated(line: Line, receipt: Receipt) -> str:
    """A line with its moment; of a list in it no item is broken at the end of a line of the page."""
    text = line.text
    for items in (value for value in line.facts.values() if isinstance(value, tuple)):
        for item in items:
            text = text.replace(item, item.replace(" ", KEPT))
    return f"{at(receipt.began.utc_ns, line.when)} {text}" if line.when else text


def _signatures(receipt: Receipt) -> list[str]:
    """A line to sign on for each; a line apart, for a pen."""
    lines = []
    for one in receipt.signatures:
        role = role_words(one.role)
        who = f"{role} {one.person}" if one.person else SIGN["nobody"].format(role=role)
        lines += ["", *section(SIGN["heading"], [SIGN["who"].format(who=who, clause=one.clause), SIGN["line"]])]
    return lines[1:]
