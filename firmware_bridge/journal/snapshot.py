"""The snapshot: a folded state beside the journal, so that a restart need not fold every record. Never evidence.

It is signed and bound to the record that it goes up to. One that does not hold in every respect is not used, and then
the whole journal is folded: a snapshot may be removed at any time.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from struct import Struct as Layout

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from firmware_bridge.core.fold import digest, fold
from firmware_bridge.core.state import State
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.chain import Tip
from firmware_bridge.journal.files import beside, durable_directory, journal_error
from firmware_bridge.journal.keys import signature_holds
from firmware_bridge.journal.reader import digest_of, read_records
from firmware_bridge.plain_file import read_plain

LONGEST = 64 * 1024 * 1024
"""Bytes of a snapshot that are read at most; a table's has some hundred thousand."""

SNAPSHOT_WORDS = b"sabot snapshot 1"
_SIGNED = Layout(">Q32s32s32s")
_SHAPE = sha256(msgspec.json.encode(msgspec.json.schema(State), order="deterministic")).digest()
"""What a state consists of: a program whose states have other fields does not read this one's."""


class Snapshot(Struct, frozen=True):
    """A state after record ``number``, whose digest is ``record``; digests and signature are hexadecimal."""

    number: int
    record: str
    program: str
    state_digest: str
    state: msgspec.Raw
    signature: str


class Restored(Struct, frozen=True):
    """A state and how it came about: folded from the records after ``after``; ``why`` no snapshot was used, if not."""

    state: State
    after: int
    why: str = ""


def write_snapshot(path: Path, key: Ed25519PrivateKey, tip: Tip, state: State, software: str) -> None:
    """Put a state's snapshot in place of the last one; either is whole at any moment. ``JournalError`` if not."""
    program, found = _program(software), digest(state)
    signature = key.sign(_message(tip.number, tip.digest, program, bytes.fromhex(found)))
    plain = msgspec.Raw(msgspec.json.encode(state))
    content = Snapshot(tip.number, tip.digest.hex(), program.hex(), found, plain, signature.hex())
    draft = beside(path, ".snapshot.new")
    try:
        with draft.open("wb") as file:
            file.write(msgspec.json.encode(content))
            file.flush()
            os.fsync(file.fileno())
        draft.rename(_file(path))
        durable_directory(path)
    except OSError as error:
        raise journal_error("writing its snapshot", path, error) from error


def restore(path: Path, public_key: bytes, software: str) -> Restored:
    """Fold a journal, from its snapshot on if that holds. ``JournalError`` if the journal cannot be read."""
    number, state, why = 0, State(), ""
    if _file(path).exists():
        try:
            number, state = _read(path, public_key, software)
        except (OSError, ValueError, msgspec.MsgspecError, JournalError) as error:
            why = str(error)  # whatever is wrong with it: the journal has it all
    records = ((record.number, record.utc_ns, record.body) for record in read_records(path, number))
    return Restored(fold(records, state), number, why)


def _read(path: Path, public_key: bytes, software: str) -> tuple[int, State]:
    """The snapshot's record and state. Any error of reading or of these checks says why it is not used."""
    found = msgspec.json.decode(read_plain(_file(path), LONGEST), type=Snapshot)
    record, program, state_digest, signature = map(
        bytes.fromhex, (found.record, found.program, found.state_digest, found.signature)
    )
    if not signature_holds(public_key, signature, _message(found.number, record, program, state_digest)):
        raise ValueError("its signature does not hold")
    if program != _program(software):
        raise ValueError("another version of the program made it")
    if digest_of(path, found.number) != record:
        raise ValueError(f"record {found.number} of the journal is not the one that it was made at")
    state = msgspec.json.decode(found.state, type=State)
    if digest(state) != found.state_digest:
        raise ValueError("its state is not the one that was signed")
    return found.number, state


def _message(number: int, record: bytes, program: bytes, state_digest: bytes) -> bytes:
    if len(record) != 32 or len(program) != 32 or len(state_digest) != 32 or not 0 < number < 1 << 63:
        raise ValueError("its fields are not of their kind")
    return SNAPSHOT_WORDS + _SIGNED.pack(number, record, program, state_digest)


def _program(software: str) -> bytes:
    return sha256(_SHAPE + software.encode()).digest()


def _file(path: Path) -> Path:
    return beside(path, ".snapshot")
