"""The command: ``sabot simulate``."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import count, islice
from multiprocessing.pool import AsyncResult

import click

from firmware_bridge.service.interrupts import INTERRUPTED
from sim_hardware.commands.simulate.fitted import most_sets
from sim_hardware.commands.simulate.report import lines, shift_line, told
from sim_hardware.commands.simulate.shift import KINDS, WHOLE, Result, Settings, Shift
from sim_hardware.commands.stage import TABLES, book_to_play, decks_that_fit, usual_book
from sim_hardware.faults import PLANS

AHEAD = 2
"""Shifts that wait for each process, so that none is idle."""


@click.command()
@click.option("--shifts", type=click.IntRange(min=1), default=10, show_default=True, help="How many to play.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the first; then the next.")
@click.option("--rounds", type=click.IntRange(min=1), default=WHOLE, show_default=True, help="Of each; 40 are short.")
@click.option("--faults", type=click.Choice(list(PLANS)), default="typical", show_default=True)
@click.option("--table", "kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True)
@click.option("--shuffler", type=click.Choice(TABLES["batch"].makes), help="Of which make a batch shuffler is.")
@click.option("--sets", type=click.IntRange(min=1), help="Of cards, at a batch shuffler.  [default: one or two, drawn]")
@click.option("--places", is_flag=True, help="The dealers mark the places: each deal is followed.")
@click.option("--rulebook", default="", metavar="NAME|FILE", help="By default the usual one of this kind of table.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes; same results.")
@click.option("--until-violation", is_flag=True, help="Play on until an invariant does not hold.")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Begin no shift after so many minutes.")
@click.pass_context
def simulate(
    ctx: click.Context,
    shifts: int,
    seed: int,
    rounds: int,
    faults: str,
    kind: str,
    shuffler: str | None,
    sets: int | None,
    places: bool,
    rulebook: str,
    jobs: int,
    until_violation: bool,
    minutes: float | None,
) -> None:
    """Play shifts on a virtual clock and check the invariants after every event.

    Exit status 1 if one does not hold; what is printed then repeats it. Ctrl-C ends it early, with status 130.
    """
    if shuffler is not None and shuffler not in TABLES[kind].makes:
        raise click.UsageError(f"--shuffler {shuffler} stands at no {kind} table")
    allowed = decks_that_fit(shuffler or "", book_to_play(rulebook or usual_book(kind, shuffler or "")))
    if not allowed:
        raise click.UsageError(f"--shuffler {shuffler} takes no set of so many decks as {rulebook} has")
    if sets is not None and sets > (most := most_sets(kind, allowed)):
        raise click.UsageError(f"--sets {sets}: a {kind} table of this book has at most {most}")
    without_end = until_violation or minutes is not None
    seeds = count(seed) if without_end else iter(range(seed, seed + shifts))
    end = None if minutes is None else time.monotonic() + 60 * minutes
    wanted = (Settings(each, rounds, faults, rulebook, kind, shuffler or "", sets or 0, places) for each in seeds)
    results: list[Result] = []
    interrupted = False
    try:
        for result in play(in_time(wanted, end), jobs):
            results.append(result)
            if sys.stderr.isatty():
                click.echo(shift_line(result), err=True)
            for line in told(result) if result.violation else ():
                click.echo(line)
            if result.violation and until_violation:
                break
    except KeyboardInterrupt:
        interrupted = True
        click.echo("Interrupted: what was played to its end until then follows.", err=True)
    for line in lines(results):
        click.echo(line)
    ctx.exit(INTERRUPTED if interrupted else int(any(result.violation for result in results)))


def in_time(wanted: Iterator[Settings], end: float | None) -> Iterator[Settings]:
    """Yield shifts to play until the time is up."""
    while end is None or time.monotonic() < end:
        following = next(wanted, None)
        if following is None:
            return
        yield following


def play(wanted: Iterator[Settings], jobs: int) -> Iterator[Result]:
    """Play shifts in so many processes; yield their results in the order of the shifts."""
    if jobs == 1:
        yield from map(play_one, wanted)
        return
    ignore_interrupts = (signal.SIGINT, signal.SIG_IGN)  # they are the parent's to take, for all
    with multiprocessing.get_context("spawn").Pool(jobs, signal.signal, ignore_interrupts) as pool:
        under_way: deque[AsyncResult[Result]] = deque()
        while True:
            for settings in islice(wanted, AHEAD * jobs - len(under_way)):
                under_way.append(pool.apply_async(play_one, (settings,)))
            if not under_way:
                return
            yield under_way.popleft().get()


def play_one(settings: Settings) -> Result:
    """Play one shift."""
    return Shift(settings).play()
