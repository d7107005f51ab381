"""Evaluations: every run of the reference that an expectation is made from.

The rule: one run at the task's precision, one in float64 and one for each probe, all on values
of our own; the reference never sees which run it is in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from assay.measure.budget import growth
from assay.measure.output_expectation import Compute, ExpectationRequest, NamedOutputs
from assay.measure.perturbation import OperandNoise, Perturbation
from assay.measure.reduction import ReductionWatch
from assay.measure.rounding import accumulation_unit, is_float


@dataclass(frozen=True)
class Arguments:
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
    probes: list[tuple[torch.Tensor, ...]]
    coarse: list[tuple[torch.Tensor, ...]]  # one rounding of a 16-bit input away; integers only
    scale: float  # of the probes, in roundings
    n: int


def _tensors(outputs: NamedOutputs) -> tuple[torch.Tensor, ...]:
    return tuple(tensor.detach().resolve_conj() for tensor in outputs.tensors)


def evaluate(arguments: Arguments, request: ExpectationRequest) -> Evaluations:
    """Run the reference as often as the request asks for."""
    watch = ReductionWatch()
    with watch:
        outputs = arguments.compute(arguments.inputs, arguments.state, False)
    reference = _tensors(outputs)
    n = request.n or watch.longest
    # Probing with the whole growth at once measures what the budget multiplies S up to: it stays
    # in float64's range for 64-bit tasks and steps over jumps an honest kernel may step over.
    scale = 1.0 if request.tf32 else growth(n)
    probes = _probe(arguments, request, scale * _unit(reference, arguments.inputs))
    coarse = _coarse_probes(arguments, request, reference)
    return Evaluations(outputs.names, reference, arguments.wide(), probes, coarse, scale, n)


def _coarse_probes(
    arguments: Arguments, request: ExpectationRequest, reference: tuple[torch.Tensor, ...]
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
    arguments: Arguments, request: ExpectationRequest, amplitude: float
) -> list[tuple[torch.Tensor, ...]]:
    """The last probe mirrors the first: a jump nearby is then stepped over by one of the two."""
    found = []
    for i in range(request.probes):
        last = 0 < i == request.probes - 1
        moved = Perturbation(request.seed + (0 if last else i), amplitude, mirrored=last)
        found.append(_probe_once(arguments, moved, request.tf32))
    return found


def _probe_once(
    arguments: Arguments, perturbation: Perturbation, tf32: bool
) -> tuple[torch.Tensor, ...]:
    # State has its own signs: a seed far from every input's.
    weights = replace(perturbation, seed=perturbation.seed ^ 0x5DEECE66D)
    moved = Arguments(
        arguments.compute, perturbation.of(list(arguments.inputs)), weights.of(arguments.state)
    )
    if not tf32:
        return moved.wide()
    with OperandNoise(perturbation.seed):
        return moved.wide()
