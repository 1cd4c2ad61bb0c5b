"""``python -m firmware_bridge.service.summary FILE``: a journal's last session as JSON, in a fresh process."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from firmware_bridge.errors import BridgeError
from firmware_bridge.readers.summary import summary


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def main(file: Path) -> None:
    """Verify a journal, fold it, and tell its last session as one line of JSON."""
    try:
        click.echo(msgspec.json.encode(summary(file)).decode())
    except BridgeError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
