"""What a table costs while nothing happens: ``.venv/bin/python -m tests.benchmarks.bench_idle``.

A controller as it is run, at four simulated devices on pseudo-terminals, left alone: processor time of its process for
each second, and how often it is woken. Heartbeats, leases and the status file go on; at an idle table nothing else
should. Exit status 1 above the limit.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import threading
from pathlib import Path

from firmware_bridge.core.events import DeviceCaughtUp
from tests.service import live

SECONDS = 20.0
LIMIT, GOAL = 0.02, 0.01
"""Of one core."""


def switches(pid: int) -> int:
    """How often the threads of a process have gone to sleep so far."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        lines = (task / "status").read_text(encoding="ascii").splitlines()
        total += next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
    return total


def main() -> int:
    """Measure; print a table and one line of JSON. Return 1 above the limit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        live.enrol(folder)
        config, journal = live.write_config(folder), folder / "table.journal"
        with live.devices(folder), live.Running(config) as running:
            live.eventually(lambda: len(live.events(journal, DeviceCaughtUp)) == len(live.DEVICES), "four links")
            pid = running.process.pid
            worked, slept = live.processor_seconds(pid), switches(pid)
            threading.Event().wait(SECONDS)
            share = (live.processor_seconds(pid) - worked) / SECONDS
            woken = (switches(pid) - slept) / SECONDS
            running.end(signal.SIGTERM)
    table = f"{len(live.DEVICES)} devices, idle for {SECONDS:g} s"
    print(f"{table}: {share:.2%} of one core (limit {LIMIT:.0%}, goal {GOAL:.0%}), woken {woken:.0f} times a second")
    print(json.dumps({"seconds": SECONDS, "share": round(share, 4), "wakes_per_second": round(woken, 1)}))
    return int(share > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
