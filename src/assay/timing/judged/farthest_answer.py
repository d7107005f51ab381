"""Farthest answer: of many answers of timed calls, the one that is judged beside the drawn ones.

The rule: answers are drawn over all timed calls. One plain run of the reference for each, some
thirty times as cheap as judging it, only says which is farthest from the reference. That one is
judged like any other call, so the coarse distance convicts nobody. Runs stop when their time is
spent.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from assay.data.contract import Stochastic
from assay.errors import TaskError
from assay.exam.exam import Exam
from assay.exam.weight_scales import Weights
from assay.sandbox.host.raw_call import RawCall
from assay.timing.judged.judged_rounds import TakenCall

_MOST_S = 1.0  # of plain runs


@dataclass
class AnswerPool:
    """Answers drawn with equal chances over all that were offered."""

    most: int
    rng: random.Random
    kept: list[TakenCall] = field(default_factory=list)
    _offered: int = 0

    def offer(self, take: Callable[[], TakenCall]) -> None:
        """One more; it is taken only where it is drawn."""
        self._offered += 1
        if len(self.kept) < self.most:
            self.kept.append(take())
        elif self.kept and (place := self.rng.randrange(self._offered)) < self.most:
            self.kept[place] = take()


def farthest(exam: Exam, version: Weights, taken: Sequence[TakenCall]) -> TakenCall | None:
    """The call whose answer is farthest; None where nothing can be compared."""
    if exam.stateful or isinstance(exam.reference.task.contract, Stochastic):
        return None
    ends, found, most = time.monotonic() + _MOST_S, None, 0.0
    for one in taken:
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
