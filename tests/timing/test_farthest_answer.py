"""Of several answers of one batch the one is judged that is farthest from the reference."""

from __future__ import annotations

from typing import Any, cast

import torch

from assay.data.settings import Level
from assay.exam.exam import ContentKey, Draw, Exam, Purpose
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.timing.farthest_answer import farthest
from assay.timing.judged_rounds import TakenCall
from support.small_exam import make_exam


def _taken(exam: Exam, number: int, wrong: torch.Tensor | None = None) -> TakenCall:
    content = exam.content(ContentKey(0, Draw(Purpose.TIMING, number)))
    right = exam.bound(0)(content.inputs, exam.state(0, FIRST_WEIGHTS), wide=False).tensors[0]
    answer = RawOutput(cast(Any, None), right if wrong is None else wrong)
    raw = RawCall(cast(Any, None), (answer,), (), (), False)
    return TakenCall(number, 4, content, raw)


def _chosen(wrong: torch.Tensor | None) -> int:
    exam = make_exam(Level.QUICK)
    first, second, third = _taken(exam, 0), _taken(exam, 1, wrong), _taken(exam, 2)
    others = TakenCall(first.index, 4, first.content, first.raw, (second, third))
    return farthest(exam, FIRST_WEIGHTS, others).index


def test_the_wrong_answer_is_chosen() -> None:
    assert _chosen(torch.zeros(16)) == 1
    assert _chosen(torch.full((16,), torch.nan)) == 1
    assert _chosen(torch.zeros(3)) == 1


def test_the_drawn_answer_stays_where_all_are_right() -> None:
    assert _chosen(None) == 0
