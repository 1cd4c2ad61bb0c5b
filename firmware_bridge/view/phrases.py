"""Small pieces of sentences: a number of cards, a moment, a clause, a role."""

from __future__ import annotations

from collections.abc import Iterable

from drivers.cards import RANKS, SUITS, face_name, face_of
from drivers.protocol.messages import DealerKey, capability_words
from firmware_bridge.core.events import DIGEST, Identity
from firmware_bridge.core.words import Role, Trigger
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import behind, source
from firmware_bridge.view.device_texts import IDENTITY
from firmware_bridge.view.texts import ROLES

SECOND = 10**9

KEYS: dict[DealerKey, Trigger] = {
    DealerKey.YES: Trigger.YES,
    DealerKey.ROUND_OVER: Trigger.ROUND_OVER,
    DealerKey.CLAIM: Trigger.CLAIM,
    DealerKey.DAMAGED_CARD: Trigger.DAMAGED_CARD,
    DealerKey.CALL_SUPERVISOR: Trigger.CALL_SUPERVISOR,
}
"""The trigger by whose words each of the dealer's keys is told."""


def cards(count: int) -> str:
    """A number of cards: ``1 card``, ``52 cards``."""
    return counted(count, "card")


def counted(count: int, word: str) -> str:
    """A number of things: ``1 step``, ``3 steps``."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def card_typed(value: int) -> str:
    """A card as it is typed, in words: 2307 is ``7 of hearts, deck 2``; what is none is told as it was typed."""
    deck, suit, rank = value // 1000, value // 100 % 10, value % 100
    if not (1 <= suit <= len(SUITS) and 1 <= rank <= len(RANKS)):
        return str(value)
    return f"{face_name(face_of(rank, suit - 1))}, deck {deck}"


def clock(utc_ns: int) -> str:
    """A moment of UTC (nanoseconds since 1970) as a wall shows it: ``05:12:31Z``."""
    minutes, seconds = divmod(utc_ns // SECOND, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours % 24:02}:{minutes:02}:{seconds:02}Z"


def span(seconds: int) -> str:
    """A length of time that may be a long one: ``3 min 20 s``, ``1 day 2 h 0 min``."""
    minutes, rest = divmod(seconds, 60)
    if minutes < 60:
        return length(seconds)
    days, hours = divmod(minutes // 60, 24)
    return f"{counted(days, 'day')} {hours} h {minutes % 60} min" if days else f"{hours} h {minutes % 60} min {rest} s"


def length(seconds: int) -> str:
    """A length of time: ``40 s``, ``3 min``, ``3 min 20 s``."""
    minutes, rest = divmod(seconds, 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def stands_on(book: RuleBook, clause: str) -> str:
    """What the product names by ``clause`` (``subjects.behind``), by a table's own book and as ``source`` writes it."""
    return source(behind(book, clause))


def role_words(role: str) -> str:
    """A role as it is said at the table; empty for none."""
    return ROLES[Role(role)] if role else ""


def short(digest: str) -> str:
    """As much of a digest as is told in words; records and JSON have all of it."""
    return digest[:DIGEST]


def identity_words(one: Identity) -> str:
    """What a device says that it is: ``Sabot Shoe SS-0001, firmware 1.2 (0c5a…)``."""
    if not (one.name or one.digest or one.capabilities):
        return IDENTITY["never"]
    words = IDENTITY["known"].format(
        name=one.name or IDENTITY["nameless"], firmware=one.firmware, digest=short(one.digest)
    )
    return words + (IDENTITY["simulated"] if one.simulated else "")


def whole_identity_words(one: Identity) -> str:
    """The same and what it says that it can do, where that was noted."""
    return identity_words(one) + (f" ({capability_words(one.capabilities)})" if one.capabilities else "")


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def listed(items: Iterable[str]) -> str:
    """Items one after the other, with commas."""
    return ", ".join(items)
