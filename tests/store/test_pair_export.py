"""Rows as files: JSON lines and Parquet, whole or not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.store.pair_export import checked, write_rows

ROWS = [
    {"pair": "a", "prompt": [{"role": "user", "content": "é"}], "gain": None},
    {"pair": "b", "prompt": [{"role": "user", "content": "x"}], "gain": {"ratio": 2.0}},
]


def test_json_lines_hold_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "pairs.jsonl"
    write_rows(ROWS, path)
    assert [json.loads(line) for line in path.read_text().splitlines()] == ROWS
    assert [one.name for one in path.parent.iterdir()] == ["pairs.jsonl"]


def test_parquet_holds_messages_as_structures_and_the_rest_as_json(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "pairs.parquet"
    write_rows(ROWS, path)
    found = parquet.read_table(path).to_pylist()
    assert [row["prompt"] for row in found] == [row["prompt"] for row in ROWS]
    assert found[0]["gain"] is None and json.loads(found[1]["gain"]) == {"ratio": 2.0}


def test_nothing_at_all_is_a_file_too(tmp_path: Path) -> None:
    for name in ("none.jsonl", "none.parquet"):
        write_rows([], checked(tmp_path / name))
        assert (tmp_path / name).exists()


def test_another_ending_is_refused() -> None:
    with pytest.raises(UsageError, match=r"\.jsonl or \.parquet"):
        checked(Path("pairs.csv"))


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        write_rows(ROWS, tmp_path / "file" / "pairs.jsonl")
