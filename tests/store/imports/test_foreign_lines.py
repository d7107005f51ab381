"""JSON of others: lone surrogates, numbers that are none, and lines without end."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.store.imports import foreign_lines
from assay.store.imports.foreign_lines import ForeignRecord, finite, json_lines


class Said(ForeignRecord):
    text: str = ""


@pytest.mark.parametrize(
    ("value", "found"),
    [(1, 1.0), (2.5, 2.5), (True, None), ("3", None), (None, None), (float("inf"), None)],
)
def test_only_finite_numbers_are_numbers(value: object, found: float | None) -> None:
    assert finite(value) == found
    assert finite(10**400) is None


def test_half_a_surrogate_pair_can_be_written_down(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a\\ud800b", "more": 1}\n\n')
    (found,) = json_lines(path, Said)
    assert found.text == "a?b" and found.model_dump_json()


def test_a_line_that_does_not_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_lines, "_MOST_LINE", 8)
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "aaaaaaaa"}\n')
    with pytest.raises(UsageError, match="8 characters"):
        list(json_lines(path, Said))


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        list(json_lines(tmp_path / "none.jsonl", Said))
