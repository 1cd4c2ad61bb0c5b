"""Work in forks of this process: each has all that is imported here, and changes nothing of it for the others."""

from __future__ import annotations

import json
import os
import select
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Task = Callable[[], Any]


def in_forks(tasks: Mapping[str, Task], jobs: int) -> Iterator[tuple[str, Any]]:
    """Do every task in a fork of its own, so many at a time; yield each one's name and what it returned (as JSON).

    Raises ``RuntimeError`` with its traceback where one raised or died. What they print goes nowhere.
    """
    waiting = list(tasks.items())[::-1]
    running: dict[int, tuple[str, int, bytearray]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name, task = waiting.pop()
            pid, pipe = _fork(task)
            running[pipe] = (name, pid, bytearray())
        for pipe in select.select(list(running), [], [])[0]:
            name, pid, told = running[pipe]
            if part := os.read(pipe, 65536):
                told += part
                continue
            os.close(pipe)
            del running[pipe]
            os.waitpid(pid, 0)
            answer = json.loads(told or '{"error": "its process is gone"}')
            if "error" in answer:
                raise RuntimeError(f"{name}: {answer['error']}")
            yield name, answer["result"]


def _fork(task: Task) -> tuple[int, int]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    os.close(reader)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        answer = {"result": task()}
    except BaseException:  # noqa: BLE001 - told to the process that forked, which raises it
        answer = {"error": traceback.format_exc()}
    left = json.dumps(answer).encode()
    while left:
        left = left[os.write(writer, left) :]
    os._exit(0)
