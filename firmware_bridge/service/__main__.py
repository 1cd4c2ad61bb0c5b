"""``sabot``, and ``python -m firmware_bridge.service``: closed streams and Ctrl-C are seen to before all else."""

from __future__ import annotations

from firmware_bridge.service.interrupts import stand_guard
from firmware_bridge.service.streams import open_closed_streams


def main() -> None:
    """Run the command."""
    open_closed_streams()
    stand_guard()
    from firmware_bridge.service.cli import main as commands

    commands(prog_name="sabot")


if __name__ == "__main__":
    main()
