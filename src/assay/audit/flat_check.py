"""Flat check: which null answers a task's own benchmark would accept.

The rule: it is made as such benchmarks make it - weights as constructed, the task's own generator,
`torch.allclose` - and as near to the task's own shape as a few seconds allow: the batch shrinks
first, other sizes only where one call would take too long.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from assay.audit.null_trials import OTHER_DRAWS, AuditDeadline, in_stages, tried
from assay.data.workload import Workload
from assay.errors import TaskError
from assay.exam.workloads.shape_points import Point, Points
from assay.numerics.null_answers import Answer, Null, NullMaterial, passes_flat
from assay.tasks.references.reference import BoundReference, Reference
from assay.tasks.references.reference_outputs import BUFFER_PREFIX
from assay.tasks.shapes.shapes_only import SizeLimit

TOLERANCES = (1e-4, 1e-2)  # of float32 and of 16-bit runs in the KernelBench family
NEAR_OWN_BATCH = 4
INPUT_ELEMENTS = (1 << 22, 1 << 20, 1 << 18, 1 << 16)
RESULT_ELEMENTS = 1 << 27
MULTIPLICATIONS = 1 << 33  # about a second on one core
SLOW_CALL_S = 2.0
SECONDS = 4.0  # for null answers that need another run of the reference
HEAVY_STATE = 1 << 27  # parameters: 8192 squared are built in two seconds
_SEED = 1789
_WEIGHT_SEED = 1815  # another one: the same would make weights and inputs one random stream


@dataclass(frozen=True)
class FlatResult:
    """The tightest tolerance that accepts each null answer, and where that was asked."""

    axes: Point
    tolerances: dict[Null, float]
    untried: int


def flat_check(reference: Reference) -> FlatResult | None:
    """None where the reference runs at none of the points."""
    points = list(_points(reference))
    for point in points:
        material = _material(reference, point, patient=point is points[-1])
        if material is not None:
            return _asked(point, material)
    return None


def _points(reference: Reference) -> Iterator[Point]:
    """The own point with a small batch, then ever smaller ones."""
    points = Points(reference, random.Random(_SEED))
    own = _buildable(reference, points.configs)
    start = {**own, **{name: min(own[name], NEAR_OWN_BATCH) for name in points.batch}}
    last: Point | None = None
    for elements in INPUT_ELEMENTS:
        point = points.fit(start, elements, points.configs)
        if point != last:
            yield point
        last = point
    yield points.light()


def _buildable(reference: Reference, configs: Sequence[str]) -> Point:
    """The own point, constructor axes halved together until its parameters can be built."""
    axes = reference.own_axes
    steps = {axis.name: axis for axis in reference.axes}
    for _ in range(8):
        found = reference.footprint(axes)
        if found is None or found.state_elements <= HEAVY_STATE:
            break
        for name in configs:
            half = axes[name] // 2 // steps[name].multiple_of * steps[name].multiple_of
            axes[name] = max(steps[name].low, half)
    return axes


def _material(reference: Reference, point: Point, patient: bool) -> NullMaterial | None:
    """One answered question at `point`; None where that takes too long or does not run."""
    workload = Workload(axes=point, dtype=reference.dtype)
    try:
        draws = [reference.draw(workload, _SEED + i) for i in range(1 + OTHER_DRAWS)]
        call = _Caller(reference.bind(point, _WEIGHT_SEED))
        began_s = time.process_time()
        with SizeLimit(RESULT_ELEMENTS, MULTIPLICATIONS):
            right = call(draws[0])
    except TaskError:
        return None
    slow = time.process_time() - began_s > SLOW_CALL_S
    return None if slow and not patient else NullMaterial(right, draws[0], draws[1:], call)


class _Caller:
    """The reference with the weights it was constructed with; its outputs without its buffers."""

    def __init__(self, bound: BoundReference) -> None:
        self._bound = bound

    def __call__(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        made = self._bound(inputs, {}, wide=False)
        pairs = zip(made.names, made.tensors, strict=True)
        return [tensor for name, tensor in pairs if not name.startswith(BUFFER_PREFIX)]


def _asked(point: Point, material: NullMaterial) -> FlatResult:
    deadline = AuditDeadline(SECONDS)
    found: dict[Null, float] = {}
    for nulls in in_stages(material.inputs):
        for null, answer in tried(nulls, material, deadline):
            tolerance = _tightest(material.right, answer)
            if tolerance is not None:
                found[null] = tolerance
        if min(TOLERANCES) in found.values():
            break
    return FlatResult(point, found, deadline.untried)


def _tightest(right: Sequence[torch.Tensor], answer: Answer) -> float | None:
    for tolerance in TOLERANCES:
        if passes_flat(right, answer, tolerance):
            return tolerance
    return None
