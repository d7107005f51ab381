"""What a user can mend is one line: a folder, a URL, a version."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from assay.data.candidate import Candidate, SourceFile
from assay.data.run import Entry, Run
from assay.data.settings import Settings
from assay.data.task import Task
from assay.errors import HostError, UsageError
from assay.store import database, schema
from assay.store.database import opened
from assay.store.run_store import RunStore


def test_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no run: there is no store\.sqlite"):
        opened(tmp_path)


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot make the folder"):
        opened(tmp_path / "file" / "run", create=True)


@pytest.mark.parametrize("url", ["mysql://somewhere/x", "nonsense://x", "postgresql://:x:y/z"])
def test_a_url_that_is_no_store_says_so(url: str) -> None:
    with pytest.raises(UsageError):
        opened(url)


def test_a_server_that_is_away_says_so() -> None:
    with pytest.raises(UsageError, match="cannot open the store"):
        opened("postgresql://nobody@127.0.0.1:9/none")


def test_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    made = opened(tmp_path, create=True)
    with made.writing() as connection:
        connection.execute(text("UPDATE facts SET value = '999'"))
    made.close()
    with pytest.raises(UsageError, match=r"has version 999.*nothing was changed"):
        opened(tmp_path)


def test_an_older_version_is_brought_forward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = opened(tmp_path, create=True)
    with made.writing() as connection:
        connection.execute(text("INSERT INTO facts VALUES ('kept', 'yes')"))
    made.close()
    newer = schema.STORE_VERSION + 1
    monkeypatch.setattr(database, "STORE_VERSION", newer)
    monkeypatch.setattr(schema, "STORE_VERSION", newer)
    steps = {newer - 1: ("ALTER TABLE runs ADD COLUMN note TEXT",)}
    monkeypatch.setattr(schema, "MIGRATIONS", steps)
    monkeypatch.setattr(database, "MIGRATIONS", steps)
    brought = opened(tmp_path)
    with brought.reading() as connection:
        found = dict(connection.execute(text("SELECT name, value FROM facts")).tuples().all())
        connection.execute(text("SELECT note FROM runs"))
    assert found == {"store_version": str(newer), "kept": "yes"}


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    made = opened(tmp_path, create=True)
    with made.writing() as connection:
        connection.execute(text("PRAGMA max_page_count = 1"))  # as a full disk answers
        limit = connection.execute(text("PRAGMA max_page_count")).scalar()
    assert limit
    full = pytest.raises(HostError, match="cannot be used: database or disk is full")
    with full, made.writing() as connection:
        connection.execute(text(f"PRAGMA max_page_count = {limit}"))
        for i in range(1000):
            row = {"id": f"{i:064}", "data": os.urandom(4096)}
            connection.execute(schema.blobs.insert().values(row))
    with made.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM blobs")).scalar() == 0


def _version_one(folder: Path) -> None:
    """A store as the first version wrote it, with a run of one entry."""
    made = sqlite3.connect(folder / "store.sqlite")
    made.executescript((Path(__file__).parent / "version_one.sql").read_text())
    made.close()


def test_a_store_of_the_first_version_goes_on(tmp_path: Path) -> None:
    _version_one(tmp_path)
    with RunStore(tmp_path) as store:
        (run,) = store.runs()
        (row,) = store.summary(run)
        assert row["status"] == "accepted" and row["cost_usd"] == 0.25 and row["tokens_in"] == 7
        assert run.secret == "" and store.begin(run).secret != ""
        (entry,) = store.entries(run)
        assert store.add(run, [entry]) == 0 and entry.submission == 0


def test_an_older_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    _version_one(tmp_path)
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only for root")
    (tmp_path / "store.sqlite").chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="cannot open the store"):
            opened(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 40)
    for create in (False, True):
        with pytest.raises(UsageError, match="file is not a database"):
            opened(tmp_path, create)


def test_an_empty_file_holds_no_run(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").touch()
    with pytest.raises(UsageError, match="holds no run"):
        opened(tmp_path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of one megabyte."""
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", str(place)], check=False)


def test_on_a_full_disk_what_was_stored_stays(small_disk: Path) -> None:
    task = Task(id="t", format="native", source="x")
    run = Run(id="r", suite="native", settings=Settings(), assay="0", started_at=0.0)
    with RunStore(small_disk, create=True) as store:
        store.begin(run)
        stored = 0
        with pytest.raises(HostError, match="cannot be used: database or disk is full"):
            for _ in range(1000):
                text = os.urandom(8192).hex()
                source = SourceFile(path="k.py", text=text)
                one = Candidate(name="k", language="torch", sources=(source,))
                store.add(run, [Entry(number=0, task=task, candidate=one)])
                stored += 1
        assert stored > 0
    with RunStore(small_disk) as store:
        assert len(list(store.entries(run))) == stored


def test_a_run_of_another_user_is_read_and_nothing_is_made_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a?b %20"
    opened(folder, create=True).close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    made = opened(folder)
    with made.reading() as connection:
        asked = text("SELECT value FROM facts")
        assert connection.execute(asked).scalar() == str(schema.STORE_VERSION)
        assert [path.name for path in folder.iterdir()] == ["store.sqlite"]
    with pytest.raises(UsageError, match="permission denied, or read-only"), made.writing() as one:
        one.execute(text("INSERT INTO facts VALUES ('a', 'b')"))
    made.close()
