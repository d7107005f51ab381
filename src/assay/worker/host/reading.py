"""Reading: a call as it was found becomes a CallSeen: each output against its expectation."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from assay.data.evidence import EvidenceKind
from assay.data.observation import CallOutcome, CallSeen, Mix, OutputSeen
from assay.measure.expectation import OutputExpectation, compare
from assay.worker.host.exam import BUFFER_PREFIX
from assay.worker.host.layout import dtype_name
from assay.worker.host.session import RawCall, RawOutput
from assay.worker.protocol import CallCode, OutputFlag

Expectations = tuple[OutputExpectation, ...]


@dataclass(frozen=True)
class CallFacts:
    """Where a call stands in the whole."""

    index: int
    workload: int
    mix: Mix
    batch: int
    batch_size: int
    weights: int = 0


def output_bytes(expectations: Expectations) -> tuple[int, ...]:
    """Room each output needs."""
    return tuple(e.reference.numel() * e.reference.element_size() for e in expectations)


def buffer_names(expectations: Expectations) -> tuple[str, ...]:
    """Buffers the reference changes: the candidate must hand them back too."""
    names = [e.name for e in expectations if e.name.startswith(BUFFER_PREFIX)]
    return tuple(name.removeprefix(BUFFER_PREFIX) for name in names)


def read_call(raw: RawCall, expectations: Expectations, facts: CallFacts) -> CallSeen:
    """What one call shows."""
    outcome, message = CallOutcome.RETURNED, ""
    outputs: tuple[OutputSeen, ...] = ()
    if raw.record is None:
        outputs = (_missing("the call left no record", EvidenceKind.UNFINISHED_WORK),)
    elif raw.record.code in (CallCode.RAISED, CallCode.OUT_OF_MEMORY):
        outcome, message = CallOutcome.RAISED, raw.record.message[:500]
        if raw.record.code == CallCode.OUT_OF_MEMORY:
            outputs = (_missing(message, EvidenceKind.OUT_OF_MEMORY),)
    else:
        outputs = _read_outputs(raw, expectations)
    return CallSeen(
        index=facts.index,
        workload=facts.workload,
        mix=facts.mix,
        outcome=outcome,
        message=message,
        outputs=outputs,
        inputs_changed=raw.inputs_changed,
        bands_broken=raw.bands_broken,
        guarded=raw.guarded,
        batch=facts.batch,
        weights=facts.weights,
        batch_size=facts.batch_size,
    )


def _missing(text: str, kind: EvidenceKind) -> OutputSeen:
    return OutputSeen(name="output", problem=kind, detail=text)


def _read_outputs(raw: RawCall, expectations: Expectations) -> tuple[OutputSeen, ...]:
    wanted = len(expectations) - len(buffer_names(expectations))
    found = raw.record.outputs if raw.record is not None else 0
    if found != wanted:
        text = f"{found} outputs where the reference has {wanted}"
        return (_missing(text, EvidenceKind.WRONG_COUNT),)
    pairs = zip(raw.outputs, expectations, strict=True)
    return tuple(_read_output(output, expected) for output, expected in pairs)


def _read_output(raw: RawOutput, expected: OutputExpectation) -> OutputSeen:
    problem = _form_problem(raw, expected)
    if problem is not None:
        kind, text = problem
        return OutputSeen(name=expected.name, problem=kind, detail=text)
    assert raw.tensor is not None and raw.header is not None
    error = compare(expected, raw.tensor)
    if OutputFlag.SHARED in raw.header.flags:
        kind, text = EvidenceKind.RESULT_OVERWRITTEN, "two live results share memory"
        return OutputSeen(name=expected.name, problem=kind, error=error, detail=text)
    if error.ok:
        return OutputSeen(name=expected.name, error=error)
    kind = EvidenceKind.WRONG_VALUE
    if expected.name.startswith(BUFFER_PREFIX):
        kind = EvidenceKind.WRONG_BUFFER
    elif expected.non_finite is not None:
        kind = EvidenceKind.NON_FINITE
    return OutputSeen(name=expected.name, problem=kind, error=error, detail=error.text)


def _form_problem(raw: RawOutput, expected: OutputExpectation) -> tuple[EvidenceKind, str] | None:
    """Type, device, shape and dtype must be exactly right before a value is looked at."""
    header = raw.header
    if header is None:
        return EvidenceKind.UNFINISHED_WORK, "the output was not handed over"
    if OutputFlag.TENSOR not in header.flags:
        return EvidenceKind.WRONG_TYPE, "the result is not a tensor"
    if OutputFlag.EXACT_TYPE not in header.flags:
        return EvidenceKind.LYING_TENSOR, "the result is a tensor subclass, not a torch.Tensor"
    if OutputFlag.BARE not in header.flags:
        return EvidenceKind.LYING_TENSOR, "attributes were hung on the returned tensor"
    if OutputFlag.ON_CPU not in header.flags:
        return EvidenceKind.WRONG_TYPE, "the result is on another device"
    if header.shape != expected.shape:
        text = f"shape {list(header.shape)} instead of {list(expected.shape)}"
        return EvidenceKind.WRONG_SHAPE, text
    if header.dtype != dtype_name(expected.reference):
        text = f"dtype {header.dtype} instead of {dtype_name(expected.reference)}"
        return EvidenceKind.WRONG_DTYPE, text
    if raw.tensor is None:
        return EvidenceKind.UNFINISHED_WORK, "the output's bytes were not handed over"
    return None


def tensors_of(raw: RawCall) -> tuple[torch.Tensor | None, ...]:
    """The outputs as tensors, for comparing with other calls' answers."""
    return tuple(output.tensor for output in raw.outputs)
