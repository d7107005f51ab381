"""Of several answers of one batch the one is judged that is farthest from the reference."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

from assay.data.settings import Level
from assay.exam.exam import ContentKey, Draw, Exam, Purpose
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.timing.judged.farthest_answer import AnswerPool, farthest
from assay.timing.judged.judged_rounds import TakenCall
from support.small_exam import make_exam


def _taken(exam: Exam, number: int, wrong: torch.Tensor | None = None) -> TakenCall:
    content = exam.content(ContentKey(0, Draw(Purpose.TIMING, number)))
    right = exam.bound(0)(content.inputs, exam.state(0, FIRST_WEIGHTS), wide=False).tensors[0]
    answer = RawOutput(cast(Any, None), right if wrong is None else wrong)
    raw = RawCall(cast(Any, None), (answer,), (), (), False)
    return TakenCall(number, 4, content, raw)


def _chosen(wrong: torch.Tensor | None) -> TakenCall | None:
    exam = make_exam(Level.QUICK)
    taken = [_taken(exam, 0), _taken(exam, 1, wrong), _taken(exam, 2)]
    return farthest(exam, FIRST_WEIGHTS, taken)


@pytest.mark.parametrize(
    "wrong", [torch.zeros(16), torch.full((16,), torch.nan), torch.zeros(3)], ids=repr
)
def test_the_wrong_answer_is_chosen(wrong: torch.Tensor) -> None:
    chosen = _chosen(wrong)
    assert chosen is not None and chosen.index == 1


def test_none_is_chosen_where_all_are_equal() -> None:
    assert _chosen(None) is None


def test_answers_are_drawn_over_all_that_were_offered() -> None:
    exam = make_exam(Level.QUICK)
    one, counts = _taken(exam, 0), Counter[int]()
    for seed in range(400):
        pool = AnswerPool(4, random.Random(seed))
        for number in range(40):
            pool.offer(lambda number=number: replace(one, index=number))  # type: ignore[misc]
        assert len(pool.kept) == 4
        counts.update(taken.index for taken in pool.kept)
    assert len(counts) == 40 and max(counts.values()) < 3 * min(counts.values())
