"""Reading: a call as it was found becomes a CallSeen: each output against its expectation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import (
    CallOutcome,
    CallSeen,
    CallStage,
    ErrorSummary,
    Mix,
    OutputSeen,
)
from assay.exam.weight_scales import FIRST_WEIGHTS, Weights
from assay.numerics.expectation import OutputExpectation, compare, compare_all
from assay.sandbox.host.planned_call import UPDATE_PREFIXES, Expectations
from assay.sandbox.host.raw_call import RawCall, RawOutput, RawUpdate
from assay.sandbox.host.tensor_bytes import dtype_name
from assay.sandbox.protocol.replies import CallCode, OutputFlag
from assay.tasks.references.reference_outputs import (
    BUFFER_PREFIX,
    LEFT_OR_UPDATED_PREFIX,
)

_SHARED = {
    OutputFlag.SHARED: "two live results share memory",
    OutputFlag.WITHIN: "two outputs of one call share memory",
    OutputFlag.OF_INPUT: "it shares memory with an input",
    OutputFlag.FOLDED: "several of its elements are one in memory: writing one changes others",
    OutputFlag.MOVED_LATER: "it is a view: what the task moves is left to whoever reads it",
}
_ACCIDENTS = (CallCode.BROKE, CallCode.OUT_OF_MEMORY)
_FIRST_TIMED = 1_000_000  # index: after every call that is not timed


@dataclass(frozen=True)
class BatchId:
    """One batch of one stage of the exam."""

    stage: CallStage = CallStage.SCRIPT
    number: int = 0


@dataclass(frozen=True)
class CallFacts:
    """Where a call stands in the whole."""

    index: int = 0
    workload: int = 0
    mix: Mix = Mix.PLAIN
    batch: BatchId = BatchId()
    batch_size: int = 1
    weights: Weights = FIRST_WEIGHTS
    own: bool = True  # of the task's own workload, which must be answered

    @classmethod
    def timed(cls, index: int, batch_size: int) -> CallFacts:
        """Of a call of the own workload in a timed batch."""
        batch = BatchId(CallStage.TIMED)
        return cls(_FIRST_TIMED + index, mix=Mix.TIMED, batch=batch, batch_size=batch_size)


def returned(expectations: Expectations) -> Expectations:
    """What the call itself returns: neither buffers nor updated inputs."""
    others = (BUFFER_PREFIX, *UPDATE_PREFIXES)
    return tuple(e for e in expectations if not e.name.startswith(others))


def read_call(raw: RawCall, expectations: Expectations, facts: CallFacts) -> CallSeen:
    """What one call shows."""
    outcome, message = CallOutcome.RETURNED, ""
    outputs: tuple[OutputSeen, ...] = ()
    changed = raw.inputs_changed
    if raw.record is None:
        outputs = (_missing("the call left no record", EvidenceKind.UNFINISHED_WORK),)
    elif raw.record.code in (CallCode.RAISED, CallCode.BROKE, CallCode.OUT_OF_MEMORY):
        outcome, message = CallOutcome.RAISED, raw.record.message[:500]
        changed += _partly_updated(raw, expectations)
        if raw.record.code == CallCode.OUT_OF_MEMORY and facts.own:
            outputs = (_missing(message, EvidenceKind.OUT_OF_MEMORY),)
    else:
        outputs = _read_outputs(raw, expectations)
    return CallSeen(
        index=facts.index,
        workload=facts.workload,
        mix=facts.mix,
        outcome=outcome,
        message=message,
        own_check=raw.record is None or raw.record.code not in _ACCIDENTS,
        outputs=outputs,
        inputs_changed=changed,
        bands_broken=raw.bands_broken,
        guarded=raw.guarded,
        stage=facts.batch.stage,
        batch=facts.batch.number,
        weights=str(facts.weights),
        batch_size=facts.batch_size,
    )


def _partly_updated(raw: RawCall, expectations: Expectations) -> tuple[str, ...]:
    """Inputs that a call was to update, and changed before it raised."""
    left = [e for e in expectations if e.name.startswith(UPDATE_PREFIXES)]
    pairs = zip(raw.updates, left, strict=False)  # none where inputs were not looked at
    return tuple(expected.name for update, expected in pairs if update.changed)


def _missing(text: str, kind: EvidenceKind) -> OutputSeen:
    return OutputSeen(name="output", problem=kind, detail=text)


def _read_outputs(raw: RawCall, expectations: Expectations) -> tuple[OutputSeen, ...]:
    wanted = len(returned(expectations))
    found = raw.record.outputs if raw.record is not None else 0
    if found != wanted:
        text = f"{found} outputs where the reference has {wanted}"
        return (_missing(text, EvidenceKind.WRONG_COUNT),)
    handed = [e for e in expectations if not e.name.startswith(UPDATE_PREFIXES)]
    left = [e for e in expectations if e.name.startswith(UPDATE_PREFIXES)]
    problems = [form_problem(o, e) for o, e in zip(raw.outputs, handed, strict=True)]
    tensors = [output.tensor for output in raw.outputs if output.tensor is not None]
    if any(problems) or len(tensors) != len(handed):
        pairs = zip(raw.outputs, handed, strict=True)
        return tuple(_read_alone(output, expected) for output, expected in pairs)
    errors = compare_all(handed, tensors)
    undefined = _undefined(expectations)
    outputs = [
        _read_value(output, expected, error)
        if expected.name not in undefined
        else OutputSeen(name=expected.name)
        for output, expected, error in zip(raw.outputs, handed, errors, strict=True)
    ]
    updates = zip(raw.updates, left, strict=False)  # none where inputs were not looked at
    return (*outputs, *(_read_update(update, expected) for update, expected in updates))


def _undefined(expectations: Expectations) -> tuple[str, ...]:
    """The buffers after a call of an empty batch: the mean of no values is not defined."""
    answers = returned(expectations)
    if not answers or any(math.prod(answer.shape) for answer in answers):
        return ()
    return tuple(e.name for e in expectations if e.name.startswith(BUFFER_PREFIX))


def _read_update(raw: RawUpdate, expected: OutputExpectation) -> OutputSeen:
    """An input after the call. Some may also be left as they were."""
    error = compare(expected, raw.after)
    left = not raw.changed and expected.name.startswith(LEFT_OR_UPDATED_PREFIX)
    if left:
        return OutputSeen(name=expected.name)
    if error.ok:
        return OutputSeen(name=expected.name, error=error)
    text = error.text if raw.changed else f"the input was not updated: {error.text}"
    kind = EvidenceKind.WRONG_VALUE
    return OutputSeen(name=expected.name, problem=kind, error=error, detail=text)


def _read_alone(raw: RawOutput, expected: OutputExpectation) -> OutputSeen:
    """An output beside which another one has not even the right form."""
    problem = form_problem(raw, expected)
    if problem is not None:
        kind, text = problem
        return OutputSeen(name=expected.name, problem=kind, detail=text)
    assert raw.tensor is not None
    if expected.equations is not None:  # says nothing without the other factors
        return OutputSeen(name=expected.name)
    return _read_value(raw, expected, compare(expected, raw.tensor))


def _read_value(raw: RawOutput, expected: OutputExpectation, error: ErrorSummary) -> OutputSeen:
    shared = _shared(raw)
    if shared is not None:
        kind = EvidenceKind.RESULT_OVERWRITTEN
        return OutputSeen(name=expected.name, problem=kind, error=error, detail=shared)
    if error.ok:
        return OutputSeen(name=expected.name, error=error)
    kind = EvidenceKind.WRONG_VALUE
    if expected.name.startswith(BUFFER_PREFIX):
        kind = EvidenceKind.WRONG_BUFFER
    elif expected.non_finite is not None:
        kind = EvidenceKind.NON_FINITE
    return OutputSeen(name=expected.name, problem=kind, error=error, detail=error.text)


def _shared(raw: RawOutput) -> str | None:
    """What the output shares its memory with, as its process says."""
    flags = OutputFlag(0) if raw.header is None else raw.header.flags
    return next((text for flag, text in _SHARED.items() if flag in flags), None)


def form_problem(raw: RawOutput, expected: OutputExpectation) -> tuple[EvidenceKind, str] | None:
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
    if OutputFlag.ON_DEVICE not in header.flags:
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
    """Outputs and updated inputs as tensors, for comparing with other calls' answers."""
    updates = (update.after for update in raw.updates)
    return (*(output.tensor for output in raw.outputs), *updates)
