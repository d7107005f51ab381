"""Where the reference only chooses among given numbers an answer must be equal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from assay.data.observations.call import Mix
from assay.data.settings import Level
from assay.data.workload import Distribution
from assay.exam.answer_origin import AskedCall
from assay.exam.call_reading import CallFacts
from assay.exam.exam import ContentKey, Exam
from assay.exam.on_device.device_reading import read_asked
from assay.exam.script import ScriptedCall
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.exam.workloads.selected_elements import _chooses, selecting_outputs
from assay.sandbox.host.planned_call import ALONE
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.sandbox.protocol.replies import CallCode, CallRecord, OutputFlag, OutputHeader
from assay.tasks.references.reference import Reference
from support.small_exam import STATELESS, make_exam

RETURNS = "return x.sum(dim=-1)"
GOOD = (
    OutputFlag.TENSOR
    | OutputFlag.EXACT_TYPE
    | OutputFlag.BARE
    | OutputFlag.ON_DEVICE
    | OutputFlag.FITS
)


def exam_of(body: str, distribution: Distribution = Distribution.OWN, scale: int = 0) -> Exam:
    task = STATELESS.model_copy(update={"source": STATELESS.source.replace(RETURNS, body)})
    own = Reference(task).own_workload()
    update = {"distribution": distribution, "scale": scale, "own": False}
    return make_exam(Level.QUICK, task, (own, own.model_copy(update=update)))


def is_right(exam: Exam, factor: float, least: float = 0.0) -> bool:
    """Whether the reference's answer times a factor is, with numbers below the least left out."""
    key = ContentKey(1)
    expectations = exam.expectation(key)
    answer = expectations[0].reference * factor
    answer = answer.masked_fill(answer.abs() < least, 0.0)
    output = RawOutput(OutputHeader("float32", tuple(answer.shape), GOOD, answer.nbytes), answer)
    raw = RawCall(CallRecord(CallCode.RETURNED, 1, 1000, ""), (output,), (), (), True)
    asked = AskedCall(
        ScriptedCall(key, ALONE, FIRST_WEIGHTS, Mix.PLAIN), FIRST_WEIGHTS, expectations
    )
    seen = read_asked(exam, raw, asked, CallFacts())
    return not any(output.problem for output in seen.outputs)


@pytest.mark.parametrize(
    ("body", "selects"),
    [
        ("return x.t().contiguous()", True),
        ("return x.sort(dim=-1).values", True),
        ("return x.relu()", True),
        ("return x.tril()", True),
        ("return x[:, torch.arange(x.shape[1] - 1, -1, -1)]", True),
        (RETURNS, False),
        ("return x * 0.0", False),
        ("return x.exp()", False),
        ("return torch.cat([x, x + x], dim=-1)", False),
        ("return x.abs().argmax(dim=-1)", False),
    ],
)
def test_choosing_is_told_from_computing(body: str, selects: bool) -> None:
    assert selecting_outputs(exam_of(body)) == (selects,)


def test_a_number_that_is_only_moved_is_not_rounded() -> None:
    rounded = 1.0 + 2.0**-23
    moves, computes = exam_of("return x.t().contiguous()"), exam_of("return (x * 3.0).t()")
    assert is_right(moves, 1.0) and not is_right(moves, rounded)
    assert is_right(computes, 1.0) and is_right(computes, rounded)


def test_a_call_that_computes_has_its_budget_though_the_own_one_only_moves() -> None:
    """A factor that is 1 for the task's own values and smaller for large ones."""
    body = "return x * torch.clamp(1000.0 / x.norm(), max=1.0)"
    rounded = 1.0 + 2.0**-23
    assert selecting_outputs(exam_of(body)) == (True,)
    assert is_right(exam_of(body, Distribution.LARGE, scale=12), rounded)
    assert not is_right(exam_of(body), rounded)


def test_subnormal_numbers_are_moved_too() -> None:
    tiny = torch.finfo(torch.float32).tiny
    exam = exam_of("return x.t().contiguous()", Distribution.SUBNORMAL)
    assert is_right(exam, 1.0) and not is_right(exam, 1.0, least=tiny)
    computes = exam_of("return (x * 3.0).t()", Distribution.SUBNORMAL)
    assert is_right(computes, 1.0, least=tiny)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sums_of_16_bits_are_among_many_inputs_by_chance(dtype: torch.dtype) -> None:
    """An honest product in bfloat16 was held to equality."""
    rng = torch.Generator().manual_seed(5)
    given = torch.randn(1 << 18, generator=rng).to(dtype)
    sums = (given[: 1 << 12].float() + given[1 << 12 : 1 << 13].float()).to(dtype)
    for answer, few, selects in ((sums, given, False), (given[:4096], given[:4096], True)):
        expected = cast(Any, SimpleNamespace(reference=answer, equations=None, non_finite=None))
        assert _chooses(expected, few.double()) is selects
