"""``sabot rules``: check a rule book, compare two, explain a clause and what carries it; procedures, sessions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import click

INTO = click.option(
    "--into", type=click.Path(path_type=Path), metavar="FILE", help="Write them between FILE's two marks."
)


def _give(what: str, lines: Iterable[str], into: Path | None) -> None:
    """Print what was made, or write it into a file."""
    from firmware_bridge.service.generated import write_generated

    if into is not None:
        write_generated(into, what, lines)
        return
    for line in lines:
        click.echo(line)


@click.group()
def rules() -> None:
    """Check and compare rule books; explain clauses and what carries them."""


@rules.command()
@click.argument("file")
@click.option("--on", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="Whether a table opens with it on DATE.")
def check(file: str, on: datetime | None) -> None:
    """Check a rule book, FILE or the name of one that comes with the program; tell all that is wrong, with its line."""
    from firmware_bridge.service.rules import checked

    for line in checked(file, on.date() if on else None):
        click.echo(line)


@rules.command()
@click.argument("one")
@click.argument("other")
def diff(one: str, other: str) -> None:
    """Tell in which values two rule books differ."""
    from firmware_bridge.service.rules import compared

    for line in compared(one, other):
        click.echo(line)


@rules.command()
@click.argument("name", metavar="CLAUSE")
def explain(name: str) -> None:
    """Tell what a clause says and which rows, refusals, values and tests carry it; or a house value, or a reading."""
    from firmware_bridge.service.rules import explained

    for line in explained(name):
        click.echo(line)


@rules.command()
@INTO
def diagrams(into: Path | None) -> None:
    """Draw the procedures' tables as state diagrams (Mermaid)."""
    from firmware_bridge.service.diagrams import diagrams

    _give("diagrams", diagrams(), into)


@rules.command()
@click.argument("books", metavar="[BOOK]...", nargs=-1)
@INTO
def sessions(books: tuple[str, ...], into: Path | None) -> None:
    """Tell what a session at each kind of table asks of whom, in order: by these books, or by each that there is."""
    from firmware_bridge.rulebooks import BOOKS
    from firmware_bridge.service.session_pages import pages

    _give("sessions", pages(books or BOOKS), into)


@rules.command()
@click.pass_context
def coverage(ctx: click.Context) -> None:
    """Tell of each clause what carries it and how many tests prove it; exit 1 if one has neither test nor reason."""
    from firmware_bridge.service.rules import covered

    lines, is_right = covered()
    for line in lines:
        click.echo(line)
    ctx.exit(0 if is_right else 1)
