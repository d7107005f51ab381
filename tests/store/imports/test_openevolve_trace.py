"""OpenEvolve's traces: programs with their parents, and what is left out is counted."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.scores.analysis.round_steps import steps
from assay.scores.graded import graded
from assay.store.imports.openevolve_trace import NO_CODE, OpenEvolveTrace
from foreign_records import trace, written

READER = OpenEvolveTrace()


def test_programs_follow_their_parents(tmp_path: Path) -> None:
    records = [trace(1, "a", "b"), trace(2, "b", "c"), trace(1, "a", "d")]
    found = READER.read(written(tmp_path / "trace.jsonl", records))
    assert (found.records, len(found.entries)) == (3, 4)
    taken = steps([graded("run", one, None) for one in found.entries])
    names = {(before.name, after.name) for before, after in taken}
    assert names == {("a.py", "b.py"), ("b.py", "c.py"), ("a.py", "d.py")}
    assert {one.task.id for one in found.entries} == {"trace"}


def test_metrics_become_a_claim_and_an_error_a_failure(tmp_path: Path) -> None:
    failed = trace(
        1,
        "a",
        "b",
        child_metrics={"error": 0.0, "timeout": True},
        artifacts={"stderr": "ValueError: 3"},
        metadata={"model": "large"},
    )
    speed = {"speedup": 1.5, "combined_score": 0.9, "note": "text", "bad": float("nan")}
    fine = trace(2, "b", "c", child_metrics=speed)
    found = READER.read(written(tmp_path / "t.jsonl", [failed, fine])).entries
    by_name = {one.candidate.name: one.candidate.provenance for one in found}
    broken, fast = by_name["b.py"].claimed, by_name["c.py"].claimed
    assert broken is not None and fast is not None
    assert (broken.ran, broken.works, broken.error) == (False, False, "ValueError: 3")
    assert (fast.speedup, fast.score, fast.metrics) == (1.5, 0.9, {})
    assert fast.correct is None and fast.works is True
    made = by_name["b.py"].generator
    assert made is not None and (made.name, made.model) == ("OpenEvolve", "large")


def test_records_without_sources_are_left_out_and_counted(tmp_path: Path) -> None:
    bare = trace(2, "b", "c", parent_code=None, child_code=None)
    found = READER.read(written(tmp_path / "t.jsonl", [trace(1, "a", "b"), bare]))
    assert (found.records, len(found.entries), dict(found.left_out)) == (2, 2, {NO_CODE: 1})


def test_packed_and_whole_files_are_read_too(tmp_path: Path) -> None:
    lines = json.dumps(trace(1, "a", "b")) + "\n"
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(lines.encode()))
    whole = tmp_path / "t.json"
    whole.write_text(json.dumps({"metadata": {}, "traces": [trace(1, "a", "b")]}))
    assert READER.read(packed).entries == READER.read(whole).entries


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("t.json", "[]", "no list 'traces'"),
        ("t.json", "{", "no JSON"),
        ("t.hdf5", "", "HDF5"),
        ("t.jsonl", "{}\n", "parent_id"),
        ("t.jsonl.gz", "plain", "cannot read"),
    ],
)
def test_what_is_no_trace_is_one_line(name: str, text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=complaint):
        READER.read(tmp_path / name)
