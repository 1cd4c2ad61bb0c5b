"""The store on disk: what it keeps, and what it refuses in which words."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from firmware_bridge.core.records import Entry, Store
from firmware_bridge.errors import AlreadyRunningError, JournalError, JournalLostError
from firmware_bridge.journal import SqliteStore, heads, read_records, verify
from tests.journal.bench import (
    LAST,
    PUBLIC,
    SEED,
    TABLE,
    copy_of,
    entries,
    entry,
    make_journal,
    open_store,
    spoil,
)

NOBODY = 65534


@contextmanager
def read_only(directory: Path) -> Iterator[None]:
    """Take from us, also if we are root, the right to write in the directory."""
    user = os.geteuid()
    directory.chmod(0o555)
    for file in directory.iterdir():
        file.chmod(0o444)
    ways = [parent for parent in directory.parents if user == 0 and parent.stat().st_uid == 0 and parent != Path("/")]
    modes = {way: stat.S_IMODE(way.stat().st_mode) for way in ways}
    for way, mode in modes.items():
        way.chmod(mode | 0o011)
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        for way, mode in modes.items():
            way.chmod(mode)
        directory.chmod(0o755)


def bodies(path: Path) -> list[bytes]:
    return [record.body for record in read_records(path)]


def test_what_was_appended_is_there_after_reopening(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        port: Store = store
        port.append(entries(1, 3), sign=False)
        port.append(entries(4, 5), sign=True)
        head = store.head
    with open_store(tmp_path) as store:
        assert (store.last_number, store.signed, store.head) == (5, 5, head)
        store.append([entry(6)], sign=False)
    assert bodies(tmp_path / "journal") == [e.body for e in entries(1, 6)]
    assert [head.number for head in heads(tmp_path / "journal")] == [5]


def test_times_before_1970_and_empty_bodies_are_kept_as_given(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append([Entry(1, -1, 0, b"")], sign=True)
    (record,) = read_records(tmp_path / "journal")
    assert (record.utc_ns, record.body) == (-1, b"")


def test_nothing_new_to_sign_writes_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append([], sign=True)
        store.append([entry(1)], sign=True)
        store.append([], sign=True)
    assert [head.number for head in heads(tmp_path / "journal")] == [1]


@pytest.mark.field("BR-036", "BR-037")
def test_every_commit_is_flushed_and_checkpoints_wait_for_nobody(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        connection = store._connection
        assert connection is not None
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        reader = sqlite3.connect(f"file:{tmp_path / 'journal'}?mode=ro", uri=True)
        with closing(reader):
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM record").fetchone()
            for number in range(1, 12):  # beyond a thousand pages of log, so past a checkpoint
                store.append([Entry(number, 0, 0, bytes(1_000_000))], sign=False)


def test_a_record_out_of_order_is_refused_and_nothing_of_its_batch_kept(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        with pytest.raises(JournalError, match="record 3 was offered after record 1"):
            store.append([entry(1), entry(3)], sign=True)
        assert store.last_number == 0
        store.append([entry(1)], sign=False)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("folder", "folder: this is a folder. Correct the path"),
        ("pipe", "pipe: this is no regular file. Correct the path"),
        ("none/journal", "its folder .*none does not exist. Create it"),
        ("file/journal", "its folder .*file is no folder. Create it"),
    ],
)
def test_where_no_journal_can_be_that_is_said_and_nothing_is_begun(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(JournalError, match=told):
        SqliteStore.open(tmp_path / name, table="BJ-07", key_path=tmp_path / "key")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["journal.lock", "key"])
def test_a_folder_in_the_place_of_one_of_its_files_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(JournalError, match=rf"{name}.*A folder has its name: move that away"):
        SqliteStore.open(tmp_path / "journal", table="BJ-07", key_path=tmp_path / "key")


@pytest.mark.parametrize("name", ["journal.lock", "key"])
def test_a_pipe_in_the_place_of_one_of_its_files_is_named_and_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    (tmp_path / name).chmod(0o600)
    with pytest.raises(JournalError, match=rf"{name}.*What has its name is no file of ours: move that away"):
        SqliteStore.open(tmp_path / "journal", table="BJ-07", key_path=tmp_path / "key")


def test_the_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        with pytest.raises(AlreadyRunningError, match=rf"process {os.getpid()} writes it already\. Stop"):
            open_store(tmp_path)
        store.append([entry(1)], sign=False)
    open_store(tmp_path).close()


def test_a_lock_of_a_dead_writer_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "journal.lock").write_text("1\n")
    open_store(tmp_path).close()


def test_a_closed_store_takes_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.close()
    with pytest.raises(JournalError, match="no segment is open"):
        store.append([entry(1)], sign=False)


# -- the key --------------------------------------------------------------------------------------------------------


def test_the_key_is_made_at_first_use_for_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with open_store(tmp_path) as store:
            assert store.public_key == PUBLIC
            shown = repr(store) + repr(vars(store))
            assert not [form for form in (SEED.hex(), repr(SEED)[2:-1]) if form in shown]
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "journal.key").stat().st_mode) == 0o600
    files = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.name != "journal.key"}
    assert not [name for name, content in files.items() if SEED in content or SEED.hex().encode() in content]


@pytest.mark.field("BR-036")
@pytest.mark.parametrize("named", [0, 1])
def test_a_first_start_that_is_gone_before_both_have_their_names_is_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: int
) -> None:
    """The journal's file has its name before the key has its own, so that a key alone tells of a lost journal."""
    with monkeypatch.context() as gone:
        rename, left = os.rename, iter(range(named))

        def renamed(source: Path, target: Path) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            rename(source, target)

        gone.setattr(os, "rename", renamed)
        with pytest.raises(KeyboardInterrupt):
            open_store(tmp_path)
    assert [(tmp_path / name).exists() for name in ("journal", "journal.key")] == [named == 1, False]
    with open_store(tmp_path) as store:
        store.append([entry(1)], sign=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal", "journal.key", "journal.lock"]
    assert verify(tmp_path / "journal", key=PUBLIC).ok


@pytest.mark.clause("SB-11")
def test_a_journal_whose_key_alone_is_left_is_lost_and_only_begun_anew_on_purpose(tmp_path: Path) -> None:
    make_journal(tmp_path)
    for path in tmp_path.glob("journal*"):
        if path.name != "journal.key":
            path.unlink()
    with pytest.raises(JournalLostError, match=r"its signing key \S+journal\.key is there.*Put it back; .* begin-anew"):
        open_store(tmp_path)
    assert not (tmp_path / "journal").exists()
    with open_store(tmp_path, anew=True) as store:
        assert (store.last_number, store.public_key) == (0, PUBLIC)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_key_that_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    open_store(tmp_path).close()
    (tmp_path / "journal.key").chmod(mode)
    with pytest.raises(JournalError, match=rf"mode is {mode:04o}.*chmod 600"):
        open_store(tmp_path)


def test_a_missing_key_is_not_made_anew_beside_a_journal(tmp_path: Path) -> None:
    make_journal(tmp_path)
    (tmp_path / "journal.key").unlink()
    with pytest.raises(JournalError, match="Put the key back"):
        open_store(tmp_path)
    assert not (tmp_path / "journal.key").exists()


def test_another_key_is_refused(tmp_path: Path) -> None:
    make_journal(tmp_path)
    (tmp_path / "journal.key").write_text(bytes(32).hex())
    with pytest.raises(JournalError, match="signed with another key"):
        open_store(tmp_path)


def test_what_is_no_key_is_refused_without_quoting_it(tmp_path: Path) -> None:
    key = tmp_path / "journal.key"
    key.write_text(SEED.hex()[:-2] + "zz")
    key.chmod(0o600)
    with pytest.raises(JournalError, match="not a signing key") as refusal:
        open_store(tmp_path)
    assert SEED.hex()[:16] not in str(refusal.value)
    assert refusal.value.__cause__ is None


# -- what cannot be written -----------------------------------------------------------------------------------------


def test_a_missing_directory_is_named_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"its folder \S+nowhere does not exist\. Create it"):
        open_store(tmp_path / "nowhere")


def test_a_read_only_directory_is_named_with_its_remedy(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    with read_only(place), pytest.raises(JournalError, match="write permission to the file and its directory"):
        open_store(place)
    assert not list(place.iterdir())


@pytest.mark.parametrize("content", [b"", b"not a database", bytes(8192), b"SQLite format 3\0" + bytes(5000)])
def test_what_is_no_journal_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "journal").write_bytes(content)
    key = tmp_path / "journal.key"
    key.write_text(SEED.hex())
    key.chmod(0o600)
    with pytest.raises(JournalError, match=r"no journal|not a journal"):
        open_store(tmp_path)
    assert (tmp_path / "journal").read_bytes() == content


def test_a_journal_of_another_table_is_refused(tmp_path: Path) -> None:
    make_journal(tmp_path)
    with pytest.raises(JournalError, match=f"belongs to table '{TABLE}', not 'Mesa 8'"):
        SqliteStore.open(tmp_path / "journal", table="Mesa 8", key_path=tmp_path / "journal.key")


@pytest.mark.field("BR-036")
@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("UPDATE record SET body = x'7b7d' WHERE number = 30", "record 30 does not follow record 29"),
        ("DELETE FROM record WHERE number = 29", "record 30 does not follow record 28"),
        ("DELETE FROM record WHERE number >= 31", "ends at record 30, but record 32 was signed"),
        ("UPDATE head SET signature = zeroblob(64) WHERE number = 32", "signature of head 32 does not hold"),
        ("UPDATE segment SET table_name = 'Mesa 8'", "signature of its opening does not hold"),
        ("CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END", "tables were altered"),
    ],
)
def test_a_damaged_tail_is_refused_and_left_as_it_is(tmp_path: Path, statement: str, finding: str) -> None:
    path = make_journal(tmp_path)
    spoil(path, (statement, ()))
    before = path.read_bytes()
    with pytest.raises(JournalError, match=finding):
        open_store(tmp_path)
    assert path.read_bytes() == before


def test_a_lost_newest_file_is_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    path = make_journal(tmp_path)
    path.unlink()
    with pytest.raises(JournalError, match=r"journal\.2 is there, which it goes on from"):
        open_store(tmp_path)
    assert not path.exists()


def test_a_log_without_its_file_is_not_joined_to_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "journal-wal").write_bytes(b"records")
    with pytest.raises(JournalError, match="its log journal-wal is there"):
        open_store(tmp_path)
    assert (tmp_path / "journal-wal").read_bytes() == b"records"


def limit_disk(store: SqliteStore) -> None:
    """Let the file grow no further: SQLite then fails as on a full disk."""
    assert store._connection is not None
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")


def big(number: int) -> Entry:
    return Entry(number, 0, 0, b'"' + b"x" * 20_000 + b'"')


@pytest.mark.field("BR-038")
def test_a_full_disk_is_said_and_the_file_not_written_again(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append(entries(1, 3), sign=False)
        limit_disk(store)
        with pytest.raises(JournalError, match=r"writing record 4.*disk is full: free space"):
            store.append([big(4)], sign=True)
        assert store.last_number == 3
        with pytest.raises(JournalError, match="begin a new segment"):
            store.append([entry(4)], sign=False)
        store.begin_segment()
        store.append([entry(4)], sign=True)
    report = verify(tmp_path / "journal")
    assert (report.ok, report.complete_to, report.segments) == (True, 4, 2)


@pytest.mark.field("BR-038")
@pytest.mark.clause("SB-11")
def test_records_of_a_failed_flush_that_reached_the_disk_do_not_count(tmp_path: Path) -> None:
    """The flush said no, yet the disk has them: never acknowledged, so the journal goes on without them."""
    path = tmp_path / "journal"
    with open_store(tmp_path) as store:
        store.append(entries(1, 3), sign=True)
        store.append(entries(4, 5), sign=False)
        kept = store._tip
        store.append(entries(6, 8), sign=True)
        store._tip, store._gap = kept, True  # as if that append had failed
        store.begin_segment()
        store.append([Entry(6, 0, 0, b'"gap"')], sign=True)
    assert bodies(path)[5:] == [b'"gap"']
    report = verify(path, key=PUBLIC)
    assert (report.ok, report.complete_to, report.signed_to) == (True, 6, 6)
    assert report.notes == ("records of segment 1 after 5 were given up with a failed flush",)
    open_store(tmp_path).close()


def test_it_can_fail_again_and_again_and_goes_on_when_the_disk_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_store(tmp_path) as store:
        store.append(entries(1, 3), sign=False)
        with monkeypatch.context() as patched:
            patched.setattr(os, "link", full)
            for _ in range(3):
                with pytest.raises(JournalError, match=r"beginning a segment.*disk is full"):
                    store.begin_segment()
        store.begin_segment()
        store.append([entry(4)], sign=True)
    assert bodies(tmp_path / "journal") == [e.body for e in entries(1, 4)]
    assert verify(tmp_path / "journal").ok


def test_a_copy_on_a_medium_that_cannot_be_written_is_read_and_verified(tmp_path: Path) -> None:
    path = copy_of(make_journal(tmp_path), tmp_path / "evidence")
    with read_only(path.parent):
        report = verify(path, key=PUBLIC)
    assert (report.ok, report.complete_to) == (True, LAST)


def test_a_copy_with_its_log_on_a_medium_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append(entries(1, 5), sign=True)
        path = copy_of(tmp_path / "journal", tmp_path / "evidence")
    (path.parent / "journal-shm").unlink()
    with read_only(path.parent):
        assert verify(path).complete_to == 5
    assert "journal-shm" not in {file.name for file in path.parent.iterdir()}
