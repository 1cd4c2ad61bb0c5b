"""The signing key, made once and readable by its owner alone, and the signatures made with it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec.structs import replace

from firmware_bridge.errors import JournalError, JournalLostError
from firmware_bridge.journal.chain import Head, Opening, Tip, head_message, opening_message
from firmware_bridge.journal.files import BEGIN_ANEW, durable_directory, journal_error
from firmware_bridge.plain_file import open_plain

Entropy = Callable[[int], bytes]


def load_key(path: Path, *, journal_exists: bool, entropy: Entropy = os.urandom) -> Ed25519PrivateKey:
    """The signing key in ``path``, or, where there is neither key nor journal yet, a new one: see ``keep_key``.

    ``JournalError`` if others may read it, if it is no key, or if a journal exists and its key does not.
    """
    try:
        if path.exists():
            return _read_key(path)
        draft = _draft_of(path)
        if not journal_exists:
            _make_key(draft, entropy)
        elif not draft.exists():
            raise JournalLostError(
                f"journal key {path}: missing, but the journal was signed with it. Put the key back; or, if it is "
                f"lost, {BEGIN_ANEW}."
            )
        return _read_key(draft)
    except OSError as error:
        raise journal_error("signing key", path, error) from error


def keep_key(path: Path) -> None:
    """Give a new key its name, once there is a journal: a key without one tells that it had been begun and is lost."""
    try:
        if not path.exists():
            os.rename(_draft_of(path), path)
            durable_directory(path)
    except OSError as error:
        raise journal_error("signing key", path, error) from error


def _draft_of(path: Path) -> Path:
    """Where a new key is until the journal's first segment has its name."""
    return path.with_name(path.name + ".new")


def _make_key(draft: Path, entropy: Entropy) -> None:
    """Write a new key, durable on return: half a key is never signed with, nor one that others can read."""
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(entropy(32).hex().encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    durable_directory(draft)


def _read_key(path: Path) -> Ed25519PrivateKey:
    with open(open_plain(path), "rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        text = file.read(200)
    if mode & 0o077:
        raise JournalError(
            f"journal key {path}: its mode is {mode:04o}, so others may read or change it. Run `chmod 600 "
            f"{path}`; "
            "if anyone may have read it, move key and journal away and begin a new journal."
        )
    try:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text.decode("ascii").strip()))
    except ValueError:
        # Without its cause: that would quote the file, and the file may be most of a key.
        raise JournalError(
            f"journal key {path}: not a signing key (64 hexadecimal digits). Put the right file back."
        ) from None


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The 32 bytes of the public key, which an inspector keeps."""
    return key.public_key().public_bytes_raw()


def signed_head(key: Ed25519PrivateKey, tip: Tip) -> Head:
    """The head at the tip."""
    return Head(tip.signed, tip.number, tip.digest, key.sign(head_message(tip.signed, tip.number, tip.digest)))


def signed_opening(key: Ed25519PrivateKey, segment: int, table: str, tip: Tip, *, gap: bool) -> Opening:
    """The first page of a segment that goes on from the tip."""
    bare = Opening(segment, table, public_bytes(key), tip.signed, tip.number, tip.digest, gap, b"")
    return replace(bare, signature=key.sign(opening_message(bare)))


def signature_holds(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the signature over the message was made with the key."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
