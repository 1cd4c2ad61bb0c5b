"""Seeds that once failed. Each stays, and what it had found; it is played again, over fewer rounds, in every run."""

from __future__ import annotations

from typing import NamedTuple

from sim_hardware.commands.simulate.shift import Settings


class Once(NamedTuple):
    """A shift that once broke an invariant, and what was wrong."""

    settings: Settings
    found: str


ONCE_FAILED: tuple[Once, ...] = (
    Once(
        Settings(seed=6, rounds=10, faults="storm", ways_out=0),
        "5: a controller started without the keypad's cable never heard that it is out",
    ),
    Once(
        Settings(seed=2003, rounds=10, faults="typical", ways_out=0),
        "9: a spill was declared within a round, and the dealer waited for the next card instead of ending it",
    ),
    Once(
        Settings(seed=5009, rounds=10, faults="storm", ways_out=0),
        "7: what a device told during a slow flush was looked for in the journal before it had been listened to",
    ),
    Once(
        Settings(seed=5202, rounds=10, faults="storm", ways_out=0),
        "4: another machine stood in for the one out of service, and was taken for it",
    ),
    Once(
        Settings(seed=1, rounds=10, faults="storm", ways_out=1),
        "9: the card that had stuck in a loading was left on the table, and the load declared complete without it",
    ),
    Once(
        Settings(seed=9000, rounds=14, faults="storm", ways_out=0),
        "9: a dealer waited for the rest of a round that somebody else had ended",
    ),
    Once(
        Settings(seed=5000, rounds=10, faults="storm", ways_out=0),
        "1: what a device told just before its memory was lost was given up, though it was on its way and was taken; "
        "2: a spill asks for cards left in the discard, and the intake stood open for them in ready",
    ),
    Once(
        Settings(seed=162962156, rounds=10, faults="typical", ways_out=0),
        "a dealer who had nothing to give back lost a card of it: the people broke, not the table",
    ),
    Once(
        Settings(seed=47, rounds=14, faults="storm", ways_out=0),
        "9: that more was drawn than fed was raised again and again once the machine was proven empty, and nobody "
        "could sign; a machine that cannot hold never opened a session, for it feeds its shoe while it is loaded",
    ),
    Once(
        Settings(seed=25, rounds=14, faults="storm", ways_out=0),
        "1: a card that the shoe forgot lay at the mouth by the books until the verification, whatever was fed since",
    ),
    Once(
        Settings(seed=500, rounds=10, faults="storm", rulebook="live", ways_out=0),
        "1: more cards were booked out of the shoe, as fed and not told, than were inside by the books",
    ),
    Once(
        Settings(seed=304, rounds=10, faults="storm", ways_out=0),
        "9: that more was drawn than fed came back after each full count that agreed, until the shift was over; "
        "1: a card out of turn at the end of an unloading was booked out of an empty machine",
    ),
    Once(
        Settings(seed=406, rounds=12, faults="storm", ways_out=0),
        "5: the time for cards to come back ran on in the invariant while the shuffler was gone",
    ),
    Once(
        Settings(seed=7011, rounds=30, faults="storm", ways_out=0),
        "2: a shuffler whose link was a fresh one, and that held by itself, was held to be released",
    ),
    Once(
        Settings(seed=6, rounds=6, faults="typical", table="batch", ways_out=0),
        "1: a machine was proven empty, and the table closed, with 80 cards in its shoe",
    ),
    Once(
        Settings(seed=2, rounds=6, faults="typical", table="batch", ways_out=0),
        "9: of two sets in doubt the one that was counted already was laid in again and again, and never the other",
    ),
    Once(
        Settings(seed=10, rounds=6, faults="typical", table="batch", sets=2, ways_out=1),
        "9: a dealer waited for a jam to be mended, within a round, whose set only a cycle between rounds counts",
    ),
)
"""All of them, the oldest first."""
