"""BlockReading: one call of the full shape, read block by block where it lies.

The rule: every element is held against the truth and the budget of its own block, as those of
smaller shapes are. Nothing is sampled, and the answer's form is looked at first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from assay.data.observations.call import CallOutcome, CallSeen, ErrorSummary, OutputSeen
from assay.exam.call_reading import CallFacts, form_problem, read_call, returned
from assay.exam.full_shape.independent_parts import IndependentParts
from assay.sandbox.host.planned_call import Expectations
from assay.sandbox.host.raw_call import RawCall, RawOutput
from assay.sandbox.protocol.replies import OutputHeader

Expect = Callable[[int, int], Expectations]  # of the parts from one number to another


@dataclass(frozen=True)
class BlockReading:
    """How an answer is cut, and what each block must be."""

    parts: IndependentParts | None  # None: all is one block
    block: int  # parts of one block
    expect: Expect

    def read(self, raw: RawCall, forms: Expectations, facts: CallFacts) -> CallSeen:
        """What one call shows. `forms` are the outputs without their numbers."""
        whole = returned(forms)
        wrong_form = self._form(raw, whole)
        if wrong_form is not None:
            return read_call(replace(raw, outputs=wrong_form), whole, facts)
        seen: CallSeen | None = None
        for start, stop in self._blocks():
            part = raw if self.parts is None else _cut(raw, self.parts, start, stop)
            found = read_call(part, returned(self.expect(start, stop)), facts)
            seen = found if seen is None else _joined(seen, found, start)
        assert seen is not None
        return seen

    def _blocks(self) -> Iterator[tuple[int, int]]:
        count = 1 if self.parts is None else self.parts.count
        for start in range(0, count, self.block):
            yield start, min(count, start + self.block)

    def _form(self, raw: RawCall, forms: Expectations) -> tuple[RawOutput, ...] | None:
        """The outputs without their numbers, where the form of one is wrong or nothing returned."""
        bare = tuple(replace(output, tensor=None) for output in raw.outputs)
        probe = read_call(replace(raw, outputs=()), (), CallFacts())
        if raw.record is None or probe.outcome is CallOutcome.RAISED:
            return bare
        if raw.record.outputs != len(forms) or len(raw.outputs) != len(forms):
            return bare
        pairs = zip(raw.outputs, forms, strict=True)
        return bare if any(form_problem(output, form) for output, form in pairs) else None


def _cut(raw: RawCall, parts: IndependentParts, start: int, stop: int) -> RawCall:
    outputs = []
    for number, output in enumerate(raw.outputs):
        assert output.tensor is not None and output.header is not None
        tensor = parts.of_output(number, output.tensor, start, stop)
        head = output.header
        header = OutputHeader(head.dtype, tuple(tensor.shape), head.flags, tensor.nbytes)
        outputs.append(RawOutput(header, tensor))
    return replace(raw, outputs=tuple(outputs))


def _joined(one: CallSeen, other: CallSeen, start: int) -> CallSeen:
    """Both blocks of one call as one; of wrong ones the worse is told."""
    pairs = zip(one.outputs, other.outputs, strict=True)
    return one.model_copy(update={"outputs": tuple(_worse(a, b, start) for a, b in pairs)})


def _worse(one: OutputSeen, other: OutputSeen, start: int) -> OutputSeen:
    if one.error is None or other.error is None:
        return one if one.problem is not None or other.problem is None else other
    first, second = one.error, other.error
    worse = other if other.problem is not None and _share(second) > _share(first) else one
    assert worse.error is not None
    where = f"block from part {start}: {second.where}" if worse is other else worse.error.where
    error = worse.error.model_copy(
        update={
            "budget_used": _most(first.budget_used, second.budget_used),
            "p999": _most(first.p999, second.p999),
            "wrong": first.wrong + second.wrong,
            "total": first.total + second.total,
            "where": where,
        }
    )
    return worse.model_copy(update={"error": error})


def _share(error: ErrorSummary) -> float:
    return float("inf") if error.budget_used is None else error.budget_used


def _most(one: float | None, other: float | None) -> float | None:
    """The larger; None stands for what is not finite."""
    return None if one is None or other is None else max(one, other)
