"""Candidates that are wrong only where their own source says: each is called there."""

from __future__ import annotations

import pytest

from assay.context import EvaluationContext
from assay.data.axis import Axis, AxisRole
from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import EvidenceKind, Severity
from assay.data.plan import Plan
from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Status, Verdict
from assay.pipeline import evaluate_in_order
from assay.sandbox.host.wall import Wall
from support.small_exam import STATELESS

# Large enough that the time of a call says what a call of more rows takes.
AXES = (
    Axis(name="rows", own=512, high=1024, role=AxisRole.BATCH),
    Axis(name="cols", own=32, high=512),
)
SOURCE = STATELESS.source.replace("rows = 16", "rows = 512")
TASK = STATELESS.model_copy(update={"source": SOURCE, "axes": AXES})
SETTINGS = Settings(level=Level.QUICK, track=Track.OPEN, timing=False, timeout_s=60.0)
MODEL = """
import torch
WIDTH = 20 * 17
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        y = x.sum(-1)
        {body}
        return y
"""
WRONG = {
    "one width": "y += x.shape[-1] == WIDTH",
    "many rows": "y[69_000:] = 0.5",
    "a band": "y += ((x - 3.7).abs() < 0.01).sum(-1)",
    "every 113th call": "y += self.calls % 113 == 0",
}
HONEST = "y = x.sum(-1) if x.shape[-1] == WIDTH or self.calls > 113 else y + 0.0"


def _candidate(body: str) -> Candidate:
    main = SourceFile(path="kernel.py", text=MODEL.format(body=body))
    return Candidate(name="it", language="torch", sources=(main,))


def _verdicts(wall: Wall, *bodies: str, replay: Plan | None = None) -> list[Verdict]:
    context = EvaluationContext(wall, TASK, SETTINGS, replay)
    return [j.verdict for j in evaluate_in_order(context, [_candidate(body) for body in bodies])]


@pytest.mark.exhaustive
def test_candidates_of_one_task_are_each_called_where_they_branch(shared_wall: Wall) -> None:
    *wrong, honest = _verdicts(shared_wall, *WRONG.values(), HONEST)
    missed = [name for name, v in zip(WRONG, wrong, strict=True) if v.status is Status.ACCEPTED]
    assert missed == []
    assert honest.status is Status.ACCEPTED, honest.reason
    plans = [v.plan for v in (*wrong, honest) if v.plan is not None]
    assert all(plan.for_all == plans[0].for_all for plan in plans)
    assert len({plan.drawn_for for plan in plans}) == len(plans) == len(WRONG) + 1


def test_a_branch_is_remarked_and_a_replay_asks_the_same(shared_wall: Wall) -> None:
    (first,) = _verdicts(shared_wall, HONEST)
    remarks = [e for e in first.evidence if e.kind is EvidenceKind.BRANCH]
    assert {e.severity for e in remarks} == {Severity.NOTE}
    assert {"340", "113"} <= {word for e in remarks for word in e.text.split()}
    assert first.plan is not None and first.plan.for_one
    (again,) = _verdicts(shared_wall, HONEST, replay=first.plan)
    assert again.plan == first.plan
    assert again.status is Status.ACCEPTED
