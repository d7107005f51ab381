"""Candidates as a user names them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from assay.app.candidates import load_candidates
from assay.errors import UsageError


def _stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_dash_is_the_text_on_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    _stdin(monkeypatch, b"class ModelNew: pass\n")
    (one,) = load_candidates(["-"])
    assert one.sources[0].text == "class ModelNew: pass\n"


def test_bytes_on_stdin_are_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    _stdin(monkeypatch, b"\xff\xfe")
    with pytest.raises(UsageError, match="stdin: it is not UTF-8"):
        load_candidates(["-"])


def test_stdin_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    _stdin(monkeypatch, b"x = 1\n")
    with pytest.raises(UsageError, match="give it once"):
        load_candidates(["-", "-"])


def test_a_file_in_a_folder_whose_name_is_not_utf8_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "a\udcff.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="its name is not UTF-8"):
        load_candidates([str(tmp_path)])
