"""Answers that are wrong in few elements, where an honest rounding may have jumped."""

from __future__ import annotations

import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen, ErrorSummary, OutputSeen
from assay.exam.failure import jumps_nearby
from assay.exam.failure.jumps_nearby import may_have_jumped, with_jumps
from assay.numerics.comparison import compare
from assay.numerics.output_expectation import PROBES, OutputExpectation, Relief
from support.references import expected, normal

ROWS, SCORES = 1024, 8


def mixed(scores: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return (powers / powers.sum(-1, keepdim=True)) @ values


def neighbours() -> tuple[torch.Tensor, torch.Tensor]:
    """Scores so large that the maximum takes all, with a neighbour of it in every row."""
    generator = torch.Generator().manual_seed(5)
    scores = 1e9 * (1 + 0.01 * torch.rand(ROWS, SCORES, generator=generator))
    beside = torch.nextafter(scores.amax(-1), torch.tensor(0.0))
    scores[torch.arange(ROWS), torch.randint(SCORES, (ROWS,), generator=generator)] = beside
    return scores, torch.randn(SCORES, 4, generator=generator)


def rounded_otherwise(scores: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    noise = torch.randn(
        scores.shape, generator=torch.Generator().manual_seed(6), dtype=torch.double
    )
    return mixed((scores.double() * (1 + 2.0**-22 * noise)).float(), values)


class _Exam:
    """Answers one question by as many probes as it has."""

    def __init__(self) -> None:
        self.turn, self.probes, self.asked = threading.RLock(), PROBES, 0
        self.elements = ROWS * SCORES
        self.known: tuple[OutputExpectation, ...] = self.worked_out()

    def key(self, *key: object) -> tuple[object, ...]:
        return key

    def content(self, *_: object) -> Any:
        return SimpleNamespace(elements=self.elements)

    def expectation(self, *_: object) -> tuple[OutputExpectation, ...]:
        return self.known

    def worked_out(self, *_: object) -> tuple[OutputExpectation, ...]:
        return (expected(mixed, *neighbours(), probes=self.probes),)

    def revise(self, _: object, found: tuple[OutputExpectation, ...]) -> None:
        self.asked += 1
        self.known = found


ASKED = cast(Any, SimpleNamespace(scripted=SimpleNamespace(content_key=0), version=0))


def test_an_honest_rounding_that_jumps_is_right_and_what_lies_elsewhere_is_not() -> None:
    exam = _Exam()
    honest = rounded_otherwise(*neighbours())
    first = compare(exam.known[0], honest)
    assert 0 < first.wrong <= jumps_nearby._FEW * first.total
    (closer,) = with_jumps(cast(Any, exam), ASKED)
    assert compare(closer, honest).ok
    assert closer.relief is not None and closer.relief.between
    wrong = honest.clone()
    wrong[:, 0] = 2 * neighbours()[1].abs().amax()  # between no two rows
    assert compare(closer, wrong).wrong == ROWS
    assert with_jumps(cast(Any, exam), ASKED) == (closer,) and exam.asked == 1


def test_large_inputs_are_not_computed_so_often() -> None:
    exam = _Exam()
    exam.elements = 1 << 23
    assert with_jumps(cast(Any, exam), ASKED) == exam.known and exam.asked == 0


def seen(wrong: int, total: int, problem: EvidenceKind = EvidenceKind.WRONG_VALUE) -> CallSeen:
    error = ErrorSummary(budget_used=5.0, wrong=wrong, total=total)
    output = OutputSeen(name="output", problem=problem, error=error)
    return CallSeen.model_construct(outputs=(output,))


def smooth() -> OutputExpectation:
    return expected(torch.exp, normal(4, 4))


def jumping() -> OutputExpectation:
    return replace(smooth(), relief=Relief(torch.tensor([1]), torch.tensor([[0.0], [9.0]])))


@pytest.mark.parametrize(
    ("call", "one", "may"),
    [
        (seen(3, 4096), jumping(), True),
        (seen(1, 16), jumping(), True),
        (seen(3, 4096), smooth(), False),
        (seen(2000, 4096), jumping(), False),
        (seen(3, 4096, EvidenceKind.NON_FINITE), jumping(), False),
    ],
    ids=["few", "one of few", "a reference that never jumps", "many", "not a value"],
)
def test_it_is_looked_at_where_few_values_are_wrong_of_a_reference_that_jumps(
    call: CallSeen, one: OutputExpectation, may: bool
) -> None:
    assert may_have_jumped(call, (one,)) is may
