"""The generator of `benchmarks/fuzz.py`: its modules run and repeat; its record goes on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from fuzzing.generate import generated
from fuzzing.record import Finding, Record

COUNT = 300
DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64".split()
FORMS = "one tuple list dict nested dataclass nothing".split()


def finding(number: int, status: str) -> Finding:
    return Finding(
        seed=0, number=number, status=status, reason="", features=("rank:2",), elapsed_s=1.0
    )


@pytest.mark.parametrize("number", range(0, COUNT, 12))
def test_a_module_runs_and_its_candidate_gives_the_same_form(number: int) -> None:
    module = generated(0, number)
    task: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    exec(module.task, task)
    exec(module.candidate, candidate)
    sizes = task["get_init_inputs"]()
    results = []
    for made in (task["Model"](*sizes), candidate["ModelNew"](*sizes)):
        torch.manual_seed(1)
        with torch.no_grad():
            results.append(made(*task["get_inputs"]()))
    assert type(results[0]).__name__ == type(results[1]).__name__
    assert "get_inputs" not in candidate


def test_a_module_is_a_function_of_seed_and_number() -> None:
    assert generated(0, 5) == generated(0, 5)
    assert generated(0, 5).task != generated(1, 5).task


def test_three_hundred_modules_hold_every_dtype_rank_and_form() -> None:
    seen = {feature for number in range(COUNT) for feature in generated(0, number).features}
    assert {f"input:{dtype}" for dtype in DTYPES} <= seen
    assert {f"rank:{rank}" for rank in range(5)} <= seen
    assert {f"result:{form}" for form in FORMS} <= seen
    assert {"strided input", "updated input", "eval", "argument:none", "argument:scalar"} <= seen


def test_a_record_goes_on_and_counts(tmp_path: Path) -> None:
    record = Record(tmp_path / "record.jsonl")
    record.add(finding(0, "accepted"))
    record.add(finding(1, "not_run"))
    again = Record(tmp_path / "record.jsonl")
    assert again.has(0, 1) and not again.has(0, 2) and not again.has(1, 1)
    table = again.table(0, range(2))
    assert [one.number for one in table.faults] == [1]
    assert "accepted 1, not_run 1" in table.lines()[0]
