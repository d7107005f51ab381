"""The full shape, on the CPU: every element is judged, block by block, and none is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen
from assay.data.settings import Level
from assay.exam.call_reading import CallFacts
from assay.exam.exam import ContentKey
from assay.exam.full_shape.full_shape_exam import Cutting, FullShapeExam
from assay.exam.full_shape.independent_parts import find_parts
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.sandbox.protocol.replies import CallCode, CallRecord, OutputFlag, OutputHeader
from support.small_exam import make_exam

RIGHT = (
    OutputFlag.TENSOR
    | OutputFlag.EXACT_TYPE
    | OutputFlag.BARE
    | OutputFlag.ON_DEVICE
    | OutputFlag.FITS
)


def full_exam(block: int = 3) -> FullShapeExam:
    exam = make_exam(Level.SMOKE)
    parts = find_parts(exam.reference)
    assert parts is not None and parts.count > 2 * block
    return FullShapeExam.beside(exam, Cutting(parts, block), "cpu")


def raw(tensor: torch.Tensor) -> RawCall:
    name = str(tensor.dtype).removeprefix("torch.")
    header = OutputHeader(name, tuple(tensor.shape), RIGHT, tensor.nbytes)
    record = CallRecord(CallCode.RETURNED, 1, 10, "")
    return RawCall(record, (RawOutput(header, tensor),), (), (), False)


def answer(exam: FullShapeExam) -> torch.Tensor:
    content = exam.content(ContentKey(0))
    return exam.bound(0)(content.inputs, exam.state(0), wide=False).tensors[0]


def judged(exam: FullShapeExam, tensor: torch.Tensor) -> CallSeen:
    return exam.judge_call(raw(tensor), exam.content(ContentKey(0)), FIRST_WEIGHTS, CallFacts())


def test_a_right_answer_is_right_in_every_block() -> None:
    exam = full_exam()
    seen = judged(exam, answer(exam))
    (output,) = seen.outputs
    assert output.problem is None and output.error is not None
    assert output.error.total == answer(exam).numel() and exam.blocks > 2


@pytest.mark.parametrize("row", [0, 7, -1])
def test_one_wrong_element_of_any_block_is_found(row: int) -> None:
    exam = full_exam()
    wrong = answer(exam)
    wrong[row] += 0.5
    (output,) = judged(exam, wrong).outputs
    assert output.problem is EvidenceKind.WRONG_VALUE and output.error is not None
    assert output.error.wrong == 1 and output.error.total == wrong.numel()


def test_the_form_is_looked_at_first() -> None:
    exam = full_exam()
    (output,) = judged(exam, answer(exam)[1:]).outputs
    assert output.problem is EvidenceKind.WRONG_SHAPE
    (output,) = judged(exam, answer(exam).double()).outputs
    assert output.problem is EvidenceKind.WRONG_DTYPE
    unwritten = raw(answer(exam))
    broken = replace(unwritten, outputs=(replace(unwritten.outputs[0], header=None),))
    content = exam.content(ContentKey(0))
    (output,) = exam.judge_call(broken, content, FIRST_WEIGHTS, CallFacts()).outputs
    assert output.problem is EvidenceKind.UNFINISHED_WORK


def test_contents_are_drawn_again_alike_and_a_variant_differs_in_a_few_elements() -> None:
    exam = full_exam()
    (first,), (again,) = (exam.content(ContentKey(0)).tensors for _ in range(2))
    assert first.equal(again) and first is not again
    (changed,) = exam.content(ContentKey(0, variant=1)).tensors
    assert 0 < int((first != changed).sum()) <= 3
