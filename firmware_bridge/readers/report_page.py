"""The page of a session's report: what an inspector asks for first stands first; what is not there takes no line."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from firmware_bridge.core.words import Place
from firmware_bridge.journal import VerifyReport
from firmware_bridge.readers.moments import day, moment_on
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view import (
    FOUR_MOMENTS,
    CourseLine,
    CycleLine,
    IncidentReport,
    Receipt,
    Repeat,
    RoundLine,
    SessionReport,
    ShoeLine,
    SoftwareLine,
    When,
    counted,
    role_words,
)
from firmware_bridge.view.phrases import identity_words, short, whole_identity_words
from firmware_bridge.view.report_texts import HEADINGS, REPORT
from firmware_bridge.view.texts import PLACES

WIDTH = 100
MARGIN = 14
"""Where the text of a part begins, right of its heading."""

KEPT = "\u00a0"
"""A space at which no line ends; it is written as any other."""


def page(verified: VerifyReport, session: SessionReport | None) -> list[str]:
    """Return the page's lines; without a session only why nothing is told."""
    if session is None:
        return untold(verified)
    return _SessionPage(session).lines(verified)


def _each(faces: Iterable[str]) -> str:
    """Each face by name, and how often where it is more than once."""
    return ", ".join(face if count == 1 else f"{count} x {face}" for face, count in Counter(faces).items())


def untold(verified: VerifyReport) -> list[str]:
    """What is said instead of anything about a journal that does not hold."""
    bad = REPORT["bad"].format(record=verified.bad_record, problem=verified.problem)
    return [*wrapped(bad), *journal_section(verified), REPORT["untold"]]


def head(title: str, one: SessionReport | Receipt) -> list[str]:
    """The title, what is to be shouted, and when it was; not wrapped yet."""
    began = one.began.utc_ns
    lines = [title, *([REPORT["simulated"]] if one.simulated else [])]
    lines += [REPORT["speed"].format(speed=one.speed)] if one.speed != 1.0 else []
    facts = {"day": day(began), "began": at(began, one.began), "last": at(began, one.last_record)}
    facts["ended"] = at(began, one.ended)
    return [*lines, REPORT["ended" if one.ended else "unfinished"].format_map(facts)]


def at(today_ns: int, when: When | None) -> str:
    """A moment with its record, on a page about a day; in words where there is none."""
    if when is None:
        return REPORT["not_yet"]
    return f"{moment_on(today_ns, when.utc_ns)} #{when.record}"


def wrapped(text: str, first: str = "", later: str = "  ") -> list[str]:
    """Lines of a page's width; what devices say of themselves cannot steer a terminal."""
    safe = "".join(sign if sign.isprintable() or sign == KEPT else "?" for sign in text)
    lines = textwrap.wrap(
        safe, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(KEPT, " ") for line in lines]


def _together(items: Iterable[str], between: str = ", ") -> str:
    """Items one after the other, none of which is broken at the end of a line."""
    return between.join(item.replace(" ", KEPT) for item in items)


def _section(name: str, texts: Iterable[str]) -> list[str]:
    return section(HEADINGS[name], texts)


def section(heading: str, texts: Iterable[str]) -> list[str]:
    """A heading, and beside it what belongs to it; nothing at all where there is nothing."""
    heading = heading.ljust(MARGIN)
    found: list[str] = []
    for text in texts:
        found += wrapped(text, heading, " " * (MARGIN + 2))
        heading = " " * MARGIN
    return found


class _SessionPage:
    """One session in lines; the day of its beginning is said once, and only other days are said again."""

    def __init__(self, session: SessionReport) -> None:
        self._session = session

    def lines(self, verified: VerifyReport) -> list[str]:
        """Return the page."""
        session = self._session
        return [
            *self._head(),
            *(line for one in session.incidents for line in ("", *self._incident(one))),
            *([] if session.incidents else ["", *_section("incidents", [REPORT["no_incident"]])]),
            "",
            *_section("duties", session.duties),
            *_section("repeats", (self._repeat(one) for one in session.repeats if one.total > 1 or one.corrected)),
            *_section("people", self._people()),
            *_section("load", self._load()),
            *_section("rounds", self._rounds()),
            *_section("claims", self._claims()),
            *_section("refusals", self._refusals()),
            *_section("clock", (f"{self._at(one.when)} {one.text}" for one in session.clock)),
            *_section("accounts", self._accounts()),
            *_section("verification", self._verification()),
            *_section("devices", self._devices()),
            *journal_section(verified),
        ]

    def _at(self, when: When | None) -> str:
        return at(self._session.began.utc_ns, when)

    def _head(self) -> list[str]:
        session = self._session
        title = REPORT["title"].format(session=session.session, table=session.table, state=session.state_text)
        lines = head(title, session)
        software = ", ".join(_software(one) for one in session.software)
        book = {"title": session.rulebook_title, "id": session.rulebook, "digest": short(session.rulebook_digest)}
        lines.append(REPORT["rulebook"].format(software=software, **book))
        return [line for text in lines for line in wrapped(text)]

    # ---- incidents

    def _incident(self, one: IncidentReport) -> list[str]:
        told = [REPORT["incident"].format(number=one.number, text=one.text, clause=source(one.clause))]
        told += [REPORT["still_open"].format(stands=one.stands)] if one.stands else []
        told += [REPORT["next"].format(ask=ask) for ask in one.next]
        lines = [line for place, text in enumerate(told) for line in wrapped(text, "  " if place else "", "    ")]
        entries = [(self._at(when) if when else "", text) for when, text in _joined(one.course)]
        width = max(len(at) for at, _ in entries)
        for at, text in entries:
            lines += wrapped(text, f"  {at.ljust(width)}  ", " " * (width + 6))
        return lines

    def _repeat(self, one: Repeat) -> str:
        line, earlier = REPORT["repeat_here"].format(text=one.text, here=one.here), one.total - one.here
        if earlier:
            sessions = counted(one.sessions - 1, "session")
            line += REPORT["repeat_before"].format(earlier=earlier, sessions=sessions)
        if one.corrected is None:
            return line
        facts = {"date": day(one.corrected.utc_ns), "record": one.corrected.record, "person": one.corrected_by}
        return line + REPORT["since_correction"].format(since=one.since, **facts)

    # ---- who, and what was played

    def _people(self) -> list[str]:
        """Everybody who took a seat, a step or a key that counted, with the seats first."""
        session = self._session
        did: dict[tuple[str, int], list[str]] = {}
        for seat in session.seats:
            sat = REPORT["seat"].format(what=seat.what, when=self._at(seat.when))
            did.setdefault((seat.role, seat.person), []).append(sat)
        for one in session.people:
            did.setdefault((one.role, one.person), []).append(counted(one.steps, "step"))
        for (role, person), told in did.items():
            keys = Counter(key.key for key in session.keys if role == "dealer" and key.person == person)
            told += [REPORT["keys"].format(keys=" ".join(f"{name} {n}" for name, n in keys.items()))] if keys else []
        return [
            REPORT["person"].format(role=role_words(role), person=person, did=_together(told))
            for (role, person), told in did.items()
        ]

    def _load(self) -> list[str]:
        session = self._session
        lines = []
        for person, keys in groupby((key for key in session.keys if key.answered), key=lambda key: key.person):
            answers = _together(f"{key.answered} {self._at(key.when)}" for key in keys)
            lines.append(REPORT["opening"].format(person=person, answers=answers))
        packs = ", ".join(str(one.cards) for one in session.packs if one.ended)
        told = [REPORT["packs"].format(packs=packs)] if packs else []
        for one in session.counts:
            words = REPORT["agrees" if one.agrees else "differs"]
            told.append(_of(one.set, words.format(when=self._at(one.when), found=one.found, expected=one.expected)))
        shuffles = [_of(one.set, self._cycle(one)) for one in session.cycles]
        shoes = [self._shoe(one) for one in session.shoes]
        return [*lines, *(_together(some, "; ") for some in (told, shuffles, shoes) if some)]

    def _shoe(self, one: ShoeLine) -> str:
        mark = "warning_card" if one.came else "no_warning_card"
        return REPORT["shoe"].format(
            number=one.number,
            when=self._at(one.filled),
            cut=REPORT["cut_for_nobody" if one.cut_by else "cut"].format(person=one.cut_by),
            players=REPORT["one_player"] if one.one_player else "",
            mark=REPORT[mark].format(marked=self._at(one.marked), behind=one.behind) if one.marked else "",
        )

    def _cycle(self, one: CycleLine) -> str:
        words = REPORT["cycle_open" if one.ended is None else "shuffled" if one.shuffled else "not_shuffled"]
        text = words.format(when=self._at(one.ended or one.began), person=one.person)
        if one.shuffled:
            return text
        read = (("too_few", one.missing), ("too_many", one.over))
        return "; ".join([text, *(REPORT[how].format(faces=_each(faces)) for how, faces in read if faces)])

    def _rounds(self) -> list[str]:
        """In one block, by the dealer who had the table at their end."""
        lines = []
        for dealer, rounds in groupby(self._session.rounds, key=lambda one: one.dealer):
            told = _together(map(self._round, rounds))
            lines.append(REPORT["rounds"].format(person=dealer, rounds=told))
        return lines

    def _round(self, one: RoundLine) -> str:
        words = self._course_of(one)
        return REPORT["round_void"].format(round=words, clause=source(one.void)) if one.void else words

    def _course_of(self, one: RoundLine) -> str:
        today = self._session.began.utc_ns
        began = {"began": moment_on(today, one.began.utc_ns).rstrip("Z"), "first": one.began.record}
        if one.ended is None:
            return REPORT["round_open"].format(number=one.number, cards=one.cards, **began)
        ended = {"ended": moment_on(today, one.ended.utc_ns), "last": one.ended.record}
        return REPORT["round"].format(number=one.number, cards=one.cards, **began, **ended)

    def _claims(self) -> list[str]:
        lines = []
        for one in self._session.claims:
            closed = {"outcome": one.outcome, "closed": self._at(one.closed), "person": one.person}
            outcome = REPORT["claim_closed"].format_map(closed) if one.closed else REPORT["claim_open"]
            lines.append(REPORT["claim"].format(opened=self._at(one.opened), by=one.dealer, outcome=outcome))
        return lines

    def _refusals(self) -> list[str]:
        told = [
            REPORT["refusal"].format(clause=source(clause), times=counted(count, "step"))
            for clause, count in self._session.refusals.items()
        ]
        return [_together(told)] if told else []

    # ---- cards

    def _devices(self) -> list[str]:
        """Each device as it was when the session began, and each that stood in its place after that.

        What one can do is told of it where the one before it could do something else.
        """
        lines: dict[str, str] = {}
        could: dict[str, int] = {}
        for one in self._session.devices:
            if one.name not in lines:
                lines[one.name] = REPORT["device"].format(name=one.name, identity=identity_words(one.identity))
            else:
                words = identity_words if one.capabilities == could[one.name] else whole_identity_words
                later = REPORT["device_from"].format(when=self._at(one.since), identity=words(one.identity))
                lines[one.name] += f"; {later}"
            could[one.name] = one.capabilities
        return list(lines.values())

    def _accounts(self) -> list[str]:
        """A line a set."""
        lines = []
        for one in self._session.sets:
            places = (
                REPORT["account"].format(place=PLACES[Place(place)], count=abs(count))
                for place, count in one.accounts.items()
            )
            named = REPORT["named"].format(set=one.name, backs=", ".join(dict.fromkeys(one.backs))) if one.name else ""
            lines.append(_of(named, _together(places, "; ")))
        return lines

    def _verification(self) -> list[str]:
        session = self._session
        decks = [_of(one.set, one.text + (REPORT["by_person"] if one.by_person else "")) for one in session.decks]
        told_of = {one.text for one in session.decks}
        if decks and all(one.regular and not one.by_person for one in session.decks):
            decks = [REPORT["regular"].format(decks=len(decks))]
        lines = ["; ".join(_together(deck.split(", ")) for deck in decks)] if decks else []
        lines += [_of(one.set, REPORT["earlier_reading"].format(text=one.text)) for one in session.earlier_readings]
        if session.decks and not session.difference:
            verified = session.accounts.get(Place.VERIFIED, 0)
            told = [session.counted_out] if session.counted_out else []
            return [*lines, *told, REPORT["no_difference"].format(verified=verified, cards=session.set_cards)]
        return lines + [line for line in session.difference or (session.since_good_count,) if line not in told_of]


def _of(name: str, text: str) -> str:
    """What is told of a set, by its name where the table has two."""
    return REPORT["of_set"].format(set=name, text=text) if name else text


def _joined(course: Iterable[CourseLine]) -> list[tuple[When | None, str]]:
    """A course line by line: what one record did stands on one line, but each of the four moments on its own."""
    lines: list[tuple[When | None, str]] = []
    for entry in course:
        if lines and lines[-1][0] == entry.when and entry.entry not in FOUR_MOMENTS:
            lines[-1] = entry.when, f"{lines[-1][1]}; {entry.text}"
        else:
            lines.append((entry.when, entry.text))
    return lines


def _software(software: SoftwareLine) -> str:
    if not software.digest:
        return software.name
    return REPORT["software"].format(name=software.name, digest=short(software.digest))


def journal_section(verified: VerifyReport) -> list[str]:
    """How far the journal holds, and what vouches for it."""
    chain = REPORT["chain"].format(complete=verified.complete_to, signed=verified.signed_to)
    key = REPORT["key"].format(key=REPORT["given_key" if verified.key_given else "own_key"])
    after = verified.complete_to - verified.signed_to
    bare = [REPORT["unsigned"].format(records=counted(after, "record"))] if after else []
    own = [] if verified.key_given else [verified.public_key]
    vouched = [key, *own] if verified.complete_to else []
    return _section("journal", [chain, verified.head, *bare, *vouched])
