"""Shared layouts: inputs that share memory with each other, or rows that share memory in one input.

The rule: only inputs of one shape, dtype and promise share, and only where that promise is about
single values; a reference that changes an input is never asked so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assay.data.workload import Layout
from assay.tasks.values.input_structure import Structure

# Layouts of several inputs, not of each.
TOGETHER = (Layout.SAME, Layout.INTERLEAVED, Layout.MIRRORED)
_OF_VALUES = (Structure.FREE, Structure.POSITIVE)


def alike(inputs: Sequence[Any], shapes: Sequence[Structure]) -> list[list[int]]:
    """Positions of inputs that could be one tensor, two or more in each group."""
    groups: dict[object, list[int]] = {}
    for number, (value, shape) in enumerate(zip(inputs, shapes, strict=True)):
        if (
            isinstance(value, torch.Tensor)
            and shape in _OF_VALUES
            and value.dim()
            and value.numel()
        ):
            groups.setdefault((value.shape, value.dtype, shape), []).append(number)
    return [group for group in groups.values() if len(group) > 1]


def mirrored(inputs: Sequence[Any], shapes: Sequence[Structure]) -> list[tuple[int, int]]:
    """Positions of inputs and of later ones that could be their transposes; each in one pair."""
    pairs: list[tuple[int, int]] = []
    free = [n for n, value in enumerate(inputs) if _may_be_turned(value, shapes[n])]
    while free:
        first, *free = free
        turned = inputs[first].transpose(-1, -2)
        for other in free:
            alike = inputs[other].shape == turned.shape and inputs[other].dtype is turned.dtype
            if alike and shapes[other] is shapes[first]:
                pairs.append((first, other))
                free.remove(other)
                break
    return pairs


def _may_be_turned(value: Any, shape: Structure) -> bool:
    matrix = isinstance(value, torch.Tensor) and value.dim() > 1 and value.numel() > 0
    return matrix and shape in _OF_VALUES


def can_lie_together(inputs: Sequence[Any], layout: Layout, shapes: Sequence[Structure]) -> bool:
    """Whether any inputs can share memory in this way."""
    return bool(mirrored(inputs, shapes) if layout is Layout.MIRRORED else alike(inputs, shapes))


def lay_together(
    inputs: Sequence[Any], layout: Layout, shapes: Sequence[Structure]
) -> tuple[Any, ...]:
    """Inputs that are alike as one tensor, as its transposes, or with rows that alternate."""
    made = [v.contiguous() if isinstance(v, torch.Tensor) else v for v in inputs]
    if layout is Layout.MIRRORED:
        for first, other in mirrored(inputs, shapes):
            made[other] = made[first].transpose(-1, -2)
        return tuple(made)
    for group in alike(inputs, shapes):
        if layout is Layout.SAME:
            views = [made[group[0]]] * len(group)
        else:
            dim = max(1, made[group[0]].dim() - 1)
            views = list(torch.stack([made[number] for number in group], dim).unbind(dim))
        for number, view in zip(group, views, strict=True):
            made[number] = view
    return tuple(made)


def overlapping(tensor: torch.Tensor, shape: Structure) -> torch.Tensor:
    """Every row begins in the middle of the row before it, as in a sliding window."""
    if tensor.dim() < 2 or shape not in _OF_VALUES or not tensor.numel():
        return tensor.contiguous()
    columns = tensor.shape[-1]
    if columns < 2:
        return tensor.contiguous()
    strides, step = [1], (columns + 1) // 2
    for size in reversed(tensor.shape[1:-1]):
        strides.insert(0, step)
        step *= size
    strides.insert(0, step)
    span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, strides, strict=True))
    return tensor.reshape(-1)[:span].clone().as_strided(tensor.shape, strides)
