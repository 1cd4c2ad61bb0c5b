"""The in-process pipe behaves like a serial port, so that what is tested on it holds for one."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from drivers.errors import LinkLostError
from drivers.transport.memory import memory_pair

LIMIT = 10.0


def test_what_one_end_sends_the_other_receives() -> None:
    near, far = memory_pair()
    near.write(b"to far")
    far.write(b"to ")
    far.write(b"near")
    assert far.read(LIMIT) == b"to far"
    assert near.read(LIMIT) == b"to near"
    assert near.read(0.0) == b""


def test_cancel_is_not_lost_and_ends_only_one_read() -> None:
    near, far = memory_pair()
    near.cancel()
    assert near.read(10 * LIMIT) == b""
    far.write(b"x")
    assert near.read(LIMIT) == b"x"


def test_bytes_cancel_and_unplug_each_end_a_read_under_way() -> None:
    near, far = memory_pair("shoe")
    with ThreadPoolExecutor(max_workers=1) as pool:
        reading: Future[bytes] = pool.submit(near.read, 10 * LIMIT)
        far.write(b"x")
        assert reading.result(LIMIT) == b"x"
        reading = pool.submit(near.read, 10 * LIMIT)
        near.cancel()
        assert reading.result(LIMIT) == b""
        reading = pool.submit(near.read, 10 * LIMIT)
        far.close()
        with pytest.raises(LinkLostError, match="shoe: the far end is closed"):
            reading.result(LIMIT)


def test_after_an_unplug_neither_end_sends() -> None:
    near, far = memory_pair()
    far.close()
    far.close()
    for end in (near, far):
        with pytest.raises(LinkLostError):
            end.write(b"x")
    far.cancel()
