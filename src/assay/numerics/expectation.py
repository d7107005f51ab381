"""From a reference to what each output must be: truth, budget and the reliefs.

The rule: nothing here depends on any candidate, so one expectation serves them all.

Random outputs: the expectation of a task that draws random numbers.

The rule: the reference is run once, for the form of its output; its numbers are nobody's model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import torch

from assay.data.contract import Stochastic
from assay.errors import TaskError
from assay.numerics.budget import bias
from assay.numerics.budget.error_budget import (
    BudgetTerms,
    Sensitivity,
    error_budget,
    sensitivity,
    with_leaps,
)
from assay.numerics.budget.own_roundings import ROUNDINGS
from assay.numerics.budget.rounding import accumulation_unit, all_finite, is_float, real_dtype
from assay.numerics.comparison import compare
from assay.numerics.contracts.planted_values import (
    beside_infinities,
    planted_runs,
    with_planted,
    without_infinities,
)
from assay.numerics.contracts.random_draws import Draws
from assay.numerics.evaluations import Evaluations, ReferenceArguments, evaluate
from assay.numerics.joint_outputs import compare_all, defining_equations, unjudged
from assay.numerics.output_expectation import (
    Compute,
    ExpectationRequest,
    OutputExpectation,
    PlantedElement,
    Relief,
)


def random_outputs(
    arguments: ReferenceArguments, contract: Stochastic
) -> tuple[OutputExpectation, ...]:
    """The one output, and the law it follows given the first input."""
    outputs = arguments.compute(arguments.inputs, arguments.state, False)
    tensors = [v for v in arguments.inputs if isinstance(v, torch.Tensor)]
    if len(outputs.tensors) != 1 or not tensors or outputs.tensors[0].shape != tensors[0].shape:
        law = contract.law.value
        raise TaskError(f"a {law} task returns one tensor of the shape of its first input")
    made, operand = outputs.tensors[0].detach(), tensors[0].detach().double()
    draws = Draws(contract.law, contract.rate, operand, made.dtype)
    expectation = OutputExpectation(
        name=outputs.names[0],
        shape=tuple(made.shape),
        dtype=made.dtype,
        truth=made.double(),
        budget=None,
        reference=made,
        draws=draws,
    )
    return (expectation,)


__all__ = [
    "Compute",
    "ExpectationRequest",
    "OutputExpectation",
    "PlantedElement",
    "compare",
    "compare_all",
    "expect",
]


def expect(
    compute: Compute,
    inputs: Sequence[Any],
    state: Mapping[str, torch.Tensor],
    request: ExpectationRequest,
) -> tuple[OutputExpectation, ...]:
    """What each output of `compute` must be on these inputs and this state."""
    arguments = ReferenceArguments(compute, inputs, state)
    if isinstance(request.contract, Stochastic):
        return random_outputs(arguments, request.contract)
    if request.planted is None:
        found = _expectations(evaluate(arguments, request), arguments.inputs, request)
        return tuple(replace(output, masked=request.masked) for output in found)
    runs = planted_runs(
        compute, without_infinities(inputs, request.planted), state, request.planted
    )
    seen = evaluate(replace(arguments, inputs=runs.finite_inputs), request)
    finite = _expectations(seen, runs.finite_inputs, request)
    if finite[0].equations is not None:
        return tuple(unjudged(output) for output in finite)
    found = tuple(with_planted(output, runs, i, seen.rounds) for i, output in enumerate(finite))
    if not request.planted.infinite:
        return found
    beside = compute(inputs, state, False).tensors
    pairs = zip(found, beside, strict=True)
    return tuple(beside_infinities(output, tensor.detach()) for output, tensor in pairs)


def _expectations(
    seen: Evaluations, inputs: Sequence[Any], request: ExpectationRequest
) -> tuple[OutputExpectation, ...]:
    found = tuple(_expectation(seen, i, request) for i in range(len(seen.names)))
    equations = defining_equations(seen, inputs, request)
    if equations is None:
        return found
    # The reference is held to the same: where it misses them the workload is out of domain.
    held = all(bool((one.share <= 1.0).all()) for one in equations.residuals(seen.reference))
    error = 0.0 if held else inf
    return tuple(replace(one, equations=equations, reference_error=error) for one in found)


def _expectation(seen: Evaluations, i: int, request: ExpectationRequest) -> OutputExpectation:
    reference = seen.reference[i]
    probes = [probe[i] for probe in seen.probes]
    plain = OutputExpectation(
        name=seen.names[i],
        shape=tuple(reference.shape),
        dtype=reference.dtype,
        truth=seen.truth[i],
        budget=None,
        reference=reference,
    )
    undefined = _differs(plain.truth, [run[i] for run in seen.undefined])
    plain = replace(plain, undefined=undefined, special=undefined is not None)
    if is_float(reference.dtype):
        return _floating(plain, i, seen, request)
    alternatives = [fork[i] for fork in seen.alternatives]
    if request.exact:
        return _exact(plain, alternatives)
    return _exact(plain, [reference, *probes, *alternatives, *(probe[i] for probe in seen.coarse)])


def _differs(truth: torch.Tensor, others: list[torch.Tensor]) -> torch.Tensor | None:
    """Which elements some of the others have otherwise; None where there are none."""
    base = _parts(truth)
    found = torch.zeros(base.shape, dtype=torch.bool, device=base.device)
    for other in map(_parts, others):
        found |= (other != base) & ~(other.isnan() & base.isnan())
    return found if bool(found.any()) else None


def _exact(plain: OutputExpectation, others: list[torch.Tensor]) -> OutputExpectation:
    """Integers and booleans; relief where a neighbour or the reference itself says otherwise."""
    truth = plain.truth.to(plain.dtype)
    if not others:
        return replace(plain, truth=truth)
    values = torch.stack([other.to(plain.dtype).reshape(-1) for other in others])
    index = (values != truth.reshape(1, -1)).any(0).nonzero().reshape(-1)
    relief = Relief(index, values[:, index]) if index.numel() else None
    return replace(plain, truth=truth, relief=relief)


def _floating(
    plain: OutputExpectation, i: int, seen: Evaluations, request: ExpectationRequest
) -> OutputExpectation:
    probes, alternatives = (
        [probe[i] for probe in seen.probes],
        [fork[i] for fork in seen.alternatives],
    )
    dtype = real_dtype(plain.dtype)
    truth, reference = _parts(plain.truth), _parts(plain.reference)
    kept, error = truth, (reference - truth).abs_()
    finite = all_finite(error)
    if not finite:
        known = truth.isfinite()
        kept = truth.masked_fill(~known, 0.0)
        error.masked_fill_(~(known & error.isfinite()), 0.0)
    response = sensitivity(kept, [_parts(probe) for probe in probes], seen.scale)
    response = with_leaps(response, error, kept)
    if response.jumps is not None:
        error.view(-1)[response.jumps] = 0.0
    exact = request.exact and not request.tf32 and _is_exact(kept, error, dtype)
    spread = _level(kept, dtype) if exact else response.rms
    running = _running_error(kept, seen, i, response)
    terms = BudgetTerms(kept, _magnitude(kept, plain.dtype), error, spread, seen.n, running)
    budget = error_budget(terms, dtype)
    if seen.lost is not None and seen.lost.matter_to(budget) and seen.lost.outputs is not None:
        budget.add_(seen.lost.outputs[i], alpha=ROUNDINGS)
    largest = float(terms.magnitude.max()) if kept.numel() else 0.0
    relief = _with_alternatives(
        None if exact else _relief(response, reference, probes), kept, alternatives
    )
    return replace(
        plain,
        truth=plain.truth.to(torch.complex128 if plain.dtype.is_complex else torch.float64),
        budget=budget,
        reference_error=_relative(float(error.max()) if kept.numel() else 0.0, largest),
        reference_bias=bias.mean_error(reference, kept, dtype)
        if bias.applies(kept, dtype) and plain.undefined is None
        else None,
        relief=relief and replace(relief, n=seen.n),
        special=plain.special or not finite or largest > 0.5 * torch.finfo(dtype).max,
    )


def _running_error(
    truth: torch.Tensor, seen: Evaluations, i: int, response: Sensitivity
) -> torch.Tensor | None:
    """How far running sums are off; 0 where they say nothing, None where they are short."""
    if seen.sequential is None or seen.sequential[i].shape != seen.truth[i].shape:
        return None
    error = (_parts(seen.sequential[i]) - truth).abs_().nan_to_num_(0.0, 0.0, 0.0)
    if response.jumps is not None:
        error.view(-1)[response.jumps] = 0.0
    return error


def _relative(error: float, scale: float) -> float:
    if scale > 0.0:
        return error / scale
    return inf if error > 0.0 else 0.0


def _parts(value: torch.Tensor) -> torch.Tensor:
    if value.dtype.is_complex:
        return torch.view_as_real(value.to(torch.complex128)).contiguous()
    return value.to(torch.float64).contiguous()


def _magnitude(parts: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """A complex product rounds in proportion to the whole number, not to its smaller part."""
    if not dtype.is_complex:
        return parts.abs()
    whole = parts.square().sum(-1, keepdim=True).sqrt_()
    return whole.expand(parts.shape).contiguous()


def _is_exact(truth: torch.Tensor, error: torch.Tensor, dtype: torch.dtype) -> bool:
    """Whether the reference shows that nothing is rounded on the way."""
    rounded = truth.to(dtype).to(torch.float64)
    return bool(truth.numel()) and bool((error <= (rounded - truth).abs()).all())


def _level(truth: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """S of an operation that is exact on exact inputs: u·rms(T)."""
    level = float(truth.square().mean().sqrt()) * accumulation_unit(dtype)
    return torch.full_like(truth, level)


def _relief(
    response: Sensitivity, reference: torch.Tensor, probes: list[torch.Tensor]
) -> Relief | None:
    if response.sides is None:
        return None
    others = [reference, *(_parts(probe) for probe in probes)]
    values = torch.stack([value.reshape(-1)[response.sides] for value in others])
    return Relief(response.sides, values)


def _with_alternatives(
    relief: Relief | None, truth: torch.Tensor, alternatives: list[torch.Tensor]
) -> Relief | None:
    """The relief with every way added in which codes beside a boundary may have gone."""
    if not alternatives:
        return relief
    values = torch.stack([_parts(fork).reshape(-1) for fork in alternatives])
    index = (values != truth.reshape(1, -1)).any(0).nonzero().reshape(-1)
    forked = Relief(index, values[:, index]) if index.numel() else None
    if relief is None or forked is None:
        return relief or forked
    return _joined(relief, forked, truth)


def _joined(one: Relief, other: Relief, truth: torch.Tensor) -> Relief:
    """Both; where only one of them knows an element, the truth stands in for the other."""
    index = torch.cat([one.index, other.index]).unique()
    rows = []
    for relief in (one, other):
        values = truth.reshape(-1)[index].repeat(len(relief.values), 1)
        values[:, torch.searchsorted(index, relief.index)] = relief.values
        rows.append(values)
    return Relief(index, torch.cat(rows))
