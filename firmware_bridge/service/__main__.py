"""``python -m firmware_bridge.service``: the same as ``sabot``."""

from firmware_bridge.service.cli import main

main(prog_name="sabot")
