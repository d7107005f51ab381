"""Labelled candidates: the order, what agrees, what a record leaves to be judged."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from labelled_candidates import in_turns
from labelled_judging import Asked, shares, side_by_side, spread
from labelled_record import LabelledRecord, agreement, lacking, row_of, summary
from labelled_sets import Labelled

from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.readers.kernelbench import task_of_text

TASK = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + {added}
def get_inputs():
    return [torch.randn(3, 4)]
def get_init_inputs():
    return []
"""


def labelled(set_name: str, added: int, name: str) -> Labelled:
    task = task_of_text(TASK.format(added=added))
    candidate = candidate_of_text(TASK.format(added=added).replace("Model", "ModelNew"))
    return Labelled(set_name, name, task, candidate, right=True, said="correct")


def test_sets_come_in_turn_and_a_task_stays_together() -> None:
    large = [labelled("large", number // 2, f"l{number}") for number in range(6)]
    small = [labelled("small", 0, "s0")]
    found = [[one.name for one in group] for group in in_turns([*large, *small])]
    assert found == [["l0", "l1"], ["s0"], ["l2", "l3"], ["l4", "l5"]]


@pytest.mark.parametrize(
    ("status", "right", "agrees"),
    [
        ("accepted", True, True),
        ("accepted", False, False),
        ("incorrect", False, True),
        ("incorrect", True, False),
        ("not_run", False, False),
        ("invalid_task", False, False),
    ],
)
def test_a_judgement_that_was_not_made_agrees_with_no_label(
    status: str, right: bool, agrees: bool
) -> None:
    assert agreement(status, right) is agrees


def test_a_record_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    failed, differing, agreeing = (labelled("a", 0, name) for name in "fda")
    row = row_of(failed, None, "our own fault", alone=False, seconds=1.0)
    record = LabelledRecord(tmp_path / "out" / "found.jsonl")
    record.add(row)
    record.add(replace(row, name="d", status="suspicious"))
    record.add(replace(row, name="a", status="accepted", agrees=True))
    again = LabelledRecord(tmp_path / "out" / "found.jsonl")
    assert [again.is_open(one) for one in (failed, differing, agreeing)] == [True, False, False]
    assert again.is_doubtful(differing) and not again.is_doubtful(agreeing)
    again.add(replace(row, name="d", status="accepted", agrees=True, alone=True))
    assert not LabelledRecord(tmp_path / "out" / "found.jsonl").is_doubtful(differing)
    assert summary(again.rows.values()) == [
        "a: 2 of 3 as labelled: correct -> accepted 2, correct -> not_run 1"
    ]


def test_what_is_not_installed_is_told_apart(tmp_path: Path) -> None:
    one = labelled("a", 0, "n")
    row = row_of(one, None, "", alone=False, seconds=1.0)
    row = replace(row, status="build_failed", lacks="cutlass")
    record = LabelledRecord(tmp_path / "found.jsonl")
    record.add(row)
    assert not record.is_doubtful(one) and not record.is_open(one)
    assert summary([row]) == ["a: 0 of 0 as labelled: needs cutlass, not installed 1"]


@pytest.mark.parametrize(
    ("reason", "lacks"),
    [
        ("import: ModuleNotFoundError: No module named 'a.b'", "a.b"),
        ("import: the package cutlass is not installed: pip install cutlass, then", "cutlass"),
        ("k.cu:3:10: fatal error: cutlass/gemm.h: No such file or directory", "cutlass/gemm.h"),
        ("import: SyntaxError: invalid syntax", ""),
    ],
)
def test_what_a_build_lacks_is_read_from_its_reason(reason: str, lacks: str) -> None:
    verdict: Any = SimpleNamespace(status=Status.BUILD_FAILED, reason=reason, evidence=())
    assert lacking(verdict) == lacks


def in_language(one: Labelled, language: str) -> Labelled:
    return replace(one, candidate=one.candidate.model_copy(update={"language": language}))


def test_compiled_candidates_of_one_task_are_handed_out_one_by_one() -> None:
    first = [in_language(labelled("a", 0, f"cuda{number}"), "cuda") for number in range(3)]
    quick = [labelled("a", 1, f"torch{number}") for number in range(2)]
    mixed = [labelled("a", 2, "torch"), in_language(labelled("a", 2, "cpp"), "cpp")]
    found = [[one.name for one in group] for group in spread([first, quick, mixed])]
    assert found == [["cuda0"], ["torch0", "torch1"], ["torch"], ["cuda1"], ["cpp"], ["cuda2"]]


def test_every_worker_has_a_core() -> None:
    assert shares([0, 1, 2], 2) == [[0, 2], [1]]
    assert shares([4], 3) == [[4], [4], [4]]


def test_nothing_begins_after_the_end() -> None:
    asked = Asked(Settings(), ends=time.monotonic() - 1)
    assert list(side_by_side([[labelled("a", 0, "n")]], asked, 2)) == []
