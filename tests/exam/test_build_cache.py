"""A build is met again only by the same candidate under the same toolchain, and whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import assay
from assay.data.candidate import Candidate, SourceFile
from assay.exam import build_cache
from assay.exam.build_cache import BuildCache, default_folder, toolchain
from sample_records import candidate

ONE = candidate("one.py", "class ModelNew: 1")


def test_what_was_stored_is_loaded(tmp_path: Path) -> None:
    cache = BuildCache(tmp_path / "deep" / "folder", "tools")
    assert cache.load(ONE) is None
    cache.store(ONE, b"archive")
    assert cache.load(ONE) == b"archive"


def test_the_name_does_not_matter_but_every_content_does(tmp_path: Path) -> None:
    cache = BuildCache(tmp_path, "tools")
    source = ONE.sources[0]
    others = [
        candidate("one.py", "class ModelNew: 2"),
        ONE.model_copy(update={"entry": "Other"}),
        ONE.model_copy(update={"language": "numba"}),
        ONE.model_copy(update={"sources": (source, SourceFile(path="more.h", text=""))}),
        ONE.model_copy(update={"sources": (SourceFile(path="else.py", text=source.text),)}),
    ]
    keys = {cache.key(c) for c in [ONE, *others]}
    assert len(keys) == 6
    assert cache.key(ONE.model_copy(update={"name": "renamed"})) == cache.key(ONE)


def test_another_toolchain_finds_nothing(tmp_path: Path) -> None:
    BuildCache(tmp_path, toolchain("2.11", "cpu")).store(ONE, b"archive")
    assert BuildCache(tmp_path, toolchain("2.12", "cpu")).load(ONE) is None
    assert BuildCache(tmp_path, toolchain("2.11", "cuda")).load(ONE) is None
    assert BuildCache(tmp_path, toolchain("2.11", "cpu")).load(ONE) == b"archive"


def test_another_assay_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = toolchain("2.11", "cpu")
    monkeypatch.setattr(assay, "__version__", "999.0")
    assert toolchain("2.11", "cpu") != before


def test_storing_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = BuildCache(tmp_path, "tools")
    cache.store(ONE, b"old")

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    cache.store(ONE, b"new")
    assert cache.load(ONE) == b"old"
    assert len(os.listdir(tmp_path)) == 1  # no half file stays behind


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = BuildCache(tmp_path / "file" / "below", "tools")
    cache.store(ONE, b"archive")
    assert cache.load(ONE) is None


def test_the_longest_unused_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_cache, "_LIMIT_BYTES", 250)
    cache = BuildCache(tmp_path, "tools")
    kept = [candidate(f"{n}.py", f"class ModelNew: {n}") for n in range(3)]
    for age, one in enumerate(kept[:2]):
        cache.store(one, b"x" * 100)
        _age(tmp_path / f"{cache.key(one)}.tar", 100 - age)
    assert cache.load(kept[0]) is not None  # used just now, so the other one is the older
    cache.store(kept[2], b"x" * 100)
    assert [cache.load(one) is not None for one in kept] == [True, False, True]


def test_the_folder_is_the_users_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    monkeypatch.delenv("ASSAY_CACHE", raising=False)
    assert default_folder() == Path("/somewhere/assay/builds")
    monkeypatch.setenv("ASSAY_CACHE", "/elsewhere")
    assert default_folder() == Path("/elsewhere")


def _age(path: Path, seconds: float) -> None:
    moment = path.stat().st_mtime - seconds
    os.utime(path, (moment, moment))


def test_an_archive_is_found_by_an_equal_candidate(tmp_path: Path) -> None:
    cache = BuildCache(tmp_path, "tools")
    cache.store(ONE, b"archive")
    assert cache.load(Candidate.model_validate_json(ONE.model_dump_json())) == b"archive"
