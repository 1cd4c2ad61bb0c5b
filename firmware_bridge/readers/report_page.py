"""The page of a session's report, line by line: what an inspector asks for first stands first."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from firmware_bridge.core.words import Place
from firmware_bridge.journal import VerifyReport
from firmware_bridge.view import DeviceReport, IncidentReport, SessionReport, When, role_words
from firmware_bridge.view.report_texts import HEADINGS, REPORT
from firmware_bridge.view.texts import PLACES


def page(verified: VerifyReport, session: SessionReport | None) -> list[str]:
    """Return the page's lines, unwrapped."""
    if session is None:
        bad = REPORT["bad"].format(record=verified.bad_record, problem=verified.problem)
        return [bad, *_journal(verified), REPORT["untold"]]
    return [
        *_head(session),
        *_section("devices", map(_device, session.devices)),
        *_section("people", _people(session)),
        *_section("load", _load(session)),
        *_section("rounds", _rounds(session)),
        *_section("accounts", [_accounts(session)]),
        *_section("claims", _claims(session)),
        *_section("refusals", [_refusals(session)]),
        *_section("incidents", [line for one in session.incidents for line in _incident(one)]),
        *_section("repeats", _repeats(session)),
        *_section("notices", _notices(session)),
        *_section("duties", session.duties),
        *_section("verification", _verification(session)),
        *_section("journal", _journal(verified)),
    ]


def _section(name: str, lines: Iterable[str]) -> list[str]:
    told = [line for line in lines if line]
    return ["", HEADINGS[name], *("  " + line for line in told or [REPORT["none"]])]


def _at(when: When | None) -> str:
    """A moment with its record; in words where there is none."""
    if when is None:
        return REPORT["not_yet"]
    utc = datetime.fromtimestamp(when.utc_ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    return f"{utc} (record {when.record})"


def _head(session: SessionReport) -> list[str]:
    lines = [REPORT["title"].format(session=session.session, table=session.table)]
    lines += [REPORT["simulated"]] if session.simulated else []
    lines += [REPORT["speed"].format(speed=session.speed)] if session.speed != 1.0 else []
    lines.append(REPORT["result"].format(state=session.state_text))
    lines += [] if session.ended else [REPORT["unfinished"].format(last=_at(session.last_record))]
    lines.append(REPORT["began"].format(began=_at(session.began), ended=_at(session.ended)))
    book = REPORT["rulebook"]
    lines.append(book.format(title=session.rulebook_title, id=session.rulebook, digest=session.rulebook_digest))
    lines.append(REPORT["software"].format(software=", ".join(session.software)))
    return lines


def _device(device: DeviceReport) -> str:
    known = device.model or device.serial
    facts = {"model": device.model, "serial": device.serial, "firmware": device.firmware, "digest": device.digest}
    identity = REPORT["identity"].format_map(facts) if known else REPORT["never"]
    return REPORT["device"].format(
        name=device.name, identity=identity, simulated=REPORT["is_simulated"] if device.simulated else ""
    )


def _people(session: SessionReport) -> list[str]:
    seats = [
        REPORT["seat"].format(when=_at(one.when), role=role_words(one.role), person=one.person, what=one.what)
        for one in session.seats
    ]
    acted = [
        REPORT["person"].format(role=role_words(one.role), person=one.person, steps=one.steps, when=_at(one.first))
        for one in session.people
    ]
    return seats + acted


def _load(session: SessionReport) -> list[str]:
    packs = [REPORT["packs"].format(packs=", ".join(map(str, session.packs)))] if session.packs else []
    return packs + [
        REPORT["count"].format(
            when=_at(one.when),
            found=one.found,
            expected=one.expected,
            agrees=REPORT["agrees" if one.agrees else "differs"],
        )
        for one in session.counts
    ]


def _rounds(session: SessionReport) -> list[str]:
    return [
        REPORT["round"].format(number=one.number, cards=one.cards, began=_at(one.began), ended=_at(one.ended))
        for one in session.rounds
    ]


def _accounts(session: SessionReport) -> str:
    return ", ".join(
        REPORT["account"].format(place=PLACES[Place(place)], count=abs(count))
        for place, count in session.accounts.items()
    )


def _claims(session: SessionReport) -> list[str]:
    lines = []
    for one in session.claims:
        closed = REPORT["claim_closed"].format(outcome=one.outcome, closed=_at(one.closed), person=one.person)
        outcome = closed if one.closed else REPORT["claim_open"]
        lines.append(REPORT["claim"].format(opened=_at(one.opened), outcome=outcome))
    return lines


def _refusals(session: SessionReport) -> str:
    return ", ".join(
        REPORT["refusals"].format(clause=clause, count=count) for clause, count in session.refusals.items()
    )


def _incident(one: IncidentReport) -> list[str]:
    still_open = "" if one.confirmed else REPORT["incident_open"].format(state=one.state.replace("_", " "))
    rounds = ", ".join(map(str, one.rounds_meanwhile)) or REPORT["none"]
    details = [
        REPORT["discovery"].format(when=_at(one.discovered)),
        REPORT["stop"].format(when=_at(one.stopped) if one.stopped else REPORT["no_stop"]),
        REPORT["acknowledgement"].format(when=_at(one.acknowledged), by=_by(one.acknowledged_by)),
        REPORT["confirmation"].format(when=_at(one.confirmed), by=_by(one.confirmed_by)),
        REPORT["meanwhile"].format(rounds=rounds),
        REPORT["action"].format(action=one.action or REPORT["action_open"]),
    ]
    details += [REPORT["called"].format(roles=", ".join(map(role_words, one.called)))] if one.called else []
    if one.damaged:
        details.append(REPORT["damaged"].format(card=one.damaged))
        details += [REPORT["replacement"].format(read=read) for read in one.replacements]
        sealed = REPORT["sealed"].format(envelope=one.envelope, person=one.sealed_by)
        details.append(sealed if one.envelope else REPORT["not_sealed"])
    head = REPORT["incident"].format(number=one.number, text=one.text, clause=one.clause, open=still_open)
    return [head, *("  " + line for line in details)]


def _by(person: int) -> str:
    return REPORT["by"].format(person=person) if person else ""


def _repeats(session: SessionReport) -> list[str]:
    return [
        REPORT["repeat"].format(text=one.text, here=one.here, earlier=one.earlier, sessions=one.earlier_sessions)
        for one in session.repeats
    ]


def _notices(session: SessionReport) -> list[str]:
    lines = []
    for one in session.notices:
        sent = REPORT["sent"].format(sent=_at(one.sent), person=one.person) if one.sent else REPORT["not_sent"]
        lines.append(REPORT["notice"].format(incident=one.incident, owed=_at(one.owed), sent=sent))
    return lines


def _verification(session: SessionReport) -> list[str]:
    lines = [one.text + (REPORT["by_person"] if one.by_person else "") for one in session.decks]
    lines += [REPORT["earlier_reading"].format(text=text) for text in session.earlier_readings]
    verified = session.accounts.get(Place.VERIFIED, 0)
    told = session.difference or (session.since_good_count,)
    if session.decks and not session.difference:
        told = (REPORT["no_difference"].format(verified=verified, cards=session.set_cards), *told)
    return lines + [line for line in told if line not in lines]


def _journal(verified: VerifyReport) -> list[str]:
    own = REPORT["own_key"].format(public=verified.public_key)
    return [
        REPORT["chain"].format(complete=verified.complete_to, signed=verified.signed_to, head=verified.head),
        REPORT["key"].format(key=REPORT["given_key"] if verified.key_given else own),
    ]
