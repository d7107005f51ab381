"""What a user can mend is one line: a folder, a URL, a version."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sqlalchemy import text

from assay.errors import HostError, UsageError
from assay.store import database, schema
from assay.store.database import opened


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
