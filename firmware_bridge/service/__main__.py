"""``sabot``, and ``python -m firmware_bridge.service``: Ctrl-C is seen to before anything of size is imported."""

from __future__ import annotations

from firmware_bridge.service.interrupts import stand_guard


def main() -> None:
    """Run the command."""
    stand_guard()
    from firmware_bridge.service.cli import main as commands

    commands(prog_name="sabot")


if __name__ == "__main__":
    main()
