"""The receipts of what went wrong: envelopes of damaged and foreign cards, a machine out of service, an incident."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from firmware_bridge.core.accounts import BY_HAND
from firmware_bridge.core.words import Incident, IncidentKind, Place, Role, Session, Trigger
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view.incident_course import FOUR_MOMENTS, CourseLine, Entry, When
from firmware_bridge.view.phrases import SECOND, span, stands_on
from firmware_bridge.view.receipt import (
    TOLD,
    Body,
    Field,
    Line,
    Signature,
    device_lines,
    entries,
    last_dealer,
    line,
    signed,
    told,
    unknown,
)
from firmware_bridge.view.receipt_texts import UNKNOWN
from firmware_bridge.view.receipts_of_cards import (
    LOOKED,
    begin_of_unload,
    books_field,
    counts_field,
    step_line,
    taken_out,
    whole_set,
)
from firmware_bridge.view.session_parts import IncidentReport, RetiredMachine, SessionReport
from firmware_bridge.view.texts import PLACES

NOWHERE = (Place.MISSING, Place.UNLOADED, Place.MACHINE, Place.SHOE)
"""Places of cards that no reader saw at the verification, and nobody's eye."""

NAMES = frozenset({Trigger.NAME_CARD, Trigger.ANSWER_YES})
REPLACES = frozenset({Trigger.YES, Trigger.CARD_DRAWN, Trigger.SHOE_TRAY_EMPTIED, Trigger.ANSWER_NO})
SEALS = frozenset({Trigger.CONFIRM_REPLACEMENT})
NOTICE = frozenset({Entry.OWED, Entry.REPORT})


def _of(one: IncidentReport, kinds: Iterable[Entry]) -> list[CourseLine]:
    return [entry for entry in one.course if entry.entry in kinds]


def _by(one: IncidentReport, triggers: Iterable[str]) -> list[CourseLine]:
    return [entry for entry in one.course if entry.trigger in triggers]


def _what(one: IncidentReport) -> Field:
    return Field("incident", (line("incident", one.discovered, number=one.number, text=one.text),))


def _envelope(one: IncidentReport) -> Field:
    return Field("envelope", (line("envelope", envelope=one.envelope) if one.envelope else line("no_envelope"),))


# ---- a damaged card


def envelopes(session: SessionReport, book: RuleBook) -> Iterator[Body]:
    """An envelope for each damaged card; there is none where it turned out that no card was damaged."""
    for one in session.incidents:
        if one.kind == IncidentKind.DAMAGED_CARD and (one.face or one.state == Incident.RAISED):
            yield Body(one.number, _envelope_fields(session, one, book), _envelope_signatures(session, one, book))


def _envelope_fields(session: SessionReport, one: IncidentReport, book: RuleBook) -> tuple[Field, ...]:
    """What lies in the envelope and how it came there, what took the card's place, and the notice (PT-A1, PT-E4)."""
    after = (_sealed_at(one) or session.last_record).record
    return (
        _envelope(one),
        _what(one),
        Field("found", (*entries(_of(one, {Entry.DISCOVERY})), _round_of(session, one))),
        Field("card", tuple(_card(session, one))),
        told("named", entries(_by(one, NAMES)), line("not_done")),
        told("rounds", _rounds(one), line("no_rounds")),
        told("replacement", entries(_by(one, REPLACES)), line("no_replacement")),
        told("sealed", [*entries(_by(one, SEALS)), *_delay(one)], line("not_done")),
        counts_field(session, after, (begin_of_unload(session) or session.last_record).record),
        Field("whole_set", tuple(whole_set(session))),
        Field("deck", tuple(_deck(session, one, book))),
        told("notice", entries(_of(one, NOTICE)), line("not_done")),
        TOLD,
    )


def _envelope_signatures(session: SessionReport, one: IncidentReport, book: RuleBook) -> tuple[Signature, ...]:
    """The dealer, and the one who replaced the card."""
    sealed = _by(one, SEALS)
    at = _sealed_at(one) or one.discovered
    said = [entry.person for entry in one.course if entry.role == Role.DEALER and entry.person]
    dealer = said[-1] if said else last_dealer(session, at.record)
    replaced_by = sealed[-1].person if sealed else 0
    key = "damaged_card.replaced_by"
    return signed(Role.DEALER, dealer, key, book), signed(book.damaged_card.replaced_by, replaced_by, key, book)


def _card(session: SessionReport, one: IncidentReport) -> Iterator[Line]:
    if not one.face:
        yield unknown("card")
        return
    back = session.backs[one.deck - 1] if one.deck <= len(session.backs) else UNKNOWN["fact"]
    yield line("card", face=one.face, deck=one.deck, back=back)
    yield line("taken_from", place=PLACES[Place(one.taken_from)])


def _sealed_at(one: IncidentReport) -> When | None:
    """When the old card was sealed; None while it is not."""
    sealed = _by(one, SEALS)
    return sealed[-1].when if sealed else None


def _delay(one: IncidentReport) -> Iterator[Line]:
    """How long play could have gone on a card short (BR-010)."""
    at = _sealed_at(one)
    if at is not None:
        seconds = (at.utc_ns - one.discovered.utc_ns) // SECOND
        yield line("sealed_after", at, after=span(max(0, seconds)), seconds=seconds)


def _deck(session: SessionReport, one: IncidentReport, book: RuleBook) -> Iterator[Line]:
    if not one.deck:
        yield unknown("card")
    elif one.deck in session.imperfect_decks:
        yield line("deck_marked", deck=one.deck, clause=stands_on(book, "PT-E4"))
        if session.authorisation:
            yield line("authorised", reference=session.authorisation)
    else:
        yield line("deck_replaced", deck=one.deck)


def _round_of(session: SessionReport, one: IncidentReport) -> Line:
    """The round under way when it was found."""
    at = one.discovered.record
    for played in session.rounds:
        if played.began.record <= at and (played.ended is None or at <= played.ended.record):
            return line("in_round", played.began, round=played.number)
    return line("no_round")


def _rounds(one: IncidentReport) -> Iterator[Line]:
    yield from entries(_of(one, {Entry.ROUND}))
    if one.void:
        yield line("round_void", clause=source(one.void))


# ---- a card that is none of the set


def foreign_cards(session: SessionReport, book: RuleBook) -> Iterator[Body]:
    """An envelope for each card that is none of the set: evidence, sealed as it was found (SB-1, BR-005)."""
    for one in session.incidents:
        if one.kind == IncidentKind.FOREIGN_CARD:
            yield Body(one.number, _foreign_fields(session, one), _envelope_signatures(session, one, book))


def _foreign_fields(session: SessionReport, one: IncidentReport) -> tuple[Field, ...]:
    """What is said of it by those who saw it, and what the reading of every card showed of the set it lay in."""
    after = (_sealed_at(one) or session.last_record).record
    return (
        _envelope(one),
        _what(one),
        Field("found", (*entries(_of(one, {Entry.DISCOVERY})), _round_of(session, one))),
        told("rounds", _rounds(one), line("no_rounds")),
        told("sealed", [*entries(_by(one, SEALS)), *_delay(one)], line("not_done")),
        counts_field(session, after, session.last_record.record),
        Field("whole_set", tuple(whole_set(session))),
        books_field(session),
        TOLD,
    )


# ---- a machine out of service


def machines(session: SessionReport, book: RuleBook) -> Iterator[Body]:
    """A receipt for each machine that was taken out of service in a session, by the incident over which it was."""
    for one in session.machines:
        yield Body(one.incident, _machine_fields(session, one), _machine_signatures(session, one, book))


def _machine_fields(session: SessionReport, one: RetiredMachine) -> tuple[Field, ...]:
    """What the machine said that it is, the cards in it, how it was emptied, and what was left (BR-001)."""
    text = next((incident.text for incident in session.incidents if incident.number == one.incident), "")
    since, last = one.when.record, session.last_record.record
    emptied = [step_line(step) for step in session.steps if step.trigger in LOOKED and step.when.record >= since]
    by_hand = taken_out(session, since, (BY_HAND,))
    back = [line("back", one.returned, person=one.returned_by)] if one.returned else []
    return (
        Field("machine", device_lines(one.device)),
        Field(
            "out", (line("out_of_service", one.when, role=one.role, person=one.person, number=one.incident, text=text),)
        ),
        Field("cards_then", tuple(_cards_then(session, one))),
        told("emptied", [*emptied, *by_hand], line("not_emptied")),
        counts_field(session, since, last),
        Field("cards_left", tuple(_cards_left(session))),
        books_field(session),
        TOLD,
        told("returned", back, line("still_out")),
    )


def _machine_signatures(session: SessionReport, one: RetiredMachine, book: RuleBook) -> tuple[Signature, ...]:
    """Who took it out of service, and the supervisor who looked that it is empty."""
    empty = [
        step.person
        for step in session.steps
        if step.trigger == Trigger.CONFIRM_EMPTY and step.when.record > one.when.record
    ]
    return (
        signed(one.role or Role.TECHNICIAN, one.person, "SB-4", book),
        signed(Role.SUPERVISOR, empty[-1] if empty else 0, "SB-4", book),
    )


def _inside(accounts: dict[str, int]) -> int:
    return accounts.get(Place.MACHINE, 0) + accounts.get(Place.SHOE, 0)


def _cards_then(session: SessionReport, one: RetiredMachine) -> Iterator[Line]:
    yield line("inside_then", one.when, inside=_inside(one.accounts), cards=session.set_cards)
    places = tuple(
        f"{PLACES[Place(place)]} {abs(count)}"
        for place, count in one.accounts.items()
        if place not in (Place.MACHINE, Place.SHOE)
    )
    if places:
        yield line("elsewhere", one.when, places=places)


def _cards_left(session: SessionReport) -> Iterator[Line]:
    """What is still in it: by the books, and by the verification, of which a card that is nowhere may lie in it."""
    yield line("inside_now", session.last_record, inside=_inside(session.accounts), cards=session.set_cards)
    if len(session.decks) < len(session.backs) and session.state != Session.CLOSED_WITH_DIFFERENCE:
        yield unknown("verification")
        return
    lost = sum(session.accounts.get(place, 0) for place in NOWHERE)
    lacking = Counter(face for deck in session.decks for face in deck.missing)
    lacking -= Counter(face for deck in session.decks for face in deck.over)  # a card in a wrong deck is not lost
    faces = tuple(lacking.elements())
    if lost:
        yield line("missing" if len(faces) == lost else "missing_partly", cards=lost, faces=faces or (UNKNOWN["fact"],))
    else:
        yield line("none_left")


# ---- any incident


def incidents(session: SessionReport, book: RuleBook) -> Iterator[Body]:
    """A receipt for each incident that was raised in a session, or still open in it."""
    for one in session.incidents:
        yield Body(one.number, _incident_fields(session, one), _incident_signatures(one, book))


def _incident_fields(session: SessionReport, one: IncidentReport) -> tuple[Field, ...]:
    """Its four moments, who was called, each step, the rounds, and the action towards players (BR-009, BR-011)."""
    text = line("incident", one.discovered, number=one.number, text=f"{one.text} [{source(one.clause)}]")
    action = [line("action", one.confirmed, action=one.action)] if one.confirmed else []
    confirmed = entries(_of(one, {Entry.CONFIRMATION}))
    standing = [line("stands", stands=one.stands)] if one.stands else []
    asked = [line("next", ask=ask) for ask in one.next]
    return (
        Field("what", (text, _round_of(session, one))),
        Field("moments", tuple(entries(_of(one, FOUR_MOMENTS)))),
        told("called", entries(_of(one, {Entry.CALLED})), line("nobody_called")),
        told("steps", entries(_of(one, {Entry.STEP})), line("no_steps")),
        told("rounds", _rounds(one), line("no_rounds")),
        told("notice", entries(_of(one, NOTICE)), line("not_done")),
        told("action", action or confirmed, line("no_action")),
        Field("stands", (*standing, *asked) or (line("confirmed", one.confirmed),)),
        TOLD,
    )


def _incident_signatures(one: IncidentReport, book: RuleBook) -> tuple[Signature, ...]:
    """The supervisor who confirmed it, and the room manager where a report is owed or was made."""
    found = [signed(Role.SUPERVISOR, one.confirmed_by or one.acknowledged_by, "SB-2", book)]
    if _of(one, {Entry.OWED}) or one.reported:
        found.append(signed(Role.ROOM_MANAGER, one.reported_by, "notices.damaged_card", book))
    return tuple(found)
