"""`benchmarks/judge_session.py`: its tiny tasks, and a file from the first tenth on."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

import pytest

from assay.engine.judge_pool import JudgeCounts
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import judge_session


@pytest.mark.parametrize("name", judge_session.TASKS)
def test_a_tiny_task_draws_small_inputs_of_its_own(name: str) -> None:
    reference = Reference(judge_session.tiny(resolve(name)))
    shapes = reference.input_shapes(reference.own_axes)
    assert shapes[0] is not None and shapes[0][0] == 16 and math.prod(shapes[0]) <= 1 << 14


class NoJudge:
    """Fails every evaluation."""

    def submit(self, task: object, path: object) -> object:
        raise judge_session.AssayError("nothing is judged")

    def counts(self) -> JudgeCounts:
        return JudgeCounts(processes=0, exams=0)


def test_an_evaluation_without_a_verdict_is_counted_and_the_file_is_there_early(
    tmp_path: Path,
) -> None:
    out = tmp_path / "session.json"
    asked = argparse.Namespace(
        count=10, device="cpu", level="smoke", tiny=True, stop_after_s=60.0, out=out
    )
    session = judge_session.Session(NoJudge(), asked)
    session.evaluate(0)
    found = json.loads(out.read_text())
    assert found["done"] == 1 and found["count"] == 10 and set(found["grown"].values()) == {0}
    (text,) = found["not_as_labelled"]
    assert text.endswith("no verdict: AssayError: nothing is judged")


def test_none_is_begun_once_the_time_is_up() -> None:
    asked = argparse.Namespace(
        count=10, device="cpu", level="smoke", tiny=True, stop_after_s=-1.0, out=None
    )
    session = judge_session.Session(NoJudge(), asked)
    session.evaluate(0)
    assert session.done == 0
