"""Admission: what a trial on the reference shows of a workload.

The rule: a workload is admitted where the reference runs, stays finite and is accurate to 1 %; one
that a null answer would pass as well is dull, and gives way to a milder one.

Informative workloads: whether an answer could have been had without computing.

The rule: a workload to which zeros, ones, a constant or the answer to zeros come near proves
nothing. Near is coarse on purpose, 2^-10 of the largest value: far beyond any error budget, so what
passes for informative here is informative to the judge as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch

from assay.data.workload import Distribution
from assay.errors import TaskError
from assay.tasks.references.bound_reference import BoundReference
from assay.tasks.values.special_rows import follows_mask
from assay.tasks.values.value_generators import DRAWERS

NEAR = 2.0**-10

Answer = Sequence[torch.Tensor]


def is_informative(answer: Answer, at_zero: Answer) -> bool:
    """True where each null answer is wrong in some output; an empty answer tells what it can."""
    if not any(tensor.numel() for tensor in answer):
        return True
    nulls = [[_filled(tensor, value) for tensor in answer] for value in (0.0, 1.0)]
    if any(tensor.numel() > 1 for tensor in answer):  # of one number the mean is the answer
        nulls.append([_filled(tensor, _mean(tensor)) for tensor in answer])
    if len(at_zero) == len(answer):
        nulls.append(list(at_zero))
    return not any(_near(answer, null) for null in nulls)


def _filled(tensor: torch.Tensor, value: float) -> torch.Tensor:
    return torch.full_like(tensor, value) if tensor.numel() else tensor


def _mean(tensor: torch.Tensor) -> float:
    if not tensor.numel() or tensor.is_complex():
        return 0.0
    mean = float(tensor.double().mean())
    return mean if tensor.is_floating_point() else round(mean)


def _near(answer: Answer, null: Answer) -> bool:
    """True where every output of `null` comes near that of `answer`."""
    return all(_close(a, b) for a, b in zip(answer, null, strict=True))


def _close(answer: torch.Tensor, null: torch.Tensor) -> bool:
    if answer.shape != null.shape or not answer.numel():
        return answer.shape == null.shape
    if not (answer.is_floating_point() or answer.is_complex()):
        return torch.equal(answer, null)
    apart = (answer - null).abs().max()
    return bool(apart <= NEAR * answer.abs().max())


MAX_RELATIVE_ERROR = 0.01
_LOWEST = -24576.0  # below what is drawn, and a number of every floating dtype
_NON_FINITE = (Distribution.NAN, Distribution.INF, Distribution.NANS, Distribution.BESIDE_INF)


class Admission(Enum):
    """The outcome of a trial."""

    REFUSED = "refused"  # it does not run, is not finite or not accurate
    DULL = "dull"  # it runs, but a null answer would pass
    INFORMATIVE = "informative"


@dataclass(frozen=True)
class Drawing:
    """Inputs and weights of one trial, and how the inputs were drawn."""

    inputs: tuple[Any, ...]
    state: Mapping[str, torch.Tensor]
    distribution: Distribution


def examine(bound: BoundReference, drawing: Drawing, stochastic: bool) -> Admission:
    """Runs the reference; of a planted value, or of a random operator, running is enough."""
    try:
        own = bound(drawing.inputs, drawing.state, wide=False)
        if drawing.distribution in _NON_FINITE:
            return Admission.INFORMATIVE
        if stochastic:
            finite = all(bool(tensor.isfinite().all()) for tensor in own.tensors)
            return Admission.INFORMATIVE if finite else Admission.REFUSED
        truth = bound(drawing.inputs, drawing.state, wide=True)
    except TaskError:
        return Admission.REFUSED
    pairs = list(zip(own.tensors, truth.tensors, strict=False))
    if drawing.distribution is Distribution.MINUS_INF:
        followed = all(_follow_mask(drawing, *pair) for pair in pairs)
        if not followed and not _selects_infinities(bound, drawing, own.tensors):
            return Admission.REFUSED
        pairs = [(_without_mask(a), _without_mask(b)) for a, b in pairs]
    if own.names != truth.names or not all(_agree(a, b) for a, b in pairs):
        return Admission.REFUSED
    if drawing.distribution is not Distribution.OWN and drawing.distribution not in DRAWERS:
        return Admission.INFORMATIVE
    at_zero = _at_zero(bound, drawing)
    return Admission.INFORMATIVE if is_informative(own.tensors, at_zero) else Admission.DULL


def _follow_mask(drawing: Drawing, own: torch.Tensor, truth: torch.Tensor) -> bool:
    return follows_mask(drawing.inputs, own) and follows_mask(drawing.inputs, truth)


def _selects_infinities(bound: BoundReference, drawing: Drawing, answer: Answer) -> bool:
    """Whether a minus infinity in the answer was only chosen, as the maximum of a window is.

    Then a finite number in its place comes out as it is; a sum of such would be another number.
    """
    inputs = [_replaced(value) for value in drawing.inputs]
    try:
        finite = bound(inputs, drawing.state, wide=False).tensors
    except TaskError:
        return False
    pairs = list(zip(answer, finite, strict=False))
    return len(answer) == len(finite) and all(_is_chosen(*pair) for pair in pairs)


def _replaced(value: Any) -> Any:
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.masked_fill(value.isneginf(), _LOWEST) if floating else value


def _is_chosen(answer: torch.Tensor, finite: torch.Tensor) -> bool:
    if not answer.is_floating_point():
        return True
    strange = ~answer.isfinite()
    return bool((answer.isneginf() == strange).all() & (finite[strange] == _LOWEST).all())


def _without_mask(answer: torch.Tensor) -> torch.Tensor:
    floating = answer.is_floating_point()
    return answer.masked_fill(answer.isneginf(), 0.0) if floating else answer


def _at_zero(bound: BoundReference, drawing: Drawing) -> tuple[torch.Tensor, ...]:
    """The answer where every float input is zero; nothing where that does not run."""
    zeros = [
        torch.zeros_like(value)
        if isinstance(value, torch.Tensor) and value.is_floating_point()
        else value
        for value in drawing.inputs
    ]
    try:
        return bound(zeros, drawing.state, wide=False).tensors
    except TaskError:
        return ()


def _agree(own: torch.Tensor, truth: torch.Tensor) -> bool:
    """Accurate, or but for signs and phases: those of eigenvectors are nobody's."""
    if accurate(own, truth):
        return True
    signed = all(one.is_floating_point() or one.is_complex() for one in (own, truth))
    return signed and accurate(own.abs(), truth.abs())


def accurate(own: torch.Tensor, truth: torch.Tensor) -> bool:
    """Both finite, and apart by less than 1 % of the largest true value; integers equal."""
    if own.shape != truth.shape:
        return False
    if not (own.is_floating_point() or own.is_complex()):
        return torch.equal(own, truth.to(own.dtype))
    if not (own.isfinite().all() and truth.isfinite().all()):
        return False
    if own.numel() == 0:
        return True
    error = (own.to(truth.dtype) - truth).abs().max()
    return bool(error <= MAX_RELATIVE_ERROR * truth.abs().max())
