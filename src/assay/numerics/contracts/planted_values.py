"""Which outputs a planted NaN or infinity truly reaches, and what is right there.

The rule: an output depends on an element if it moves when that element takes some other finite
value, huge ones included. What does not move must be as if nothing had been planted, though the
non-finite value a reference manufactures there (0 x inf in a dense product) is excused, and so is
another number that only the planted value makes: a sort moves NaN to the end, however little the
row that becomes NaN was able to move while it was finite. Where an
infinity makes the answer infinite, NaN is right too: x - cx for (1 - c)x, and every compensated
sum, take an infinity from an infinity. Where the reference has the other infinity in float64, both
are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from assay.errors import TaskError
from assay.numerics.budget.equal_choices import ChoiceWatch, other_choices
from assay.numerics.budget.error_budget import growth, roundings
from assay.numerics.budget.rounding import accumulation_dtype, is_float, real_dtype, ulp
from assay.numerics.contracts.multiplied_zeros import (
    ZeroWatch,
    has_zero_codes,
    without_zero_codes,
)
from assay.numerics.output_expectation import (
    Compute,
    NonFinite,
    OutputExpectation,
    PlantedElement,
    Relief,
)

Outputs = tuple[torch.Tensor, ...]
_GROWTH = 8.0  # of an output, while the element grows by 2^32, or by 2^4 where it has 16 bits


@dataclass(frozen=True)
class PlantedRuns:
    """The reference with the element planted, at its limit, and at finite values."""

    value: float  # what was planted
    finite_inputs: list[Any]  # with the element at the scale of its tensor
    base: Outputs  # the truth at `finite_inputs`
    others: tuple[Outputs, ...]  # the truth at other finite values; `base` outside the domain
    planted: Outputs  # float64, as planted
    reference: Outputs  # at the task's precision, as planted
    limit: Outputs  # the truth at the largest finite value of the same sign
    choices: list[Outputs]  # float64, as planted, with others of equal elements selected
    filled: tuple[Outputs, ...]  # float64, at finite values, where no zero is multiplied


def planted_runs(
    compute: Compute, inputs: Sequence[Any], state: Mapping[str, torch.Tensor], at: PlantedElement
) -> PlantedRuns:
    """Every run of the reference that a planted element asks for."""
    target = inputs[at.input]
    if not isinstance(target, torch.Tensor) or not target.dtype.is_floating_point:
        raise TaskError(f"input {at.input} is no floating tensor: nothing can be planted in it")
    target = target.detach()
    value = float(target.reshape(-1)[at.element])

    def run(number: float, wide: bool = True) -> Outputs:
        return tuple(t.detach() for t in compute(_at(inputs, at, number), state, wide).tensors)

    def run_inside(number: float) -> Outputs:
        """A reference may refuse a number: a logarithm that raises for what is not positive."""
        try:
            return run(number)
        except TaskError:
            return base

    facts, scale = torch.finfo(target.dtype), _scale(target)
    base = run(scale)
    with ChoiceWatch() as choices, ZeroWatch() as zeros:
        planted = run(value)
    huge = 2.0 ** (torch.tensor(facts.max, dtype=torch.float64).log2().item() * 0.75 // 1)

    def run_filled(number: float) -> Outputs:
        given = [without_zero_codes(v) for v in _at(inputs, at, number)]
        kept = {name: without_zero_codes(v) for name, v in state.items()}
        with ZeroWatch(fill=True):
            return tuple(t.detach() for t in compute(given, kept, True).tensors)

    multiplies = zeros.seen or has_zero_codes(*inputs, *state.values())
    return PlantedRuns(
        value=value,
        finite_inputs=_at(inputs, at, scale),
        base=base,
        others=tuple(run_inside(v) for v in (0.0, 1.0, -1.0, -scale, huge, -huge)),
        planted=planted,
        reference=run(value, wide=False),
        limit=run(-facts.max if value < 0 else facts.max),
        choices=other_choices(lambda: run(value), choices.most),
        filled=tuple(map(run_filled, (scale, huge, -huge))) if multiplies else (),
    )


def with_planted(
    output: OutputExpectation, runs: PlantedRuns, i: int, rounds: bool = False
) -> OutputExpectation:
    """The expectation at the finite inputs, turned into that of the planted ones.

    Where numbers are rounded to codes on the way (`rounds`) what depends on the planted one is
    free: a code has no value that means NaN.
    """
    reference = runs.reference[i]
    if not is_float(output.dtype):
        return _with_planted_index(output, runs, i)
    moved = _moved(_parts(runs.base[i]), [_parts(other[i]) for other in runs.others])
    rules, truth = _rules(output, runs, i, moved)
    chosen = _moved(_parts(runs.planted[i]), [_parts(other[i]) for other in runs.choices])
    rules = replace(rules, free=chosen)
    budget = _following(output, truth, runs.reference[i])
    if rounds:
        rules = replace(rules, free=moved | chosen, must_be_nan=torch.zeros_like(moved))
    return replace(
        output,
        truth=truth,
        budget=budget,
        reference=reference,
        reference_bias=None,
        relief=_shifted(output, truth),
        non_finite=rules,
        special=True,
    )


def without_infinities(inputs: Sequence[Any], at: PlantedElement) -> Sequence[Any]:
    """The inputs with a number of their own size where an infinity stands beside a NaN."""
    if not at.infinite:
        return inputs
    changed, target = list(inputs), inputs[at.input].detach().clone()
    scale = _scale(target)
    for element in at.infinite:
        target[np.unravel_index(element, target.shape)] = scale
    changed[at.input] = target
    return changed


def beside_infinities(output: OutputExpectation, reference: torch.Tensor) -> OutputExpectation:
    """What is asked where infinities stand beside the NaN: that it is not lost among them.

    Only of elements that the NaN alone reaches, and that it reaches in the reference with the
    infinities too; what infinities by themselves make of an answer is asked elsewhere.
    """
    rules = output.non_finite
    if rules is None:
        return output
    if is_float(output.dtype):
        asked = rules.must_be_nan & ~rules.free & _parts(reference).isnan()
    else:
        asked = ~rules.free & (reference.to(output.truth.dtype) == output.truth)
    nan = rules.must_be_nan & asked
    rules = replace(rules, free=~asked, must_be_nan=nan)
    return replace(output, reference=reference, non_finite=rules)


def _shifted(output: OutputExpectation, truth: torch.Tensor) -> Relief | None:
    """What may still go either way: a mask in another row, from where the planted one leaves it."""
    if output.relief is None:
        return None
    index = output.relief.index
    moved, before = (_parts(value).reshape(-1)[index] for value in (truth, output.truth))
    return replace(output.relief, values=output.relief.values + (moved - before))


def _with_planted_index(output: OutputExpectation, runs: PlantedRuns, i: int) -> OutputExpectation:
    """Integers: an index that follows the planted element as it follows a huge one is demanded.

    An argmax goes to a NaN as it goes to the largest number there is. A number that was rounded to
    a code has no such answer, and stays free; so does one that the planted value moves and no
    finite one, as behind a clamp.
    """
    base, answer = output.truth, runs.planted[i].to(output.truth.dtype)
    *_, up, down = (other[i].to(base.dtype) for other in runs.others)
    still = torch.stack([other[i].to(base.dtype) == base for other in runs.others]).all(0)
    same = torch.ones(base.shape, dtype=torch.bool)
    for other in runs.choices:
        same &= other[i].to(base.dtype) == answer
    agreed = answer == runs.reference[i].to(base.dtype)
    index = (answer >= 0) & (output.dtype is torch.int64)  # what indices are; codes are narrower
    follows = agreed & index & ((answer == up) | (answer == down)) & ~still
    none = torch.zeros(base.shape, dtype=torch.bool)
    rules = NonFinite(
        ~(same & (follows | (still & agreed & (answer == base)))),
        none,
        none,
        none,
        answer,
        torch.ones(base.shape),
    )
    return replace(
        output,
        truth=torch.where(follows, answer, base),
        reference=runs.reference[i],
        non_finite=rules,
    )


def _at(inputs: Sequence[Any], at: PlantedElement, number: float) -> list[Any]:
    changed = list(inputs)
    target = changed[at.input].detach().clone()
    if target.dim():
        places = np.unravel_index(np.array((at.element, *at.more)), target.shape)
        target[tuple(map(torch.from_numpy, places))] = number
    else:
        target.fill_(number)
    changed[at.input] = target
    return changed


def _scale(target: torch.Tensor) -> float:
    """A value of the tensor's own size that no other element is likely to hold."""
    finite = target[target.isfinite()].to(torch.float64)
    return float(finite.abs().mean()) * 1.25 if finite.numel() else 0.5


def _moved(base: torch.Tensor, others: list[torch.Tensor]) -> torch.Tensor:
    moved = torch.zeros(base.shape, dtype=torch.bool)
    for other in others:
        moved |= (other != base) & ~(other.isnan() & base.isnan())
    return moved


def _rules(
    output: OutputExpectation, runs: PlantedRuns, i: int, moved: torch.Tensor
) -> tuple[NonFinite, torch.Tensor]:
    """Moved elements follow the reference (or the limit); the others stay as they were."""
    nan = runs.value != runs.value
    reference, truth = _parts(runs.reference[i]), _parts(output.truth)
    strange = ~reference.isfinite()
    must_be_nan = moved & reference.isnan() if nan else torch.zeros_like(moved)
    # A reference that turns NaN into a number (nansum, a comparison) is followed; NaN is too.
    excused = (~moved & strange) | (moved & ~strange if nan else torch.zeros_like(moved))
    planted, base = _parts(runs.planted[i]), truth
    if output.dtype.is_complex:  # a complex number is NaN where one of its parts is
        excused |= must_be_nan.flip(-1)
    if runs.filled:
        first, *others = (_parts(filled[i]) for filled in runs.filled)
        excused |= ~moved & _moved(first, others)
    # An infinity whose sign the reference's own roundings turn around has no right sign.
    excused |= moved & (planted == -reference) & reference.isinf()
    changed = ~moved & ~strange & planted.isfinite() & (planted != base)
    truth = torch.where(moved | changed, planted, base)
    limit = torch.where(changed, base, truth)
    limit = limit if nan else torch.where(moved, _parts(runs.limit[i]), limit)
    pole = None if nan else torch.where(moved, _pole(runs, i), 0.0)
    largest = torch.finfo(real_dtype(output.dtype)).max
    limit = torch.where(limit.abs() > largest, limit.sign() * torch.inf, limit)
    rules = NonFinite(
        free=torch.zeros_like(moved),
        must_be_nan=must_be_nan,
        # What the reference itself says is no wrong answer: torch's vectorised GELU of inf is NaN.
        may_be_nan=moved & (reference.isnan() | (truth.isinf() & reference.isinf())),
        may_be_non_finite=excused,
        limit=limit,
        limit_budget=_limit_budget(output, limit),
        pole=pole,
    )
    whole = torch.view_as_complex(truth.contiguous()) if output.dtype.is_complex else truth
    return rules, whole


def _following(
    output: OutputExpectation, truth: torch.Tensor, reference: torch.Tensor
) -> torch.Tensor:
    """The budget; where a larger number has taken an element's place it is rounded as that one."""
    assert output.budget is not None
    before, after = _parts(output.truth), _parts(truth)
    error = (_parts(reference) - after).abs_()
    replaced = (after != before) & error.isfinite()
    dtype = real_dtype(output.dtype)
    more = roundings(after, dtype, 1) - roundings(before, dtype, 1)
    more = more.clamp_(min=0.0).add_(error, alpha=4.0)
    return output.budget + torch.where(replaced, more, 0.0).view_as(output.budget)


def _pole(runs: PlantedRuns, i: int) -> torch.Tensor:
    """The infinity that each output tends to with the element, zero where it tends to none.

    A mean of a thousand elements is still finite where one of them is the largest there is.
    """
    *_, up, down = runs.others
    near, far = _parts((up if runs.value > 0 else down)[i]), _parts(runs.limit[i])
    grows = (far.abs() > _GROWTH * near.abs()) & (far.sign() == near.sign())
    return torch.where(grows, far.sign() * torch.inf, 0.0)


def _limit_budget(output: OutputExpectation, limit: torch.Tensor) -> torch.Tensor:
    """Generous: at the largest finite value only the kind of answer is in question."""
    assert output.budget is not None
    dtype = real_dtype(output.dtype)
    known = torch.where(limit.isfinite(), limit, 0.0)
    coarse = ulp(known, dtype) + growth(1) * ulp(known, accumulation_dtype(dtype))
    return output.budget + 4.0 * coarse


def _parts(value: torch.Tensor) -> torch.Tensor:
    if value.dtype.is_complex:
        return torch.view_as_real(value.to(torch.complex128).resolve_conj())
    return value.to(torch.float64)
