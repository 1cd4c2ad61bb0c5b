"""The chain's bytes, against values computed without Python.

Digests: ``perl -e 'print pack("H*", ...)' | sha256sum`` over the fields as README.md lays them out.
Signatures: ``openssl pkeyutl -sign -rawin`` with the secret key of RFC 8032, 7.1, test 1.
"""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firmware_bridge.core.records import Entry
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.chain import Record, Tip, advanced, chained, follows, head_text, parse_head
from firmware_bridge.journal.keys import signed_head, signed_opening
from tests.journal.bench import PUBLIC, SEED

FIRST = Entry(1, 1_700_000_000_000_000_000, 5, b'{"table":1}')
SECOND = Entry(2, -1, 6, b'{"table":2}')
FIRST_DIGEST = bytes.fromhex("f7a9d27b527b70d050a32f014a66eabc882c3345e05bf43dc4c0c1d7eb0a32e9")
SECOND_DIGEST = bytes.fromhex("e8a092922c73a6fcdaa1126941ccba527e738261f4bd0e0d5dc3c792fa3b30bc")
HEAD_SIGNATURE = (
    "0c207bfc7486f5c1dc63a98b55a7a8023fd49b27b7161b339744c517676f2afa"
    "e7c4db3378e21d5f45f1324373f550c93bb7983ed0754dd6fa0984d44dba650b"
)
OPENING_SIGNATURE = (
    "18e2145af0825520855106d281237fcfefcb08f1374719011f5199f3ee3a0802"
    "e9fceabf12b4851d6454407717dd768a7eb42727eb6fe0723caf4fc7a7c86601"
)


def two_records() -> tuple[Record, Record]:
    first = chained(Tip(), FIRST)
    return first, chained(advanced(Tip(), first), SECOND)


def test_digests_are_those_computed_by_hand() -> None:
    assert [record.digest for record in two_records()] == [FIRST_DIGEST, SECOND_DIGEST]


def test_a_head_is_signed_as_openssl_signs_it() -> None:
    head = signed_head(Ed25519PrivateKey.from_private_bytes(SEED), Tip(2, SECOND_DIGEST, 1))
    assert head.signature.hex() == HEAD_SIGNATURE


def test_an_opening_is_signed_as_openssl_signs_it() -> None:
    key = Ed25519PrivateKey.from_private_bytes(SEED)
    opening = signed_opening(key, 2, "Mesa 7", Tip(2, SECOND_DIGEST, 1), gap=True)
    assert opening.public_key == PUBLIC
    assert opening.signature.hex() == OPENING_SIGNATURE


def test_a_record_follows_only_the_one_it_was_chained_to() -> None:
    first, second = two_records()
    assert follows(Tip(), first)
    assert follows(advanced(Tip(), first), second)
    assert not follows(Tip(), second)
    assert not follows(Tip(1, bytes(32)), second)


@pytest.mark.parametrize("number", [0, 1, 3])
def test_only_the_next_number_is_chained(number: int) -> None:
    with pytest.raises(JournalError, match=f"record {number} was offered after record 1"):
        chained(Tip(1), Entry(number, 0, 0, b""))


def test_a_head_reads_back_as_printed() -> None:
    assert parse_head(head_text(2, SECOND_DIGEST) + "\n") == (2, SECOND_DIGEST)


@pytest.mark.parametrize("text", ["", "2", "2:", "2:abc", "x:" + "0" * 64, "-2:" + "0" * 64, "2:" + "0" * 65])
def test_what_is_no_head_is_refused_with_its_form(text: str) -> None:
    with pytest.raises(JournalError, match="64 hexadecimal digits"):
        parse_head(text)
