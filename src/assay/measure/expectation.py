"""From a reference to what each output must be: truth, budget and the reliefs.

The rule: nothing here depends on any candidate, so one expectation serves them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import torch

from assay.data.contract import Stochastic
from assay.measure import bias
from assay.measure.budget import BudgetTerms, Sensitivity, error_budget, sensitivity, with_leaps
from assay.measure.comparison import compare
from assay.measure.evaluations import Arguments, Evaluations, evaluate
from assay.measure.joint import compare_all, defining_equations, unjudged
from assay.measure.output_expectation import (
    Compute,
    ExpectationRequest,
    OutputExpectation,
    Planted,
    Relief,
)
from assay.measure.own_roundings import ROUNDINGS
from assay.measure.planted import planted_runs, with_planted
from assay.measure.random_outputs import random_outputs
from assay.measure.rounding import accumulation_unit, all_finite, is_float, real_dtype

__all__ = [
    "Compute",
    "ExpectationRequest",
    "OutputExpectation",
    "Planted",
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
    arguments = Arguments(compute, inputs, state)
    if isinstance(request.contract, Stochastic):
        return random_outputs(arguments, request.contract)
    if request.planted is None:
        return _expectations(evaluate(arguments, request), arguments.inputs, request)
    runs = planted_runs(compute, inputs, state, request.planted)
    seen = evaluate(replace(arguments, inputs=runs.finite_inputs), request)
    finite = _expectations(seen, runs.finite_inputs, request)
    if finite[0].equations is not None:
        return tuple(unjudged(output) for output in finite)
    return tuple(with_planted(output, runs, i, seen.rounds) for i, output in enumerate(finite))


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
    forks = [fork[i] for fork in seen.forks]
    if request.exact:
        return _exact(plain, forks)
    return _exact(plain, [reference, *probes, *forks, *(probe[i] for probe in seen.coarse)])


def _differs(truth: torch.Tensor, others: list[torch.Tensor]) -> torch.Tensor | None:
    """Which elements some of the others have otherwise; None where there are none."""
    base = _parts(truth)
    found = torch.zeros(base.shape, dtype=torch.bool)
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
    probes, forks = [probe[i] for probe in seen.probes], [fork[i] for fork in seen.forks]
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
    terms = BudgetTerms(kept, _magnitude(kept, plain.dtype), error, spread, seen.n)
    budget = error_budget(terms, dtype)
    if seen.lost is not None and seen.lost.matter_to(budget) and seen.lost.outputs is not None:
        budget.add_(seen.lost.outputs[i], alpha=ROUNDINGS)
    largest = float(terms.magnitude.max()) if kept.numel() else 0.0
    relief = _forked(None if exact else _relief(response, reference, probes), kept, forks)
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


def _forked(relief: Relief | None, truth: torch.Tensor, forks: list[torch.Tensor]) -> Relief | None:
    """The relief with every way added in which codes beside a boundary may have gone."""
    if not forks:
        return relief
    values = torch.stack([_parts(fork).reshape(-1) for fork in forks])
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
