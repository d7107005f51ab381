"""One task's exam: scaled where an interpreter is too slow, remarked where it proves nothing."""

from __future__ import annotations

import pytest

from assay.context import EvaluationContext
from assay.data.candidate import Candidate, SourceFile
from assay.data.plan import Plan
from assay.data.settings import Level, Settings, Track
from assay.data.task import Task
from assay.data.verdict import OwnWorkload, Status, Verdict
from assay.pipeline import evaluate_in_order
from assay.run_context import RunContext
from assay.sandbox.host.wall import Wall
from support.small_exam import STATELESS

SETTINGS = Settings(level=Level.QUICK, track=Track.OPEN, timing=False, timeout_s=12.0)
MODEL = """
import time
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        {body}
"""


def _verdict(wall: Wall, task: Task, body: str) -> Verdict:
    main = SourceFile(path="kernel.py", text=MODEL.format(body=body))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    (judgement,) = evaluate_in_order(EvaluationContext(wall, task, SETTINGS, None), [candidate])
    return judgement.verdict


@pytest.fixture(scope="module")
def wall() -> Wall:  # type: ignore[misc]
    with Wall((), expected=2) as made:
        yield made


def test_a_shape_too_slow_for_the_interpreter_is_scaled(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workloads of the sweep that are as large as the own shape are left out, too."""
    monkeypatch.setattr(RunContext, "interprets", lambda *_: True)
    source = STATELESS.source.replace("rows = 16", "rows = 2048")
    task = STATELESS.model_copy(update={"source": source, "axes": ()})
    verdict = _verdict(wall, task, "time.sleep(20 * (len(x) >= 2048)); return x.sum(-1)")
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.own_workload is OwnWorkload.SCALED
    assert verdict.plan is not None and verdict.plan.workloads[0].axes["rows"] < 2048
    assert "own workload scaled: rows=" in verdict.reason and "instead of 2048" in verdict.reason


def test_a_task_that_zeros_pass_is_remarked(wall: Wall) -> None:
    source = STATELESS.source.replace("x.sum(dim=-1)", "x.sum(dim=-1) * 0")
    task = STATELESS.model_copy(update={"source": source})
    verdict = _verdict(wall, task, "return torch.zeros(len(x))")
    (remark,) = verdict.task_remarks
    assert "zeros everywhere" in remark


def test_a_plan_without_workloads_is_a_secret_to_draw_from(wall: Wall) -> None:
    asked = Plan.of(SETTINGS, "ab" * 32, ())
    main = SourceFile(path="kernel.py", text=MODEL.format(body="return x.sum(-1)"))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    plans = []
    for _ in range(2):
        context = EvaluationContext(wall, STATELESS, SETTINGS, asked)
        (judgement,) = evaluate_in_order(context, [candidate])
        assert judgement.verdict.status is Status.ACCEPTED, judgement.verdict.reason
        plans.append(judgement.verdict.plan)
    assert plans[0] == plans[1] is not None
    assert plans[0].secret == asked.secret and plans[0].is_drawn
