"""The receipts of a session's cards: how they went in, and how they came out and were verified (PT-A5, PT-A6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firmware_bridge.core.accounts import AT_THE_DOOR, BY_HAND, GATHERED, LOADING, UNLOADING, UNSEEN
from firmware_bridge.core.words import BEING_LOADED, EMPTIES_THE_MACHINE, OPENS, Place, Role, Session, Trigger
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.view.incident_course import When
from firmware_bridge.view.receipt import (
    TOLD,
    Body,
    Fact,
    Field,
    Line,
    Signature,
    devices_at,
    last_dealer,
    line,
    signed,
    told,
    unknown,
)
from firmware_bridge.view.receipt_texts import DID, SAID, SAID_AT_SHOE, UNKNOWN
from firmware_bridge.view.session_parts import CycleLine, DeckReport, Movement, SessionReport, StepLine
from firmware_bridge.view.session_sets import about
from firmware_bridge.view.texts import PLACES

ABOUT_PRESENCE = frozenset({Trigger.CONFIRM_PRESENCE, Trigger.PRESENCE_DUE})
LOOKED = frozenset(
    {
        Trigger.CONFIRM_SHOE_EMPTY,
        Trigger.EMPTY_BY_HAND,
        Trigger.RELEASE_LID,
        Trigger.LID_OPENED,
        Trigger.LID_CLOSED,
        Trigger.CONFIRM_EMPTY,
    }
)
SIGNS = frozenset({Trigger.SIGN_RESULT, Trigger.SIGN_DIFFERENCE})

TAKEN_OUT: dict[str, str] = {
    AT_THE_DOOR: "at_door",
    UNLOADING: "through_shoe",
    BY_HAND: "by_hand",
    GATHERED: "gathered",
    UNSEEN: "unseen",
}
"""How cards came out, by the cause of their entry in the books."""


# ---- load


def loads(session: SessionReport, book: RuleBook) -> Iterator[Body]:
    """The receipt of a session's load, of two sets one of each (PT-A5)."""
    for one in session.sets:
        alone = about(session, one)
        yield Body(0, _load_fields(alone), _load_signatures(alone, book), alone, one.name)


def _load_fields(session: SessionReport) -> tuple[Field, ...]:
    """What the load was: who prepared it, each pack, who was present, the count, and what came of it."""
    until = end_of_load(session)
    opened = [step_line(one) for one in session.steps if one.trigger == Trigger.OPEN_TABLE]
    signed_in = [
        line("signed_in", one.when, person=one.person)
        for one in session.seats
        if one.role == Role.DEALER and one.when.record <= until.record
    ]
    presence = [
        step_line(one) for one in session.steps if one.trigger in ABOUT_PRESENCE and Session(one.source) in BEING_LOADED
    ]
    return (
        told("opened", opened, unknown("nobody")),
        told("dealer", signed_in, unknown("nobody")),
        told("prepared", _prepared(session), line("not_done")),
        told("packs", [*_packs(session), *_cycles(session), *_shoe(session)], line("not_done")),
        told("present", presence, line(_when_present(session))),
        Field("faces", (_faces(session),)),
        counts_field(session, session.began.record, until.record),
        told("incidents", _incidents(session, session.began.record, until.record), line("no_incident")),
        told("result", _load_result(session), line("not_done")),
        *devices_at(session, until.record),
    )


def _when_present(session: SessionReport) -> str:
    """When presence was proven, where nothing was recorded of it beside."""
    return "at_shoe" if session.fed_by_hand else "at_cycles" if session.cycles else "at_packs"


def _load_signatures(session: SessionReport, book: RuleBook) -> tuple[Signature, ...]:
    """The dealer, who prepared the cards, and the one who was present throughout, where one has to be."""
    ended = [one for one in session.packs if one.ended]
    dealer = last_dealer(session, end_of_load(session).record)
    whole = _whole_cycle(session)
    present = ended[-1].ended_by if ended else whole.person if whole else 0
    prepared = signed(Role.DEALER, dealer, "opening.show_cards", book)
    if session.fed_by_hand:
        return (prepared,)
    return prepared, signed(book.loading.present, present, "loading.present", book)


def end_of_load(session: SessionReport) -> When:
    """When the load was over: the table opened on it, or gave it up; else the last record."""
    return session.opened or _given_up(session) or session.last_record


def _given_up(session: SessionReport) -> When | None:
    """When the load was found wrong, or the table closed before it was in."""
    return next((one.when for one in session.steps if one.target in (Session.WRONG_LOAD, Session.NOT_OPENED)), None)


def _prepared(session: SessionReport) -> Iterator[Line]:
    """What was done before the first card could be dealt; a later shoe is no load."""
    until = end_of_load(session).record
    for one in session.steps:
        state = Session(one.source)
        if state not in OPENS or one.trigger == Trigger.DECLARE_CLOSED or one.when.record > until:
            continue
        if one.trigger == Trigger.NOT_ASKED:
            yield line("not_asked", one.when, did=SAID[state])
        else:
            at_shoe = SAID_AT_SHOE.get((state, Trigger(one.trigger))) if session.fed_by_hand else None
            yield step_line(one, at_shoe or SAID[state])


def _packs(session: SessionReport) -> Iterator[Line]:
    for number, one in enumerate(session.packs, 1):
        yield line("pack_began", one.began, pack=number, role=one.role, person=one.person)
        if one.ended is None:
            yield line("pack_open", pack=number, cards=one.cards)
        else:
            yield line("pack_ended", one.ended, pack=number, cards=one.cards, role=one.role, person=one.ended_by)


def _shoe(session: SessionReport) -> Iterator[Line]:
    """Where people fill the shoe, its first filling."""
    yield from (line("shoe_filled", one.filled) for one in session.shoes[:1])


def _whole_cycle(session: SessionReport) -> CycleLine | None:
    """A batch shuffler's first cycle that made the set dealable; None at another machine, and before."""
    return next((one for one in session.cycles if one.shuffled), None)


def _faces(session: SessionReport) -> Line:
    """What was known of the faces when the load was in: a batch shuffler may read them in its cycle."""
    whole = _whole_cycle(session)
    if whole is None or whole.unread is None:
        return unknown("faces_of_shoe" if session.fed_by_hand else "faces")
    return line("faces_read", whole.ended, unread=whole.unread)


def _cycles(session: SessionReport) -> Iterator[Line]:
    """At a batch shuffler: its cycles on the set, the first to the end of the load."""
    until = end_of_load(session).record
    for one in session.cycles:
        if one.began.record <= until:
            yield line("cycle_began", one.began, role=Role.SUPERVISOR, person=one.person)
        if one.ended is not None and one.ended.record <= until:
            yield line("cycle_shuffled" if one.shuffled else "cycle_failed", one.ended)


def _load_result(session: SessionReport) -> Iterator[Line]:
    if session.opened is not None:
        how = "opened_on_shoe" if session.fed_by_hand else "set_shuffled" if session.cycles else "opened_on"
        yield line(how, session.opened, cards=session.set_cards)
    elif given_up := _given_up(session):
        yield line("not_opened", given_up)
        yield from (line("difference", text=text) for text in session.difference)
    else:
        yield line("not_loaded", inside=_loaded(session), cards=session.set_cards)


def _loaded(session: SessionReport) -> int:
    return sum(one.count for one in session.movements if one.cause == LOADING)


# ---- unloading and verification


def unloads(session: SessionReport, book: RuleBook) -> Iterator[Body]:
    """The receipt of a session's unloading and verification, of two sets one of each (PT-A6)."""
    for one in session.sets:
        alone = about(session, one)
        yield Body(0, _unload_fields(alone), _unload_signatures(alone, book), alone, one.name)


def _unload_fields(session: SessionReport) -> tuple[Field, ...]:
    """How the cards came out, the proof that the machine is empty, each deck as it was read, and who signed what."""
    begun = begin_of_unload(session)
    if begun is None:
        return (Field("closed", (line("not_done"),)), *_after(session))
    undone = line("not_done" if _loaded(session) or session.cycles or session.shoes else "nothing_loaded")
    steps = [one for one in session.steps if one.when.record >= begun.record]
    presence = [
        step_line(one) for one in steps if one.trigger in ABOUT_PRESENCE or one.trigger == Trigger.BEGIN_UNLOADING
    ]
    closed = [step_line(one) for one in steps if one.trigger == Trigger.DECLARE_CLOSED]
    sorted_by = [step_line(one, SAID[Session.SORTING]) for one in steps if one.source == Session.SORTING and one.person]
    return (
        told("closed", closed, line("not_opened", begun)),
        told("present", presence, undone),
        told("taken_out", taken_out(session, begun.record), undone),
        counts_field(session, begun.record, session.last_record.record),
        told("looked", (step_line(one) for one in steps if one.trigger in LOOKED), undone),
        told("sorted", sorted_by, undone),
        Field("decks", tuple(_decks(session))),
        Field("whole_set", tuple(whole_set(session))),
        *_after(session, begun),
    )


def _unload_signatures(session: SessionReport, book: RuleBook) -> tuple[Signature, ...]:
    """The dealer who sorted, the one present, and the one who signed what was found."""
    begun = [one for one in session.steps if one.trigger == Trigger.BEGIN_UNLOADING]
    sealed = [one for one in session.steps if one.trigger in SIGNS]
    sorted_by = [one.person for one in session.steps if one.source == Session.SORTING and one.person]
    dealer = sorted_by[-1] if sorted_by else last_dealer(session, session.last_record.record)
    present = signed(
        book.closing.unloading_present, begun[-1].person if begun else 0, "closing.unloading_present", book
    )
    found = [signed(Role.DEALER, dealer, "closing.sort_decks", book), present]
    differs = bool(session.difference) and session.opened is not None
    signer = book.house.difference_signed_by if differs else Role.SUPERVISOR
    person = sealed[-1].person if sealed else 0
    if signer != present.role or person not in (0, present.person):
        key = "house.difference_signed_by" if differs else "closing.unloading_present"
        found.append(signed(signer, person, key, book))
    return tuple(found)


def begin_of_unload(session: SessionReport) -> When | None:
    """When the table was declared closed, or its load given up; None while it was not."""
    begins = (one.when for one in session.steps if Session(one.target) in EMPTIES_THE_MACHINE | {Session.NOT_OPENED})
    return next(begins, None)


def _after(session: SessionReport, begun: When | None = None) -> tuple[Field, ...]:
    """What stands at the end, whether or not anything was taken out: the books, the signature, the devices."""
    begun_at = (begun or session.last_record).record
    last = session.last_record.record
    return (
        books_field(session),
        told("ledger", _ledger(session), line("nothing_moved")),
        told("incidents", _incidents(session, begun_at, last), line("no_incident")),
        TOLD,
        Field("result", (_signed(session),)),
        *devices_at(session, last),
    )


def taken_out(session: SessionReport, since: int, causes: Iterable[str] = tuple(TAKEN_OUT)) -> Iterator[Line]:
    """How many cards came out in which way from a record on, each with the last record of it."""
    for cause in causes:
        moved = [one for one in session.movements if one.cause == cause and one.first.record >= since]
        if moved:
            count = sum(one.count for one in moved)
            yield line(TAKEN_OUT[cause], moved[-1].last, cards=count, of=session.set_cards)


def _decks(session: SessionReport) -> Iterator[Line]:
    yield from (line("deck_earlier", one.when, text=one.text, **_findings(one)) for one in session.earlier_readings)
    for one in session.decks:
        name = "deck_by_person" if one.by_person else "deck"
        yield line(name, one.when, text=one.text, back=one.back or UNKNOWN["fact"], **_findings(one))
    read = {one.deck for one in session.decks}
    for of_set in session.sets:
        for deck in range(of_set.first_deck, of_set.first_deck + len(of_set.backs)):
            if deck not in read:
                yield unknown("deck_unread", deck=deck)


def _findings(one: DeckReport) -> dict[str, Fact]:
    return {
        "deck": one.deck,
        "cards": one.cards,
        "regular": one.regular,
        "missing": one.missing,
        "over": one.over,
        "unread": one.unread,
        "by_person": one.by_person,
    }


def whole_set(session: SessionReport) -> Iterator[Line]:
    """What the verification found of the set, decks set off against each other, and since which good count."""
    of_decks = {one.text for one in session.decks}
    if session.difference:
        yield from (line("difference", text=text) for text in session.difference if text not in of_decks)
    elif len(session.decks) == len(session.backs):
        yield line("all_read", verified=session.accounts.get(Place.VERIFIED, 0), cards=session.set_cards)
    else:
        yield unknown("verification")
    if session.counted_out and session.counted_out not in session.difference:
        yield line("counted_out", text=session.counted_out)


def _signed(session: SessionReport) -> Line:
    signs = [one for one in session.steps if one.trigger in SIGNS]
    if not signs:
        return line("not_signed", state=session.state_text)
    last = signs[-1]
    return line("signed", last.when, role=last.role, person=last.person, state=session.state_text)


# ---- what several receipts share


def counts_field(session: SessionReport, first: int, last: int) -> Field:
    """The full counts of the machine from one record to another."""
    counts = [
        line("agrees" if one.agrees else "differs", one.when, found=one.found, expected=one.expected)
        for one in session.counts
        if first <= one.when.record <= last
    ]
    return told("counts", counts, unknown("counts"))


def books_field(session: SessionReport) -> Field:
    """Cards by place, as the books hold them at the last record."""
    places = (line("place", place=PLACES[Place(one)], cards=abs(count)) for one, count in session.accounts.items())
    return Field("books", tuple(places))


def _ledger(session: SessionReport) -> Iterator[Line]:
    """All that moved in the books, added up by its cause: what went in, against what came out."""
    moved: dict[tuple[str, str, str], list[Movement]] = {}
    for one in session.movements:
        moved.setdefault((one.cause, one.source, one.target), []).append(one)
    for (cause, source, target), entries in moved.items():
        count = sum(one.count for one in entries)
        words = {"source": PLACES[Place(source)], "target": PLACES[Place(target)]}
        yield line("moved", entries[-1].last, cause=cause, cards=count, **words)


def _incidents(session: SessionReport, first: int, last: int) -> Iterator[Line]:
    """Those that were raised from one record to another; each has a receipt of its own."""
    for one in session.incidents:
        if first <= one.discovered.record <= last:
            yield line("incident", one.discovered, number=one.number, text=one.text)


def step_line(one: StepLine, did: str = "") -> Line:
    """A step of the session, and whose it was; ``did`` says it in other words than its trigger's."""
    words = did or DID[Trigger(one.trigger)]
    if not one.person:
        return line("by_itself", one.when, did=words)
    return line("step", one.when, role=one.role, person=one.person, did=words)
