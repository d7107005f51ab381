"""Relations that hold on a reference, found by trying them in float64.

The rule: nothing is assumed about a task. A relation that fails the reference on one of two
contents, or leads it to where it is not accurate, is demanded of nobody. A task adds its own at the
top level of its source, `RELATIONS = {"name": (transform, predict)}`: `transform(*inputs)` returns
the other inputs, `predict(*outputs)` the other outputs, each as a list or tuple.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from assay.data.axis import AxisRole
from assay.data.workload import Workload
from assay.errors import TaskError
from assay.tasks.references.reference import BoundReference, Reference, accurate
from assay.tasks.references.task_source import user_code
from assay.tasks.relations.relation import Relation
from assay.tasks.relations.relation_library import (
    BatchDims,
    row_relations,
    transposition,
    value_relations,
)

_DECLARED = "RELATIONS"
_SEEDS = (31, 37)
_AGREEMENT = 1e-9  # of the largest true value


def discover(reference: Reference, workload: Workload, seed: int) -> tuple[Relation, ...]:
    """Those of the library, and of the task itself, that hold on the reference."""
    try:
        bound = reference.bind(workload.axes, _SEEDS[0])
        state = reference.draw_state(bound.module, _SEEDS[0])
        drawn = [reference.draw(workload, number) for number in _SEEDS]
    except TaskError:
        return ()
    proposed = [*_library(reference, workload, drawn[0], seed), *_declared(reference)]
    return tuple(r for r in proposed if all(_holds(r, bound, state, inputs) for inputs in drawn))


def _library(
    reference: Reference, workload: Workload, inputs: Sequence[Any], seed: int
) -> Iterator[Relation]:
    dims = _batch_dims(reference, workload)
    sizes = {v.shape[d] for v, d in zip(inputs, dims, strict=False) if d is not None}
    step = max((a.multiple_of for a in reference.axes if a.role is AxisRole.BATCH), default=1)
    if len(sizes) == 1 and (count := sizes.pop()) >= 2 * step:
        part = count // 2 // step * step
        yield from row_relations(dims, count, part, random.Random(seed))
    for number, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel():
            yield from value_relations(number)
    yield transposition()


def _declared(reference: Reference) -> Iterator[Relation]:
    """What the task's own source says, guarded like all of the task's code."""
    task = reference.task.id
    declared = reference.declared(_DECLARED)
    for name, (transform, predict) in (declared or {}).items():

        def guarded(values: Sequence[Any], function: Any = transform) -> tuple[Any, ...]:
            with user_code(task, _DECLARED):
                return tuple(function(*values))

        def foretold(values: Sequence[Any], function: Any = predict) -> tuple[Any, ...]:
            with user_code(task, _DECLARED):
                return tuple(function(*values))

        yield Relation(str(name), guarded, foretold)


def _batch_dims(reference: Reference, workload: Workload) -> BatchDims:
    """Of each input the one dimension that grows with the batch; none where one has several."""
    batch = [axis for axis in reference.axes if axis.role is AxisRole.BATCH]
    if not batch:
        return ()
    own = reference.input_shapes(workload.axes)
    grown = {**workload.axes, batch[0].name: workload.axes[batch[0].name] + batch[0].multiple_of}
    try:
        pairs = list(zip(own, reference.input_shapes(grown), strict=True))
    except (TaskError, ValueError):
        return ()
    found: list[int | None] = []
    for one, other in pairs:
        moved = [d for d, (a, b) in enumerate(zip(one or (), other or (), strict=False)) if a != b]
        if len(moved) > 1:
            return ()
        found.append(moved[0] if moved else None)
    return found


def _holds(
    relation: Relation,
    bound: BoundReference,
    state: Mapping[str, torch.Tensor],
    inputs: Sequence[Any],
) -> bool:
    try:
        first = relation.base(inputs)
        one = bound(first, state, wide=True)
        second = relation.transform(first)
        other = bound(second, state, wide=True)
        own = bound(second, state, wide=False)
        foretold, found = relation.predict(one.tensors), relation.part(other.tensors)
    except (TaskError, RuntimeError, IndexError, ValueError, TypeError):
        return False  # it does not fit this task: no such dimension, no such shape
    if not (one.names == other.names == own.names) or len(foretold) != len(found):
        return False
    in_domain = all(map(accurate, own.tensors, other.tensors))
    return in_domain and all(map(_agree, foretold, found))


def _agree(foretold: torch.Tensor, found: torch.Tensor) -> bool:
    """Equal but for float64's own rounding; an answer of zeros alone says nothing."""
    if foretold.shape != found.shape or found.numel() == 0:
        return False
    if not (found.is_floating_point() or found.is_complex()):
        return torch.equal(foretold, found)
    scale = float(found.abs().max())
    apart = float((foretold - found).abs().max())
    return 0.0 < scale < float("inf") and apart <= _AGREEMENT * scale
