"""The field cases: reports of what went wrong elsewhere, by id and title, and those that are not played yet.

A test that plays one is marked ``pytest.mark.field("BR-...")``. ``tests/architecture/test_names.py`` holds marks and
``WAITING`` against each other: each case is played or waits, and none does both.
"""

from __future__ import annotations

FIELD_CASES: dict[str, str] = {
    # cards
    "BR-001": "sixteen cards left in a machine that was taken away",
    "BR-002": "a card crossed over between the two sets of a table",
    "BR-003": "a card fell into the table's well",
    "BR-004": "a spill looked after by eye, and not counted",
    "BR-005": "a card too many, and cards of another back",
    "BR-006": "cards taken unshuffled out of a machine that was never started",
    "BR-007": "packs delivered as shuffled that were in order",
    "BR-008": "a machine whose one pass leaves the order to be guessed",
    # alarms and procedures
    "BR-009": "a warning light ignored",
    "BR-010": "play gone on while a damaged card's replacement was fetched",
    "BR-011": "when it was found, when dealing stopped, when it was reported",
    "BR-012": "a misdeal put right against the local rule",
    "BR-013": "the same fault again after a written warning",
    "BR-014": "a card of the other set used as cut card",
    # readers and seals
    "BR-015": "a machine's count that says different things of the same cards",
    "BR-016": "a misread that looks like a duplicate",
    "BR-017": "a machine taken over through an open socket",
    # rules of the game
    "BR-018": "a page that shows another rule than the one dealt",
    "BR-019": "aces and soft totals counted wrongly",
    "BR-020": "twenty-one after a split taken for a natural",
    "BR-021": "a split or a double offered where there is none",
    "BR-022": "a shoe that runs dry within a round",
    # links and identities
    "BR-023": "half a line taken for a whole one",
    "BR-024": "a write that never returns",
    "BR-025": "a late answer taken for the answer to the next question",
    "BR-026": "resending without end",
    "BR-027": "an old handle kept open, and the device back under another name",
    "BR-028": "a device back from a power cut, used as if nothing had been",
    "BR-029": "another program that speaks to a port first",
    "BR-030": "two adapters alike, or a link to the wrong thing",
    "BR-031": "two programs at one port",
    "BR-032": "a device that resets when its port is opened",
    "BR-033": "a USB device that stays busy until every interface is let go",
    # the controller's own affairs
    "BR-034": "one bad event that takes the waiting ones with it",
    "BR-035": "an answer and its timeout in one moment",
    "BR-036": "a journal spoiled by a power cut",
    "BR-037": "a log that grows without bound",
    "BR-038": "a full disk",
    "BR-039": "a clock that jumps within a wait",
    "BR-040": "summer time begins and ends",
    # screens and keys
    "BR-041": "old data shown as if it were live",
    "BR-042": "messages delivered once more after a reconnect",
    "BR-043": "a keypad gone for a blink and deaf for ever",
    "BR-044": "a double press that acknowledges the next alarm too",
    # the table's computer
    "BR-045": "a watchdog fed by something that is not stuck",
    "BR-046": "devices that come late at the boot",
    "BR-047": "a line that falls silent when it is idle",
    "BR-048": "a simulation in place of the code under test",
    "BR-049": "one deed booked twice",
    "BR-050": "stopped half way: how many came out",
}
"""All of them."""

_HANDS = "the table follows places, not hands and stakes: no rule of the game is held against the cards dealt"
_SCREEN = "no screen but the terminal beside the journal yet: nothing is sent to a page or by a broker"
WAITING: dict[str, str] = {
    "BR-017": "what is plugged into an open socket is told nowhere yet; other firmware has its alarm",
    "BR-018": "no page shows the rules of the game yet",
    "BR-019": _HANDS,
    "BR-020": _HANDS,
    "BR-021": _HANDS,
    "BR-041": _SCREEN,
    "BR-042": _SCREEN,
}
"""Those that no test plays yet, each with what it waits for."""
