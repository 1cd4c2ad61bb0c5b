"""A PIN given to a command: typed at a terminal, unechoed, twice; or a line of standard input, if that is asked for.

Never an argument and never in the environment, where other users of the machine could read it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from getpass import getpass

import click

from firmware_bridge.core.secrets import SHORTEST_PIN, Pin, weakness
from firmware_bridge.errors import ConfigError


def asked_pin(from_stdin: bool) -> Pin:
    """Return the PIN that was given. Raises ``ConfigError`` where nobody can type one, or nothing came."""
    return _given(_typed, from_stdin)


def known_pin(words: str, from_stdin: bool) -> Pin:
    """Ask a person who has a PIN for it, once. Raises ``ConfigError`` where nobody can type it, or nothing came."""
    return _given(lambda: Pin(getpass(words)), from_stdin)


def _given(typed: Callable[[], Pin], from_stdin: bool) -> Pin:
    if not (from_stdin or sys.stdin.isatty()):
        raise ConfigError(
            "a PIN is typed at a terminal, and there is none here; run this in one, or give --pin-from-stdin and each "
            "PIN as one line on standard input"
        )
    try:
        return Pin(_line_of_stdin()) if from_stdin else typed()
    except EOFError:
        raise ConfigError("no PIN was given, and nothing was changed; run this again and type one") from None
    except KeyboardInterrupt:
        click.echo(err=True)  # the prompt's line is still open
        raise


def _typed() -> Pin:
    while True:
        pin = Pin(getpass(f"PIN ({SHORTEST_PIN} digits or more): "))
        refused = weakness(pin)
        if refused is None and getpass("PIN again: ") != pin.digits():
            refused = "the two are not the same"
        if refused is None:
            return pin
        click.echo(f"Not taken: {refused}.", err=True)


def _line_of_stdin() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")
