"""Partial weights: versions that differ from another in one place of one parameter.

The rule: every value stays in the domain of its parameter: it is drawn as the whole parameter is,
or taken from another place of it. Parameters that are tied to each other change together.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import torch
from torch import nn

from assay.exam.weight_scales import Weights, WeightsKind, parameters

State = Mapping[str, torch.Tensor]


def partial_weights(
    weights: Weights, module: nn.Module, base: State, drawn: State, rng: random.Random
) -> dict[str, torch.Tensor]:
    """The base with one row, one entry, or the order of two rows of one parameter changed."""
    known = {name: one for name, one in parameters(module).items() if one.numel() and name in base}
    state = dict(base)
    if not known:
        return state
    chosen = rng.choice(_by_size(known))
    value = _changed(weights.kind, base[chosen], drawn[chosen], rng)
    tied = [name for name, parameter in known.items() if parameter is known[chosen]]
    return state | dict.fromkeys(tied, value)


def _by_size(known: Mapping[str, nn.Parameter]) -> list[str]:
    """The names; those of matrices alone where there are any, for these are what is packed."""
    matrices = [name for name, parameter in known.items() if parameter.dim() > 1]
    return matrices or list(known)


def _changed(
    kind: WeightsKind, base: torch.Tensor, drawn: torch.Tensor, rng: random.Random
) -> torch.Tensor:
    value = base.clone()
    rows = len(value) if value.dim() else 1
    row, other = rng.randrange(rows), rng.randrange(max(1, rows - 1))
    other += other >= row
    if kind is WeightsKind.SWAPPED and rows > 1:
        value[[row, other]] = base[[other, row]]
    elif kind is WeightsKind.ENTRY:
        flat, place = value.view(-1), rng.randrange(value.numel())
        flat[place] = _farthest(flat[place], drawn.reshape(-1))
    elif value.dim():
        value[row] = drawn[row]
    else:
        value = drawn.clone()
    return value


def _farthest(old: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The value that is farthest from the old one, so that the change is not lost in rounding."""
    return values[int((values.float() - old.float()).abs().argmax())]
