"""``sabot``: the commands of the controller. What a command needs is imported when it runs: each starts quickly."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Literal

import click

from firmware_bridge.core.words import Role
from firmware_bridge.errors import ConfigError
from firmware_bridge.service.plugins import Commands
from firmware_bridge.service.rules_cli import rules

FILE = click.Path(path_type=Path)
STANDARD_ERROR = 2
LOOK_PERIOD = 0.2
"""Seconds between two looks of a reader at its journal."""

CONFIG = click.option("--config", type=FILE, required=True, metavar="FILE", help="The table's configuration (TOML).")
FORMAT = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
PIN_FROM_STDIN = click.option(
    "--pin-from-stdin", is_flag=True, help="Take each PIN from a line of standard input: for programs, not for people."
)
OWN_RULEBOOKS = click.option(
    "--rulebook", "rulebooks", type=FILE, multiple=True, metavar="FILE", help="A rule book of your own that bound it."
)
ROLES = tuple(role.value for role in Role)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sabot")
def main() -> None:
    """Controller of the card machinery at a casino blackjack table."""


@main.command()
@CONFIG
def run(config: Path) -> None:
    """Run the controller of a table until Ctrl-C, SIGTERM, or the end of its terminal."""
    from firmware_bridge.service.run import run

    run(config)


@main.command()
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--status",
    type=FILE,
    metavar="FOLDER",
    default="/run/sabot",
    show_default=True,
    help="Where the controller writes its status file; of several tables FOLDER/NAME, for the journal NAME.journal.",
)
@OWN_RULEBOOKS
def watch(files: tuple[Path, ...], status: Path, rulebooks: tuple[Path, ...]) -> None:
    """Show a table on this terminal, from its journal, until Ctrl-C; of several, what calls for their supervisor."""
    from firmware_bridge.readers.tables import watch_tables
    from firmware_bridge.readers.terminal import watch
    from firmware_bridge.service.status import NAME

    never = Event()
    if len(files) == 1:
        watch(files[0], status / NAME, sys.stdout, lambda: never.wait(LOOK_PERIOD), books=rulebooks)
    else:
        tables = [(file, status / file.stem / NAME) for file in files]
        watch_tables(tables, sys.stdout, lambda: never.wait(LOOK_PERIOD), books=rulebooks)


@main.command()
@click.argument("file", type=FILE)
@OWN_RULEBOOKS
@click.pass_context
def replay(ctx: click.Context, file: Path, rulebooks: tuple[Path, ...]) -> None:
    """Decide every recorded event again and compare; exit 1 if any decision differs or a record does not follow."""
    from firmware_bridge.journal import read_records
    from firmware_bridge.rulebooks import Shelf
    from firmware_bridge.service.replay import replay

    records = ((record.number, record.utc_ns, record.body) for record in read_records(_journal(file)))
    report = replay(records, Shelf(rulebooks))
    for line in report.lines():
        click.echo(line)
    _say_unchecked(file, "Signatures are")
    ctx.exit(0 if report.difference is None else 1)


# ---- devices


def _log_aside() -> None:
    """What the links of devices on trial log goes to standard error: standard output is the command's answer."""
    import time

    from firmware_bridge.service.logs import LogFile, configure_logs

    configure_logs(LogFile(STANDARD_ERROR), time.time_ns, "warning", cache=False)


@main.command()
@click.argument("what", type=click.Choice(["approve"]), required=False)
@CONFIG
@click.option("--identify", is_flag=True, help="Open each port that nobody has, and ask the device who it is.")
def devices(what: str | None, config: Path, identify: bool) -> None:
    """List the table's devices: their ports, who has them, who they are, what passed over their links.

    With the word "approve": which are others than the approved ones, and what technician and supervisor, two people,
    type at the table's keypad to approve them.
    """
    import time

    from drivers.transport.ports import open_port
    from firmware_bridge.service.config import load_config
    from firmware_bridge.service.devices import approvals, device_lines

    table = load_config(config)
    if identify:
        _log_aside()
    lines = approvals(table) if what else device_lines(table, time.time_ns(), open_port if identify else None)
    for line in lines:
        click.echo(line)


@main.command()
@CONFIG
@click.option("--lamp", is_flag=True, help="Let each lamp flash, and ask you whether it did; no controller may run.")
@click.option("--keys", is_flag=True, help="Have each key pressed; no controller may run.")
@click.pass_context
def check(ctx: click.Context, config: Path, lamp: bool, keys: bool) -> None:
    """Check ports, rights and USB settings, and on request lamps and keys; exit 1 if something is bad."""
    from drivers.transport.ports import open_port
    from firmware_bridge.service.checkup import Verdict, check_ports, try_keys, try_lamps
    from firmware_bridge.service.config import load_config

    table, failed = load_config(config), False
    if lamp or keys:
        _log_aside()
    findings = [check_ports(table)]
    findings += [try_lamps(table, open_port, click.confirm)] if lamp else []
    findings += [try_keys(table, open_port, click.echo)] if keys else []
    for finding in (one for found in findings for one in found):
        click.echo(str(finding))
        failed = failed or finding.verdict is Verdict.BAD
    ctx.exit(1 if failed else 0)


@main.command("replay-capture")
@click.argument("file", type=FILE)
def replay_capture(file: Path) -> None:
    """Tell what a driver makes of the captured bytes of a link; no device is touched."""
    from drivers.capture import read_capture, replay
    from drivers.registry import DRIVERS

    entries = read_capture(file)
    for entry, notice in replay(entries, DRIVERS):
        click.echo(f"{entry.t:14.3f}  {entry.link:<10}  {notice}")
    masked = Counter[str]()
    for entry in entries:
        masked[entry.link] += entry.masked
    for link, count in masked.items():
        if count:
            click.echo(
                f"{'':14}  {link:<10}  {count} bytes are masked: a keypad's, a refused device's, or of no open link"
            )


main.add_command(rules)

# ---- sabot journal


@main.group()
def journal() -> None:
    """Verify, show or export a journal; begin another after a damaged one."""


@journal.command()
@click.argument("file", type=FILE)
@click.option("--key", metavar="FILE|HEX", help="The public key noted at installation.")
@click.option("--head", metavar="NUMBER:HEX", help="A head that left the machine.")
@click.pass_context
def verify(ctx: click.Context, file: Path, key: str | None, head: str | None) -> None:
    """Check chain and signatures; exit 1 and name the first bad record if anything was changed."""
    from firmware_bridge.journal import verify

    report = verify(_journal(file), key=None if key is None else _key(key), head=head)
    for line in report.lines():
        click.echo(line)
    ctx.exit(0 if report.ok else 1)


@journal.command()
@click.argument("file", type=FILE)
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N records.")
@OWN_RULEBOOKS
def show(file: Path, last: int | None, rulebooks: tuple[Path, ...]) -> None:
    """Tell in words what happened; exit 1 where a record does not follow the one before it."""
    from firmware_bridge.journal import last_number, read_records
    from firmware_bridge.rulebooks import Shelf
    from firmware_bridge.service.wording import told

    _journal(file)
    after = 0 if last is None else max(0, last_number(file) - last)
    for line in told(read_records(file), Shelf(rulebooks), after):
        click.echo(line)
    _say_unchecked(file, "Signatures are")


@journal.command()
@click.argument("file", type=FILE)
def export(file: Path) -> None:
    """Write everything that the chain covers as JSON lines, as it stands: a bad journal is copied as it is, exit 0."""
    from firmware_bridge.journal import export_lines, parts

    for line in export_lines(parts(_journal(file))):
        click.echo(line, nl=False)
    _say_unchecked(file, "Chain and signatures are")


@journal.command("begin-anew")
@CONFIG
@click.option("--supervisor", type=int, required=True, metavar="NUMBER", help="The supervisor who decides it.")
@click.option("--technician", type=int, required=True, metavar="NUMBER", help="The technician who saw it.")
@PIN_FROM_STDIN
def begin_anew(config: Path, supervisor: int, technician: int, pin_from_stdin: bool) -> None:
    """Lay a damaged journal aside, unaltered, and begin another: by a supervisor and a technician, each by PIN."""
    from firmware_bridge.service.begin_anew import begin_anew
    from firmware_bridge.service.pin_entry import known_pin

    folder = begin_anew(config, supervisor, technician, lambda words: known_pin(words, pin_from_stdin))
    click.echo(f"The damaged journal lies in {folder}: keep it for the inspector.")
    click.echo("What it knew is not carried over: a barred set, a machine out of service, open incidents. See to them.")


def _journal(file: Path) -> Path:
    """The path of a journal; raises ``JournalError`` if it leads to none at all, whatever a command wants of it."""
    from firmware_bridge.journal import require_journal

    require_journal(file)
    return file


def _say_unchecked(file: Path, what: str) -> None:
    """Say on standard error, beside the answer, what a command that reads a journal does not check of it."""
    click.echo(f"{what} not checked here: sabot journal verify {file}", err=True)


def _key(text: str) -> bytes:
    """A public key given as 64 hexadecimal digits, or as a file that holds them."""
    from firmware_bridge.errors import JournalError

    try:
        written = text if len(text) == 64 else Path(text).read_text(encoding="ascii").strip()
        return bytes.fromhex(written)
    except OSError as error:
        raise JournalError(f"key {text}: {error.strerror}; give the public key's file or its 64 digits") from error
    except ValueError as error:
        raise JournalError(f"key {text}: this is no public key; give 64 hexadecimal digits or their file") from error


# ---- sabot report


@main.group()
def report() -> None:
    """Tell what a journal proves, for an inspector."""


@report.command()
@click.argument("file", type=FILE)
@click.option("--session", "number", type=click.IntRange(min=1), metavar="N", help="Its number; by default the last.")
@FORMAT
@OWN_RULEBOOKS
@click.pass_context
def session(
    ctx: click.Context, file: Path, number: int | None, form: Literal["text", "json"], rulebooks: tuple[Path, ...]
) -> None:
    """Report a session on one page; exit 1 if the journal does not hold."""
    from firmware_bridge.readers.report import session_of, written

    verified, found = session_of(_journal(file), number, rulebooks)
    click.echo(written(verified, found, form))
    ctx.exit(0 if verified.ok else 1)


@report.command()
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE...")
@FORMAT
@click.pass_context
def repeats(ctx: click.Context, files: tuple[Path, ...], form: Literal["text", "json"]) -> None:
    """Report which incidents came back over all sessions, a journal a table; exit 1 if one does not hold."""
    from firmware_bridge.readers.repeats import repeats_of, repeats_written

    journals = [repeats_of(file) for file in files]
    click.echo(repeats_written(journals, form))
    ctx.exit(1 if any(one.problem for one in journals) else 0)


RECEIPTS = {
    "load": "Report how the cards of a session went in: packs, counts, who was present; to sign",
    "unload": "Report how they came out, and what the verification found of each deck; to sign",
    "envelope": "Report each damaged card, its replacement and its envelope; to sign",
    "foreign": "Report each card that is none of the set, and its envelope; to sign",
    "machine": "Report each machine taken out of service, and the cards left in it; to sign",
    "incident": "Report each incident from its discovery to its report; to sign",
}
BY_INCIDENT = ("envelope", "foreign", "machine", "incident")
"""Those of which a session may have several, one an incident."""


def _add_receipt(kind: str, about: str) -> None:
    @click.argument("file", type=FILE)
    @click.option("--session", type=click.IntRange(min=1), metavar="N", help="Its number; by default the last.")
    @FORMAT
    @OWN_RULEBOOKS
    @click.pass_context
    def command(
        ctx: click.Context,
        file: Path,
        session: int | None,
        form: Literal["text", "json"],
        rulebooks: tuple[Path, ...],
        number: int | None = None,
    ) -> None:
        from firmware_bridge.readers.receipts import receipts_of, receipts_written
        from firmware_bridge.view import ReceiptKind

        told = receipts_of(_journal(file), ReceiptKind(kind), session, number, rulebooks)
        click.echo(receipts_written(told, form))
        ctx.exit(0 if told.verified.ok else 1)

    if kind in BY_INCIDENT:
        command = click.option("--number", type=click.IntRange(min=1), metavar="N", help="Of this incident alone.")(
            command
        )
    report.command(kind, help=f"{about}; exit 1 if the journal does not hold.")(command)


for _kind, _about in RECEIPTS.items():
    _add_receipt(_kind, _about)


# ---- sabot people


@main.group()
def people() -> None:
    """Enrol people, list them, renew a PIN, or take a person's right to act."""


@people.command()
@click.argument("file", type=FILE)
@click.argument("number", type=int)
@click.argument("role", type=click.Choice(ROLES))
@PIN_FROM_STDIN
def add(file: Path, number: int, role: str, pin_from_stdin: bool) -> None:
    """Enrol a person under a number; the PIN is asked for twice and not shown."""
    from firmware_bridge.service.people import add_person
    from firmware_bridge.service.pin_entry import asked_pin

    person = add_person(file, number, Role(role), asked_pin(pin_from_stdin))
    click.echo(f"person {person.number} is enrolled as {person.role}")


@people.command("list")
@click.argument("file", type=FILE)
def list_people(file: Path) -> None:
    """List who may act."""
    from firmware_bridge.service.people import read_people

    for person in read_people(file):
        click.echo(f"{person.number:>4}  {person.role}" + ("  (disabled)" if person.disabled else ""))


@people.command()
@click.argument("file", type=FILE)
@click.argument("number", type=int)
def disable(file: Path, number: int) -> None:
    """Take a person's right to act, for good."""
    from firmware_bridge.service.people import disable_person

    person = disable_person(file, number)
    click.echo(f"person {person.number} does not act any more")


@people.command()
@click.argument("file", type=FILE)
@click.argument("number", type=int)
@PIN_FROM_STDIN
def renew(file: Path, number: int, pin_from_stdin: bool) -> None:
    """Give a person a new PIN: the room manager who forgot his own, whom nobody at the table can help.

    Everybody else's is renewed at the table, by the room manager, and the journal tells of it.
    """
    from firmware_bridge.service.people import person_of, renew_pin
    from firmware_bridge.service.pin_entry import asked_pin

    person = person_of(file, number)
    if refused := renew_pin(file, number, asked_pin(pin_from_stdin)):
        raise ConfigError(f"{file}: the PIN of person {number} is as it was: {refused}")
    click.echo(f"person {number}, {person.role}, has a new PIN; it counts from the next entry at the keypad on")
    click.echo("The journal does not tell of this: write down who did it, and why.")
