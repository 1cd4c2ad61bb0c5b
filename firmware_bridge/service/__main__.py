"""``sabot``, and ``python -m firmware_bridge.service``: Ctrl-C is seen to before anything of size is imported."""

from __future__ import annotations

import sys

from firmware_bridge.service.interrupts import stand_guard


def main() -> None:
    """Run the command."""
    stand_guard()
    _import_structlog_without_tls()
    from firmware_bridge.service.cli import main as commands

    commands(prog_name="sabot")


def _import_structlog_without_tls() -> None:
    """Spare a controller 1.3 MB: structlog brings asyncio for loggers that nobody here uses, and asyncio brings ssl.

    It can do without, for a Python may be built without ssl. Whoever needs TLS in asyncio one day takes this out.
    """
    sys.modules["ssl"] = None  # type: ignore[assignment]  # the import system's own way to say: there is none
    import structlog  # noqa: F401

    del sys.modules["ssl"]


if __name__ == "__main__":
    main()
