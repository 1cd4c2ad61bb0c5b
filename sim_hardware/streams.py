"""Standard streams that whoever starts ``sim-hardware`` may have closed (``>&-``): a port must not get their numbers.

The controller's commands have the same of their own (``firmware_bridge/service/streams.py``): neither knows the other.
"""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> None:
    """Open each closed one of the three on nothing."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))
