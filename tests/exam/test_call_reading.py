"""A raw call becomes an observation: form before value, and silence is not an answer."""

from __future__ import annotations

import pytest
import torch

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallOutcome, CallSeen, Mix
from assay.exam.call_reading import BatchId, CallFacts, read_call
from assay.numerics.expectation import OutputExpectation
from assay.sandbox.host.planned_call import buffer_names, output_bytes
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.sandbox.protocol.replies import CallCode, CallRecord, OutputFlag, OutputHeader

TRUTH = torch.arange(4, dtype=torch.float32)
GOOD = (
    OutputFlag.TENSOR
    | OutputFlag.EXACT_TYPE
    | OutputFlag.BARE
    | OutputFlag.ON_DEVICE
    | OutputFlag.FITS
)
FACTS = CallFacts(index=7, workload=2, mix=Mix.REPEATED, batch=BatchId(number=3), batch_size=2)


def _expected(name: str = "output") -> OutputExpectation:
    budget = torch.full((4,), 1e-3, dtype=torch.float64)
    return OutputExpectation(name, (4,), torch.float32, TRUTH.double(), budget, TRUTH)


def _output(
    tensor: torch.Tensor | None, flags: OutputFlag = GOOD, dtype: str = "float32"
) -> RawOutput:
    shape = tuple(tensor.shape) if tensor is not None else (4,)
    return RawOutput(OutputHeader(dtype, shape, flags, 16), tensor)


def _record(code: CallCode = CallCode.RETURNED, outputs: int = 1, message: str = "") -> CallRecord:
    return CallRecord(code, outputs, 1000, message)


def _read(record: CallRecord | None, *outputs: RawOutput) -> CallSeen:
    raw = RawCall(record, outputs, (), (), True)
    return read_call(raw, (_expected(),), FACTS)


def test_a_right_answer_has_no_problem() -> None:
    seen = _read(_record(), _output(TRUTH.clone()))
    assert seen.outcome is CallOutcome.RETURNED and seen.outputs[0].problem is None
    assert seen.outputs[0].error is not None and seen.outputs[0].error.budget_used == 0.0
    assert (seen.index, seen.workload, seen.mix) == (7, 2, Mix.REPEATED)
    assert (seen.batch, seen.batch_size, seen.guarded) == (3, 2, True)


def test_a_wrong_value_carries_its_error() -> None:
    output = _read(_record(), _output(TRUTH + torch.tensor([0.0, 0.0, 5.0, 0.0]))).outputs[0]
    assert output.problem is EvidenceKind.WRONG_VALUE
    assert output.error is not None and (output.error.wrong, output.error.total) == (1, 4)


@pytest.mark.parametrize(("length", "problem"), [(0, None), (4, EvidenceKind.WRONG_BUFFER)])
def test_the_statistics_of_an_empty_batch_are_not_compared(
    length: int, problem: EvidenceKind | None
) -> None:
    truth = TRUTH[:length]
    answer = OutputExpectation(
        "output", (length,), torch.float32, truth.double(), torch.ones(length).double(), truth
    )
    raw = RawCall(_record(), (_output(truth.clone()), _output(TRUTH + 1)), (), (), True)
    seen = read_call(raw, (answer, _expected("buffer:running_var")), FACTS)
    assert [output.problem for output in seen.outputs] == [None, problem]


PROBLEMS = [
    (RawOutput(None, None), EvidenceKind.UNFINISHED_WORK),
    (_output(None, OutputFlag(0)), EvidenceKind.WRONG_TYPE),
    (_output(None, OutputFlag.TENSOR), EvidenceKind.LYING_TENSOR),
    (_output(TRUTH, GOOD & ~OutputFlag.BARE), EvidenceKind.LYING_TENSOR),
    (_output(TRUTH, GOOD & ~OutputFlag.ON_DEVICE), EvidenceKind.WRONG_TYPE),
    (_output(TRUTH.view(2, 2)), EvidenceKind.WRONG_SHAPE),
    (_output(TRUTH.view(4, 1)), EvidenceKind.WRONG_SHAPE),
    (_output(TRUTH, dtype="float64"), EvidenceKind.WRONG_DTYPE),
    (_output(None), EvidenceKind.UNFINISHED_WORK),
    (_output(TRUTH, GOOD | OutputFlag.SHARED), EvidenceKind.RESULT_OVERWRITTEN),
]


@pytest.mark.parametrize(("output", "kind"), PROBLEMS)
def test_form_comes_before_value(output: RawOutput, kind: EvidenceKind) -> None:
    assert _read(_record(), output).outputs[0].problem is kind


def test_a_call_without_a_record_was_not_finished() -> None:
    seen = _read(None, _output(TRUTH))
    assert [o.problem for o in seen.outputs] == [EvidenceKind.UNFINISHED_WORK]


def test_an_exception_is_told_in_its_words() -> None:
    seen = _read(_record(CallCode.RAISED, 0, "ValueError: " + "x" * 5000))
    assert seen.outcome is CallOutcome.RAISED and seen.outputs == ()
    assert seen.message.startswith("ValueError") and len(seen.message) <= 500


def test_exhausted_memory_is_told_apart_from_a_refusal() -> None:
    seen = _read(_record(CallCode.OUT_OF_MEMORY, 0, "MemoryError()"))
    assert seen.outcome is CallOutcome.RAISED
    assert [o.problem for o in seen.outputs] == [EvidenceKind.OUT_OF_MEMORY]


def test_exhausted_memory_on_a_workload_that_need_not_be_answered_is_a_refusal() -> None:
    raw = RawCall(_record(CallCode.OUT_OF_MEMORY, 0, "MemoryError()"), (), (), (), False)
    seen = read_call(raw, (_expected(),), CallFacts(workload=3, own=False))
    assert seen.outcome is CallOutcome.RAISED and seen.outputs == ()
    assert seen.message == "MemoryError()" and not seen.own_check


@pytest.mark.parametrize("count", [0, 2, 1000])
def test_the_number_of_outputs_counts(count: int) -> None:
    seen = _read(_record(outputs=count), _output(TRUTH))
    assert [o.problem for o in seen.outputs] == [EvidenceKind.WRONG_COUNT]
    assert str(count) in seen.outputs[0].detail


def test_a_buffer_is_an_output_with_a_name_of_its_own() -> None:
    expected = (_expected(), _expected("buffer:running_mean"))
    assert buffer_names(expected) == ("running_mean",)
    assert output_bytes(expected) == (16, 16)
    raw = RawCall(_record(), (_output(TRUTH), _output(TRUTH + 1)), (), (), False)
    seen = read_call(raw, expected, FACTS)
    assert [o.problem for o in seen.outputs] == [None, EvidenceKind.WRONG_BUFFER]
