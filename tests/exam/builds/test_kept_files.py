"""Files are kept whole, found by their key, and the longest unused go first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.exam.builds.kept_files import KeptFiles


def test_what_was_stored_is_loaded_by_its_key(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path / "deep", ".o", 1000)
    assert kept.load("one") is None
    kept.store("one", b"object")
    assert kept.load("one") == b"object" and kept.load("two") is None
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["one.o"]


def test_nothing_is_kept_of_what_failed(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path, ".o", 1000)
    with pytest.raises(ZeroDivisionError), kept.filling("one") as place:
        place.write_bytes(b"half")
        raise ZeroDivisionError
    with kept.filling("two"):
        pass  # nothing was written
    assert list(tmp_path.iterdir()) == []


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    kept = KeptFiles(tmp_path, ".o", 250)
    for age, key in enumerate("abc"):
        kept.store(key, b"x" * 100)
        for earlier in "abc"[: age + 1]:
            path = kept.path(earlier)
            if path.exists():
                os.utime(path, (path.stat().st_mtime - 10,) * 2)
        if key == "b":
            assert kept.load("a") is not None  # used just now
    assert [kept.load(key) is not None for key in "abc"] == [True, False, True]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = KeptFiles(tmp_path / "file" / "below", ".o", 1000)
    kept.store("one", b"object")
    assert kept.load("one") is None
