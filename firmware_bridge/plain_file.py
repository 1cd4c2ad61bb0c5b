"""Regular files, opened without waiting: a pipe, a device or a folder laid in a file's place stops no program."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

NEW_FILE = 0o666
"""Mode of a file that is made, less the umask."""

_RIGHTS = frozenset({errno.EACCES, errno.EPERM})
_PATH = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.EFBIG}
)


def require_plain(path: Path) -> None:
    """Raise ``OSError`` for what is there and no regular file; it is looked at, never opened (BR-032)."""
    if os.path.exists(path):
        _require_regular(os.stat(path).st_mode, path)


def open_plain(path: Path, flags: int = os.O_RDONLY) -> int:
    """Return a descriptor of a regular file, which the caller closes. Raises ``OSError``, also for what is none."""
    require_plain(path)
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, NEW_FILE)
    try:
        _require_regular(os.fstat(descriptor).st_mode, path)  # another may have taken its place meanwhile
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_plain(path: Path, most: int) -> bytes:
    """Return what a regular file holds. Raises ``OSError``, also for one of more than ``most`` bytes."""
    with open(open_plain(path), "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most} bytes, which no such file is", str(path))
    return data


def remedy(error: OSError) -> str:
    """What to do about a file that could not be opened or read."""
    if error.errno in _RIGHTS:
        return "correct its rights"
    return "correct the path" if error.errno in _PATH else "see to that and try again"


def _require_regular(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
