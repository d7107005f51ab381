"""Evaluations: every run of the reference that an expectation is made from.

The rule: one run at the task's precision, one in float64 and one for each probe, all on values
of our own; the reference never sees which run it is in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch

from assay.errors import TaskError
from assay.numerics.budget.equal_choices import ChoiceWatch, other_choices
from assay.numerics.budget.error_budget import (
    LONGEST_CHAIN,
    BudgetTerms,
    error_budget,
    growth,
    sensitivity,
)
from assay.numerics.budget.inner_roundings import InnerRoundings
from assay.numerics.budget.own_roundings import (
    LostDigits,
    OwnRoundings,
    collapsed,
    given_size,
    lost,
)
from assay.numerics.budget.perturbation import (
    OperandNoise,
    Perturbation,
    origins,
    with_symmetry,
)
from assay.numerics.budget.reduction import ReductionWatch
from assay.numerics.budget.rounded_codes import CodeWatch, Dictate, Rounded, kept
from assay.numerics.budget.rounding import (
    accumulation_dtype,
    accumulation_unit,
    is_float,
    real_dtype,
)
from assay.numerics.budget.rounding_alternatives import (
    RoundedRuns,
    open_codes,
    rounding_alternative,
    rounds_otherwise,
    undefined_codes,
)
from assay.numerics.budget.sequential_sums import SequentialSums
from assay.numerics.contracts.decomposed import Decomposed, DecompositionWatch, returned_whole
from assay.numerics.output_expectation import Compute, ExpectationRequest, NamedOutputs

# How many times as far as one cut to TF32 a product may be: it does not grow with the length of
# the sum, and four probes may see half of the response where an honest kernel is five sigma off.
_TF32_ROUNDINGS = 16.0
_SHORT_CHAIN = 64  # terms: random roundings and one-sided ones pile up alike
_ILL = 2.0**-6  # of the largest output: a probe that carries one further shows cancellation


@dataclass(frozen=True)
class ReferenceArguments:
    """What the reference is called with."""

    compute: Compute
    inputs: Sequence[Any]
    state: Mapping[str, torch.Tensor]

    def wide(self) -> tuple[torch.Tensor, ...]:
        """The outputs in float64."""
        return _tensors(self.compute(self.inputs, self.state, True))


@dataclass(frozen=True)
class Evaluations:
    """The reference at the task's precision, in float64, and in float64 at the probes."""

    names: tuple[str, ...]
    reference: tuple[torch.Tensor, ...]
    truth: tuple[torch.Tensor, ...]
    lost: LostDigits | None  # by float64 itself, where little is left of the inputs
    sequential: tuple[torch.Tensor, ...] | None  # by running sums, where they are long
    probes: list[tuple[torch.Tensor, ...]]
    coarse: list[tuple[torch.Tensor, ...]]  # one rounding of a 16-bit input away; integers only
    alternatives: list[tuple[torch.Tensor, ...]]  # codes beside a boundary gone the other way
    undefined: list[tuple[torch.Tensor, ...]]  # other integers for a NaN, others of equals
    rounds: bool  # numbers are rounded to codes on the way
    decomposed: Decomposed | None  # where the outputs are a decomposition of something
    scale: float  # of the probes, in roundings
    n: int


def _tensors(outputs: NamedOutputs) -> tuple[torch.Tensor, ...]:
    return tuple(tensor.detach().resolve_conj() for tensor in outputs.tensors)


def evaluate(arguments: ReferenceArguments, request: ExpectationRequest) -> Evaluations:
    """Run the reference as often as the request asks for; codes stay those of the truth."""
    codes, decompositions, choices = CodeWatch(), DecompositionWatch(), ChoiceWatch()
    with codes, decompositions, choices:
        truth = arguments.wide()
    keep = kept([rounded.codes for rounded in codes.seen]) if codes.seen else None
    watch = ReductionWatch()
    own = CodeWatch(keep, watch)
    with own, watch:
        outputs = arguments.compute(arguments.inputs, arguments.state, False)
    reference = _tensors(outputs)
    n = request.n or watch.longest
    request = replace(request, n=n)
    # Probing with the whole growth at once measures what the budget multiplies S up to: it stays
    # in float64's range for 64-bit tasks and steps over jumps an honest kernel may step over.
    scale = growth(n)
    watches = [CodeWatch(keep) for _ in range(request.probes if codes.seen else 0)]
    probes = _probe(arguments, request, scale * _unit(reference, arguments.inputs), watches)
    coarse = _coarse_probes(arguments, request, reference)
    seen = [w.seen for w in watches]
    runs = _rounded_runs(codes.seen, own.seen, seen, scale)
    alternatives = _alternatives(arguments, request, runs)
    if rounds_otherwise(runs):
        alternatives.append(_tensors(arguments.compute(arguments.inputs, arguments.state, False)))
    undefined = [_dictated(arguments, dictate) for dictate in undefined_codes(runs)]
    undefined += other_choices(lambda: _dictated(arguments, keep), choices.most)
    return Evaluations(
        outputs.names,
        reference,
        truth,
        _lost(arguments, request, truth, keep),
        _sequential(arguments, reference, keep) if n > _covered(truth, probes) else None,
        probes,
        coarse,
        alternatives,
        undefined,
        rounds=bool(codes.seen),
        decomposed=_decomposed(arguments, request, returned_whole(decompositions.seen, truth), n),
        scale=scale,
        n=n,
    )


def _lost(
    arguments: ReferenceArguments,
    request: ExpectationRequest,
    truth: tuple[torch.Tensor, ...],
    keep: Dictate | None,
) -> LostDigits | None:
    """What the truth lacks of itself; None where that is not to be seen."""
    if not collapsed(truth, arguments.inputs):
        return None

    def differences() -> tuple[torch.Tensor, ...] | None:
        with CodeWatch(keep), OwnRoundings(request.seed):
            again = arguments.wide()
        if len(again) != len(truth):  # a buffer that only roundings changed
            return None
        pairs = zip(truth, again, strict=True)
        return tuple(lost(one, other, arguments.inputs) for one, other in pairs)

    return LostDigits(given_size(arguments.inputs), differences)


def _covered(truth: tuple[torch.Tensor, ...], probes: list[tuple[torch.Tensor, ...]]) -> int:
    """Up to how many terms the budget covers every running sum.

    Fewer where the probes carry an output as far as a sixty-fourth of its size: layer norm of rows
    whose mean is far from 0, by two running sums of 1024 terms, used 1.04 of a budget without Q.
    """
    for probe in probes[:1]:
        for one, moved in zip(truth, probe, strict=False):
            if is_float(one.dtype) and one.numel() and one.shape == moved.shape:
                change = (moved - one).abs().nan_to_num_(0.0, 0.0, 0.0).max()
                if bool(change > _ILL * one.abs().nan_to_num(0.0, 0.0, 0.0).max()):
                    return _SHORT_CHAIN
    return LONGEST_CHAIN


def _sequential(
    arguments: ReferenceArguments, reference: tuple[torch.Tensor, ...], keep: Dictate | None
) -> tuple[torch.Tensor, ...] | None:
    """The outputs as running sums make them; None where nothing rounds."""
    dtypes = {accumulation_dtype(t.dtype) for t in reference if is_float(t.dtype)}
    if not dtypes:
        return None
    dtype = torch.float32 if torch.float32 in dtypes else torch.float64
    with CodeWatch(keep), SequentialSums(dtype, _SHORT_CHAIN):
        outputs = arguments.wide()
    return outputs if len(outputs) == len(reference) else None


def _decomposed(
    arguments: ReferenceArguments, request: ExpectationRequest, found: Decomposed | None, n: int
) -> Decomposed | None:
    """With the budget of its operand, where that is computed and not given."""
    tensors = [v for v in arguments.inputs if isinstance(v, torch.Tensor)]
    if found is None or any(_is(found.operand, t) for t in tensors):
        return found
    watches = [DecompositionWatch() for _ in range(request.probes + 1)]
    with watches[0]:
        outputs = arguments.compute(arguments.inputs, arguments.state, False)
    scale = growth(n)
    _probe(arguments, request, scale * _unit(_tensors(outputs), arguments.inputs), watches[1:])
    own, *probes = [w.seen[found.number].operand for w in watches if len(w.seen) > found.number]
    truth = _parts(found.operand)
    spread = sensitivity(truth, [_parts(probe) for probe in probes], scale).rms
    terms = BudgetTerms(truth, truth.abs(), (_parts(own) - truth).abs(), spread, n)
    budget = error_budget(terms, real_dtype(own.dtype))
    if found.operand.is_complex():
        budget = torch.linalg.vector_norm(budget, dim=-1)
    return replace(found, budget=budget)


def _is(operand: torch.Tensor, value: torch.Tensor) -> bool:
    return operand.shape == value.shape and torch.equal(operand, value.to(operand.dtype))


def _parts(value: torch.Tensor) -> torch.Tensor:
    wide = torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
    return wide.to(torch.float64).contiguous()


def _rounded_runs(
    truth: list[Rounded], own: list[Rounded], probes: list[list[Rounded]], scale: float
) -> list[RoundedRuns]:
    """Each rounding in all runs; none where the run at the task's precision went another way."""
    if len(own) != len(truth):
        return []
    same = [seen for seen in probes if len(seen) == len(truth)]
    return [
        RoundedRuns(one, own[i], tuple(seen[i] for seen in same), scale)
        for i, one in enumerate(truth)
    ]


def _alternatives(
    arguments: ReferenceArguments, request: ExpectationRequest, runs: list[RoundedRuns]
) -> list[tuple[torch.Tensor, ...]]:
    """The truth for every way in which codes beside a boundary may go."""
    found = open_codes(runs, request.exact)
    outputs: list[tuple[torch.Tensor, ...]] = []

    if found:
        rounding_alternative(found, lambda dictate: outputs.append(_dictated(arguments, dictate)))
    return outputs


def _dictated(arguments: ReferenceArguments, dictate: Dictate | None) -> tuple[torch.Tensor, ...]:
    """The truth with other codes, or with those it makes itself."""
    with CodeWatch(dictate):
        return arguments.wide()


def _coarse_probes(
    arguments: ReferenceArguments, request: ExpectationRequest, reference: tuple[torch.Tensor, ...]
) -> list[tuple[torch.Tensor, ...]]:
    """A 16-bit reference rounds what it takes an argmax of; its indices may differ that far."""
    tensors = [v for v in arguments.inputs if isinstance(v, torch.Tensor)]
    narrow = [t.dtype for t in tensors if t.dtype.is_floating_point and t.dtype.itemsize <= 2]
    exact = all(is_float(t.dtype) for t in reference)
    if exact or request.exact or not narrow:
        return []
    return _probe(arguments, request, max(torch.finfo(dtype).eps for dtype in narrow))


def _unit(reference: Sequence[torch.Tensor], inputs: Sequence[Any]) -> float:
    """One rounding of the accumulation dtype: the widest one needed is the outputs' own."""
    dtypes = [t.dtype for t in reference if is_float(t.dtype)]
    dtypes = dtypes or [
        v.dtype for v in inputs if isinstance(v, torch.Tensor) and is_float(v.dtype)
    ]
    return max((accumulation_unit(dtype) for dtype in dtypes), default=2.0**-24)


def _probe(
    arguments: ReferenceArguments,
    request: ExpectationRequest,
    amplitude: float,
    watches: Sequence[CodeWatch | DecompositionWatch] = (),
) -> list[tuple[torch.Tensor, ...]]:
    """The last probe mirrors the first: a jump nearby is then stepped over by one of the two."""
    found = []
    inputs, state = (origins(v, amplitude) for v in (list(arguments.inputs), arguments.state))
    still = replace(arguments, inputs=inputs, state=state)
    request = replace(request, tf32=request.tf32 and _in_float32(arguments))
    for i in range(request.probes):
        last = 0 < i == request.probes - 1
        moved = Perturbation(request.seed + (0 if last else i), amplitude, mirrored=last)
        with watches[i] if watches else nullcontext():
            found.append(_probe_once(still, moved, request))
    return found


def _in_float32(arguments: ReferenceArguments) -> bool:
    """Whether there is anything that TF32 would shorten: 16-bit numbers fit into it."""
    values = [*arguments.inputs, *arguments.state.values()]
    dtypes = {value.dtype for value in values if isinstance(value, torch.Tensor)}
    return bool(dtypes & {torch.float32, torch.complex64})


def _probe_once(
    still: ReferenceArguments, perturbation: Perturbation, request: ExpectationRequest
) -> tuple[torch.Tensor, ...]:
    # State has its own signs: a seed far from every input's.
    weights = replace(perturbation, seed=perturbation.seed ^ 0x5DEECE66D)
    inputs, state = perturbation.from_origins(still.inputs), weights.from_origins(still.state)
    inner = replace(perturbation, seed=perturbation.seed ^ 0x2545F4914F6C)

    def answer(moved: Sequence[Any]) -> tuple[torch.Tensor, ...]:
        with InnerRoundings(inner, request.n or 1), _operands(perturbation, request.tf32):
            return ReferenceArguments(still.compute, moved, state).wide()

    try:
        return answer(inputs)
    except TaskError:  # a reference that refuses what is not symmetric
        mirrored = with_symmetry(still.inputs, inputs)
        if mirrored is None:
            raise
        return answer(mirrored)


def _operands(perturbation: Perturbation, shortened: bool) -> AbstractContextManager[Any]:
    """Operands of products as TF32 would cut them, where that is the policy."""
    if not shortened:
        return nullcontext()
    return OperandNoise(perturbation.seed, _TF32_ROUNDINGS, perturbation.mirrored)
