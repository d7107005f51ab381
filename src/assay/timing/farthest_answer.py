"""Farthest answer: which of several answers of one timed batch is judged in full.

The rule: one plain run of the reference for each answer, some thirty times as cheap as judging it,
only says which answer is farthest from the reference. That one is judged like any other call, so
the coarse distance convicts nobody. Runs stop when their time is spent.
"""

from __future__ import annotations

import time

import torch

from assay.data.contract import Stochastic
from assay.errors import TaskError
from assay.exam.exam import Exam
from assay.exam.weight_scales import Weights
from assay.sandbox.host.raw_call import RawCall
from assay.timing.judged_rounds import TakenCall

_MOST_S = 0.5  # of plain runs for one batch


def farthest(exam: Exam, version: Weights, taken: TakenCall) -> TakenCall:
    """The call whose answer is farthest; `taken` itself where nothing can be compared."""
    if not taken.others or exam.stateful or isinstance(exam.reference.task.contract, Stochastic):
        return taken
    ends, found, most = time.monotonic() + _MOST_S, taken, -1.0
    for one in (taken, *taken.others):
        away = _distance(exam, version, one)
        if away > most:
            found, most = one, away
        if time.monotonic() > ends:
            break
    return found


def _distance(exam: Exam, version: Weights, taken: TakenCall) -> float:
    """The largest difference of an element; infinite where an output is not there at all."""
    try:
        with exam.turn:
            expected = exam.bound(0)(taken.content.inputs, exam.state(0, version), wide=False)
    except TaskError:
        return 0.0
    pairs = zip(_outputs(taken.raw), expected.tensors, strict=False)
    return max((_difference(got, want) for got, want in pairs), default=0.0)


def _outputs(raw: RawCall) -> list[torch.Tensor | None]:
    return [output.tensor for output in raw.outputs]


def _difference(got: torch.Tensor | None, want: torch.Tensor) -> float:
    if got is None or got.shape != want.shape:
        return float("inf")
    if not got.numel():
        return 0.0
    got, want = got.double(), want.double()
    alike = (got == want) | (got.isnan() & want.isnan())
    away = torch.where(alike, 0.0, (got - want).abs())
    return float(torch.nan_to_num(away, nan=float("inf"), posinf=float("inf")).max())
