"""The command group that also offers what other packages register, and turns our errors into one message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from drivers.errors import DeviceError
from firmware_bridge.errors import BridgeError
from firmware_bridge.service.interrupts import INTERRUPTED, SAID, interruptible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "sabot.commands"
"""Entry points under this name are commands of ``sabot``."""


class Commands(click.Group):
    """Own commands first; others are found by name and loaded when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands' names."""
        return sorted({*super().list_commands(ctx), *_registered()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None where nobody offers it."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        entry = _registered().get(cmd_name)
        return None if entry is None else _loaded(entry)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what can go wrong becomes a message and status 1, Ctrl-C becomes one line and status 130."""
        try:
            with interruptible():
                return super().invoke(ctx)
        except (BridgeError, DeviceError) as error:
            raise click.ClickException(str(error)) from error
        except (KeyboardInterrupt, click.Abort):
            click.echo(SAID, err=True)
            ctx.exit(INTERRUPTED)


def _registered() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # a twentieth of a controller's start, which does not need it

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(entry: EntryPoint) -> click.Command:
    try:
        command = entry.load()
    except Exception as error:  # noqa: BLE001 - another package's fault must not take the other commands away
        return _broken(entry, f"{type(error).__name__}: {error}")
    if isinstance(command, click.Command):
        return command
    return _broken(entry, f"{entry.value} is no command")


def _broken(entry: EntryPoint, reason: str) -> click.Command:
    """A command in the place of one that cannot be loaded; it says so, in the help and when it is called."""
    message = f"{entry.name} cannot be loaded from {entry.value} ({reason}); reinstall the package that brings it"

    def refuse() -> None:
        raise click.ClickException(message)

    return click.Command(
        entry.name,
        callback=refuse,
        params=[click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED, expose_value=False)],
        context_settings={"ignore_unknown_options": True},
        help=message,
        short_help="(cannot be loaded)",
    )
