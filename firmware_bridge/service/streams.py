"""Standard streams that whoever starts a command may have closed (``>&-``).

A journal or a port that was opened as descriptor 1 or 2 would be written to by whatever prints. The simulator, which
knows nothing of the controller, has the same in its own service.
"""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> None:
    """Open each closed one of the three on nothing, so that no file is ever opened under its number."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))
