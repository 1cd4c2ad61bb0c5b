"""``sim-hardware``: a table's devices as a process of their own, behind ptys; hands by lines on stdin."""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random, SystemRandom
from threading import Event

from sim_hardware.cards import backs_of
from sim_hardware.config import Config, ConfigError, load
from sim_hardware.hands import Hands, UsageError
from sim_hardware.pty_port import PtyPort
from sim_hardware.runner import Runner, RunnerError
from sim_hardware.streams import open_closed_streams
from sim_hardware.table import CannotDoError


class ServiceError(Exception):
    """The devices cannot be offered; the message says why and what to do."""


@contextmanager
def offered(config: Config, ids: Random | None = None) -> Iterator[Runner]:
    """Offer a table's devices on ptys, for as long as the context lasts. Raises ServiceError if it cannot.

    ``ids`` draws the numbers of boots, memories and links; None: the configuration's seed does.
    """
    folder, ports = Path(config.folder), {}
    with ExitStack() as opened:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            opened.callback(os.close, _taken(folder))
            for name in config.names:
                ports[name] = PtyPort(folder / name)
                opened.callback(ports[name].close)
        except OSError as error:
            raise ServiceError(f"{error}; choose another folder, or mend this one") from error
        rng = Random(config.seed)
        runner = Runner(lambda now: config.table(rng, now, ids), ports, config.speed)
        opened.callback(runner.stop)  # Before the start: Ctrl-C may come at any time.
        runner.start()
        yield runner


def _taken(folder: Path) -> int:
    """Lock a folder of ports, and return the descriptor that holds the lock: another's names would lead to ours."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        what = f"{folder}: another sim-hardware has its ports here"
        raise ServiceError(f"{what}; end that one, or choose another folder") from error
    return descriptor


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command until ``quit``, Ctrl-C, SIGTERM or SIGHUP; status 1 and a message for what cannot be."""
    open_closed_streams()
    parser = argparse.ArgumentParser("sim-hardware", description="A table's devices, simulated, on ptys.")
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="TOML, see the README")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # under nohup they outlive their terminal
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        config = load(given.config)
        # Started again with the same seed it is another run: its devices have another memory, and say so.
        with offered(config, SystemRandom()) as runner:
            for name in config.names:
                _say(f"{name}: {Path(config.folder) / name}")
            _say("ready; type help for what hands can do")
            _serve(Hands(runner, backs_of(config.decks, config.backs)))
    except (ConfigError, ServiceError, RunnerError) as error:
        sys.exit(f"sim-hardware: {error}")
    except KeyboardInterrupt:
        _say("ended")


def _serve(hands: Hands) -> None:
    for line in sys.stdin:
        if line.strip() == "quit":
            return
        if line.strip():
            try:
                _say(hands.do(line))
            except (UsageError, CannotDoError) as refusal:
                _say(str(refusal))
    # Standard input is at its end, as under a service manager: only a signal ends us now.
    Event().wait()


def _say(text: str) -> None:
    """Say it to whoever reads; devices do not end because nobody reads any more."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # also what is buffered, and flushed at the end
