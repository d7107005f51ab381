"""Admission: what a trial on the reference shows of a workload.

The rule: a workload is admitted where the reference runs, stays finite and is accurate to 1 %; one
that a null answer would pass as well is dull, and gives way to a milder one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch

from assay.data.workload import Distribution
from assay.errors import TaskError
from assay.tasks.bound import BoundReference
from assay.tasks.drawers import DRAWERS
from assay.tasks.telling import is_telling

MAX_RELATIVE_ERROR = 0.01
_NON_FINITE = (Distribution.NAN, Distribution.INF)


class Admission(Enum):
    """The outcome of a trial."""

    REFUSED = "refused"  # it does not run, is not finite or not accurate
    DULL = "dull"  # it runs, but a null answer would pass
    TELLING = "telling"


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
            return Admission.TELLING
        if stochastic:
            finite = all(bool(tensor.isfinite().all()) for tensor in own.tensors)
            return Admission.TELLING if finite else Admission.REFUSED
        truth = bound(drawing.inputs, drawing.state, wide=True)
    except TaskError:
        return Admission.REFUSED
    pairs = zip(own.tensors, truth.tensors, strict=False)
    if own.names != truth.names or not all(_agree(a, b) for a, b in pairs):
        return Admission.REFUSED
    if drawing.distribution is not Distribution.OWN and drawing.distribution not in DRAWERS:
        return Admission.TELLING
    at_zero = _at_zero(bound, drawing)
    return Admission.TELLING if is_telling(own.tensors, at_zero) else Admission.DULL


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
    """Accurate, or but for signs: those of eigenvectors are nobody's."""
    if accurate(own, truth):
        return True
    floating = own.is_floating_point() and truth.is_floating_point()
    return floating and accurate(own.abs(), truth.abs())


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
