"""Who may act at the table: numbers, roles and hashes of PINs, in one file that only its owner can read."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import argon2
import msgspec
from msgspec import Meta, Struct, structs

from firmware_bridge.core.secrets import SHORTEST_PIN, Pin, weakness
from firmware_bridge.core.words import Role
from firmware_bridge.errors import ConfigError
from firmware_bridge.plain_file import open_plain, remedy

__all__ = [
    "SHORTEST_PIN",
    "Credentials",
    "Person",
    "Pin",
    "Role",
    "add_person",
    "disable_person",
    "person_of",
    "read_people",
    "renew_pin",
    "weakness",
]

PRIVATE = 0o600
HIGHEST_NUMBER = 9999
HASHER = argon2.PasswordHasher(type=argon2.Type.ID)


class Person(Struct, frozen=True, forbid_unknown_fields=True):
    """An enrolled person. Numbers are never given twice, for the journal knows people by nothing else."""

    number: Annotated[int, Meta(ge=1, le=HIGHEST_NUMBER)]
    role: Role
    pin_hash: str
    disabled: bool = False

    def __repr__(self) -> str:
        return f"Person(number={self.number}, role={self.role.value}, disabled={self.disabled})"


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    people: tuple[Person, ...]


class Credentials:
    """The people of a table at the moment of reading; checks a number and a PIN against them."""

    def __init__(self, people: tuple[Person, ...], hasher: argon2.PasswordHasher = HASHER) -> None:
        self._people = {person.number: person for person in people}
        self._hasher = hasher
        # An unknown number is checked against this, so that it takes as long as a wrong PIN. No PIN is empty.
        self._nobody = hasher.hash("")

    def check(self, number: int, pin: str) -> Role | None:
        """Return the person's role; None if unknown, disabled, or the PIN is wrong, all in the same time.

        Takes about a tenth of a second: call it in a worker. Raises an ``argon2`` error if it lacks memory.
        """
        person = self._people.get(number)
        try:
            self._hasher.verify(person.pin_hash if person else self._nobody, pin)
        except argon2.exceptions.VerifyMismatchError:
            return None
        return person.role if person and not person.disabled else None


def read_people(path: Path, hasher: argon2.PasswordHasher = HASHER) -> tuple[Person, ...]:
    """Return the people of a file, by number. Raises ``ConfigError``, above all if others can read it."""
    if (data := _bytes_of(path)) is None:
        raise ConfigError(f"{path}: there is no people file; enrol the first person: sabot people add")
    return _parse(path, data, hasher)


def person_of(path: Path, number: int) -> Person:
    """Return who has a number. Raises ``ConfigError``, also if nobody has."""
    for person in read_people(path):
        if person.number == number:
            return person
    raise ConfigError(f"{path}: nobody has the number {number}; see: sabot people list")


def add_person(path: Path, number: int, role: Role, pin: Pin, hasher: argon2.PasswordHasher = HASHER) -> Person:
    """Enrol a person, making the file if there is none. Raises ``ConfigError``; then it is unchanged."""
    if not 1 <= number <= HIGHEST_NUMBER:
        raise ConfigError(f"{path}: no person has the number {number}; allowed: 1 to {HIGHEST_NUMBER}")
    if (weak := weakness(pin)) is not None:
        raise ConfigError(f"{path}: person {number} was not enrolled: {weak}; choose another")
    person = Person(number, role, hasher.hash(pin.digits()))
    with _locked(path) as folder:
        data = _bytes_of(path)
        people = () if data is None else _parse(path, data, hasher)
        if any(other.number == number for other in people):
            raise ConfigError(f"{path}: the number {number} is taken and is never given twice; choose one that is free")
        _write(path, folder, (*people, person))
    return person


def disable_person(path: Path, number: int, hasher: argon2.PasswordHasher = HASHER) -> Person:
    """Take a person's right to act, for good; the number stays taken. Raises ``ConfigError``."""
    with _locked(path) as folder:
        people = {person.number: person for person in read_people(path, hasher)}
        if number not in people:
            raise ConfigError(f"{path}: nobody has the number {number}; see: sabot people list")
        people[number] = structs.replace(people[number], disabled=True)
        _write(path, folder, tuple(people.values()))
    return people[number]


def renew_pin(path: Path, number: int, pin: Pin, hasher: argon2.PasswordHasher = HASHER) -> str:
    """Give a person a new PIN; return why not, in words for the table, or nothing once it is in force.

    Raises ``ConfigError`` if the file cannot be used; then it is unchanged.
    """
    if (weak := weakness(pin)) is not None:
        return weak
    with _locked(path, wait=False) as folder:  # whoever holds the lock must not hold up everybody's checks
        people = {person.number: person for person in read_people(path, hasher)}
        if number not in people:
            return f"nobody has the number {number}"
        if people[number].disabled:
            return f"person {number} does not act any more"
        people[number] = structs.replace(people[number], pin_hash=hasher.hash(pin.digits()))
        _write(path, folder, tuple(people.values()))
    return ""


def _bytes_of(path: Path) -> bytes | None:
    """What the file holds, once it is known to be private; None if there is none."""
    try:
        with open(open_plain(path), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if mode & 0o077:
                raise ConfigError(
                    f"{path}: others than its owner may use the people file (mode {stat.S_IMODE(mode):04o}); "
                    f"run: chmod 600 {path}, and renew every PIN if others were on this machine"
                )
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path}: cannot read the people file: {error.strerror}; {remedy(error)}") from error


def _parse(path: Path, data: bytes, hasher: argon2.PasswordHasher) -> tuple[Person, ...]:
    try:
        people = msgspec.json.decode(data, type=_File).people
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: this is no people file: {error}; restore it from its backup") from error
    numbers = [person.number for person in people]
    if len(set(numbers)) != len(numbers):
        raise ConfigError(f"{path}: a number stands twice in the people file; restore it from its backup")
    for person in people:
        if not _of_this_cost(person.pin_hash, hasher):
            raise ConfigError(f"{path}: the PIN of person {person.number} is not kept as this version does; enrol anew")
    return tuple(sorted(people, key=lambda person: person.number))


def _of_this_cost(pin_hash: str, hasher: argon2.PasswordHasher) -> bool:
    """Whether a hash is argon2id and costs what the check of an unknown number costs."""
    try:
        return not hasher.check_needs_rehash(pin_hash)
    except argon2.exceptions.InvalidHashError:
        return False


@contextmanager
def _locked(path: Path, wait: bool = True) -> Iterator[int]:
    """Keep other writers out. The lock is the folder's, so that no crash leaves one; yields it open.

    Without ``wait``, another writer is a ``ConfigError``.
    """
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(f"{path}: cannot change the people file: {error.strerror}; make its folder first") from error
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(f"{path}: somebody else is changing the people file; try again") from error
        yield folder
    finally:
        os.close(folder)


def _write(path: Path, folder: int, people: tuple[Person, ...]) -> None:
    """Replace the file in one step, under the lock: after a power cut it is the old one or the new one."""
    new = path.with_name(f".{path.name}.new")
    text = msgspec.json.format(msgspec.json.encode(_File(people)), indent=2) + b"\n"
    try:
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE), "wb") as file:
            if path.exists():  # root may change the controller's file, and it stays the controller's
                os.fchown(file.fileno(), path.stat().st_uid, path.stat().st_gid)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        os.fsync(folder)
    except OSError as error:
        raise ConfigError(f"{path}: cannot write the people file: {error.strerror}; it is as it was") from error
