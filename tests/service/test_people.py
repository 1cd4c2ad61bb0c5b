"""People and their PINs: who is known, what a PIN must be, and that no PIN stands anywhere."""

from __future__ import annotations

import copy
import fcntl
import os
import pickle
import stat
import threading
from pathlib import Path

import argon2
import msgspec
import pytest
from pytest_mock import MockerFixture

from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.words import Role
from firmware_bridge.errors import ConfigError
from firmware_bridge.service.people import (
    HASHER,
    Credentials,
    Person,
    add_person,
    disable_person,
    read_people,
    renew_pin,
    weakness,
)

QUICK = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""A hash that costs next to nothing: tests are not attacked."""

GOOD, OTHER = "739154", "418860"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.json"


def enrol(path: Path, number: int = 12, role: Role = Role.SUPERVISOR, pin: str = GOOD) -> Person:
    return add_person(path, number, role, Pin(pin), QUICK)


def credentials(path: Path) -> Credentials:
    return Credentials(read_people(path, QUICK), QUICK)


# ---- the check


def test_a_person_is_known_by_number_and_pin_and_has_a_role(path: Path) -> None:
    enrol(path, 12, Role.SUPERVISOR, GOOD)
    enrol(path, 7, Role.DEALER, OTHER)
    people = credentials(path)
    assert people.check(12, GOOD) is Role.SUPERVISOR
    assert people.check(7, OTHER) is Role.DEALER


def test_a_wrong_pin_another_persons_pin_and_an_unknown_number_are_all_nobody(path: Path) -> None:
    enrol(path, 12, Role.SUPERVISOR, GOOD)
    enrol(path, 7, Role.DEALER, OTHER)
    people = credentials(path)
    assert people.check(12, OTHER) is None
    assert people.check(12, GOOD + "0") is None
    assert people.check(12, "") is None
    assert people.check(99, GOOD) is None
    assert people.check(99, "") is None


def test_a_disabled_person_is_nobody_even_with_the_right_pin(path: Path) -> None:
    enrol(path)
    disable_person(path, 12, QUICK)
    assert credentials(path).check(12, GOOD) is None


def test_unknown_disabled_and_wrong_all_cost_one_check_of_the_same_price(path: Path, mocker: MockerFixture) -> None:
    enrol(path, 12)
    enrol(path, 13)
    disable_person(path, 13, QUICK)
    people = credentials(path)
    verify = mocker.spy(argon2.PasswordHasher, "verify")
    costs = []
    for number, pin in ((12, GOOD), (12, OTHER), (13, GOOD), (99, GOOD)):
        people.check(number, pin)
        [call] = verify.call_args_list
        costs.append(argon2.extract_parameters(call.args[1]))
        verify.reset_mock()
    assert costs == [costs[0]] * 4


def test_a_check_that_could_not_be_made_is_no_wrong_pin(path: Path, mocker: MockerFixture) -> None:
    enrol(path)
    people = credentials(path)
    mocker.patch.object(argon2.PasswordHasher, "verify", side_effect=argon2.exceptions.VerificationError("memory"))
    with pytest.raises(argon2.exceptions.VerificationError):
        people.check(12, GOOD)


def test_pins_are_kept_by_argon2id_at_no_less_than_the_recommended_cost() -> None:
    kept = argon2.extract_parameters(HASHER.hash(OTHER))
    assert kept.type is argon2.Type.ID
    assert kept.memory_cost >= 64 * 1024
    assert kept.time_cost >= 3


# ---- what a PIN must be


@pytest.mark.parametrize("pin", [GOOD, "002913", "112233", "123457", "135790", "902100", "123456789124"])
def test_a_pin_of_six_digits_or_more_is_good(pin: str) -> None:
    assert weakness(Pin(pin)) is None


@pytest.mark.parametrize(
    ("pin", "why"),
    [
        ("", "digits only"),
        ("73915", "6 to 12 digits"),
        ("7391547391547", "6 to 12 digits"),
        ("73915a", "digits only"),
        ("73 154", "digits only"),
        ("-73915", "digits only"),
        ("٧٣٩١٥٤", "digits only"),
        ("²²¹²³¹", "digits only"),
        ("000000", "repeats one digit"),
        ("7777777", "repeats one digit"),
        ("123456", "run of digits"),
        ("654321", "run of digits"),
        ("567890", "run of digits"),
        ("789012", "run of digits"),
        ("210987", "run of digits"),
    ],
)
def test_a_pin_that_is_short_or_that_all_would_guess_is_refused_without_being_shown(
    path: Path, pin: str, why: str
) -> None:
    with pytest.raises(ConfigError, match=why) as raised:
        enrol(path, pin=pin)
    assert not pin or pin not in str(raised.value)
    assert not path.exists()


# ---- the file


def test_the_file_is_private_from_its_first_byte_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        enrol(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666])
def test_a_file_that_others_may_use_is_refused_by_everything(path: Path, mode: int) -> None:
    enrol(path)
    path.chmod(mode)
    before = path.read_bytes()
    for use in (
        lambda: read_people(path, QUICK),
        lambda: enrol(path, 13),
        lambda: disable_person(path, 12, QUICK),
        lambda: renew_pin(path, 12, Pin(OTHER), QUICK),
    ):
        with pytest.raises(ConfigError, match=f"mode {mode:04o}.*chmod 600"):
            use()
    assert path.read_bytes() == before


def test_people_are_listed_by_number(path: Path) -> None:
    for number in (30, 4, 9999, 1):
        enrol(path, number)
    disable_person(path, 4, QUICK)
    assert [(person.number, person.disabled) for person in read_people(path, QUICK)] == [
        (1, False),
        (4, True),
        (30, False),
        (9999, False),
    ]


def test_a_number_is_never_given_twice_not_even_after_its_owner_left(path: Path) -> None:
    enrol(path, 12)
    disable_person(path, 12, QUICK)
    with pytest.raises(ConfigError, match="12 is taken"):
        enrol(path, 12, Role.DEALER, OTHER)
    assert credentials(path).check(12, OTHER) is None


@pytest.mark.parametrize("number", [0, -1, 10_000])
def test_a_number_outside_the_keypads_reach_is_refused(path: Path, number: int) -> None:
    with pytest.raises(ConfigError, match="allowed: 1 to 9999"):
        enrol(path, number)


def test_a_renewed_pin_takes_the_old_ones_place_and_nothing_else_changes(path: Path) -> None:
    enrol(path, 12, Role.SUPERVISOR, GOOD)
    enrol(path, 7, Role.DEALER, GOOD)
    before = path.stat()
    assert renew_pin(path, 12, Pin(OTHER), QUICK) == ""
    people = credentials(path)
    assert people.check(12, OTHER) is Role.SUPERVISOR
    assert people.check(12, GOOD) is None
    assert people.check(7, GOOD) is Role.DEALER
    assert path.stat().st_ino != before.st_ino, "written whole, in one step"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize(
    ("number", "pin", "why"),
    [
        (13, OTHER, "nobody has the number 13"),
        (14, OTHER, "person 14 does not act any more"),
        (12, "123456", "this PIN is a run of digits"),
    ],
)
def test_no_pin_is_renewed_of_nobody_of_one_who_left_or_to_a_weak_one(
    path: Path, number: int, pin: str, why: str
) -> None:
    enrol(path, 12)
    enrol(path, 14)
    disable_person(path, 14, QUICK)
    before = path.read_bytes()
    assert renew_pin(path, number, Pin(pin), QUICK) == why
    assert path.read_bytes() == before


def test_a_renewal_does_not_wait_for_another_writer(path: Path) -> None:
    enrol(path, 12)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with pytest.raises(ConfigError, match="somebody else is changing"):
            renew_pin(path, 12, Pin(OTHER), QUICK)
    finally:
        os.close(folder)
    assert renew_pin(path, 12, Pin(OTHER), QUICK) == ""


def test_nobody_is_disabled_who_is_not_there(path: Path) -> None:
    enrol(path, 12)
    with pytest.raises(ConfigError, match="nobody has the number 13"):
        disable_person(path, 13, QUICK)


def test_two_enrolments_at_once_both_count(path: Path) -> None:
    workers = [threading.Thread(target=enrol, args=(path, number)) for number in range(1, 13)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [person.number for person in read_people(path, QUICK)] == list(range(1, 13))


def test_a_write_that_fails_leaves_the_file_as_it_was(path: Path, mocker: MockerFixture) -> None:
    enrol(path)
    before = path.read_bytes()
    mocker.patch("os.fsync", side_effect=OSError(28, "No space left on device"))
    with pytest.raises(ConfigError, match="No space left on device; it is as it was"):
        enrol(path, 13)
    assert path.read_bytes() == before


def test_what_a_crash_left_of_an_earlier_change_is_no_hindrance_and_is_never_followed(path: Path) -> None:
    enrol(path)
    elsewhere = path.with_name("elsewhere")
    path.with_name(".people.json.new").symlink_to(elsewhere)
    enrol(path, 13)
    assert not elsewhere.exists()
    assert len(read_people(path, QUICK)) == 2


def test_a_file_that_is_not_there_is_named_with_the_command_that_makes_it(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no people file; .*sabot people add"):
        read_people(path, QUICK)
    with pytest.raises(ConfigError, match="make its folder first"):
        enrol(path.parent / "absent" / "people.json")


def test_what_is_no_file_is_refused_and_never_waited_for(path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the people file"):
        read_people(path.parent, QUICK)
    os.mkfifo(path, 0o600)
    with pytest.raises(ConfigError, match="no regular file"):
        read_people(path, QUICK)


ARGON2I = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=argon2.Type.I).hash(GOOD)


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ([{"number": 0, "role": "dealer", "pin_hash": QUICK.hash(GOOD)}], "no people file"),
        ([{"number": 10_000, "role": "dealer", "pin_hash": QUICK.hash(GOOD)}], "no people file"),
        ([{"number": 1, "role": "owner", "pin_hash": QUICK.hash(GOOD)}], "no people file"),
        ([{"number": 1, "role": "dealer"}], "no people file"),
        ([{"number": 1, "role": "dealer", "pin_hash": QUICK.hash(GOOD), "pin": "x"}], "no people file"),
        ([{"number": 1, "role": "dealer", "pin_hash": QUICK.hash(GOOD)}] * 2, "twice"),
        ([{"number": 1, "role": "dealer", "pin_hash": GOOD}], "person 1 is not kept as this version does"),
        ([{"number": 1, "role": "dealer", "pin_hash": ARGON2I}], "person 1 is not kept as this version does"),
        ([{"number": 1, "role": "dealer", "pin_hash": HASHER.hash(GOOD)}], "person 1 is not kept as this"),
    ],
)
def test_a_file_that_is_damaged_or_made_by_hand_is_refused(
    path: Path, people: list[dict[str, object]], words: str
) -> None:
    path.write_bytes(msgspec.json.encode({"people": people}))
    path.chmod(0o600)
    with pytest.raises(ConfigError, match=words) as raised:
        read_people(path, QUICK)
    assert GOOD not in str(raised.value)


# ---- no PIN stands anywhere


def test_no_pin_stands_in_the_file_nor_in_what_is_printed_of_a_person(path: Path) -> None:
    person = enrol(path)
    text = path.read_bytes()
    usages = bytes(0x59 + int(digit) - 1 if digit != "0" else 0x62 for digit in GOOD)
    for trace in (
        GOOD.encode(),
        GOOD.encode().hex().encode(),
        usages,
        usages.hex().encode(),
        GOOD[::-1].encode(),
    ):
        assert trace not in text
    for shown in (repr(person), str(person), repr(read_people(path, QUICK)), repr(credentials(path))):
        assert GOOD not in shown
        assert "argon2" not in shown


def test_two_people_with_one_pin_cannot_be_told_by_the_file(path: Path) -> None:
    assert enrol(path, 1).pin_hash != enrol(path, 2).pin_hash


def test_a_pin_shows_its_digits_only_where_they_are_asked_for() -> None:
    pin = Pin(GOOD)
    for shown in (repr(pin), str(pin), f"{pin}", f"{[pin]}", str({"pin": pin})):
        assert GOOD not in shown
    assert pin.digits() == GOOD


def test_a_pin_is_neither_compared_nor_kept_nor_copied() -> None:
    pin = Pin(GOOD)
    for use in (
        lambda: pin == Pin(GOOD),
        lambda: pin != GOOD,
        lambda: pin in (GOOD,),
        lambda: hash(pin),
        lambda: {pin},
        lambda: vars(pin),
        lambda: copy.copy(pin),
        lambda: copy.deepcopy(pin),
        lambda: pickle.dumps(pin),
        lambda: msgspec.json.encode(pin),
    ):
        with pytest.raises(TypeError) as raised:
            use()
        assert GOOD not in str(raised.value)
