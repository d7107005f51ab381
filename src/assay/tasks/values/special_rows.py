"""Special rows: rows that begin with minus infinity, as masked scores do.

The rule: every row keeps finite values at its end, so that the reference has an answer; one is
minus infinity as a whole where that is asked for, which only some references have an answer to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assay.tasks.values.input_structure import Structure

_LEAST_COLUMNS = 2


def masked_rows(
    own: Sequence[Any], shapes: Sequence[Structure], generator: torch.Generator, whole: bool
) -> tuple[Any, ...]:
    """The first free input with rows; half of them begin with minus infinity, to any length.

    With `whole` the last row has nothing else.
    """
    inputs = list(own)
    for number, shape in enumerate(shapes):
        value = inputs[number]
        if shape is Structure.FREE and value.dim() and value.shape[-1] >= _LEAST_COLUMNS:
            inputs[number] = _masked(value, generator, whole)
            break
    return tuple(inputs)


def _masked(value: torch.Tensor, generator: torch.Generator, whole: bool) -> torch.Tensor:
    columns, rows = value.shape[-1], value.shape[:-1]
    lengths = torch.randint(1, columns, (*rows, 1), generator=generator)
    chosen = torch.rand((*rows, 1), generator=generator) < 0.5
    if chosen.numel():
        chosen.view(-1)[0] = True
        lengths.view(-1)[0] = columns - 1  # all but the last of the first row
        if whole:
            chosen.view(-1)[-1], lengths.view(-1)[-1] = True, columns
    prefix = (torch.arange(columns) < lengths) & chosen
    made = torch.empty_like(value).copy_(value)
    return made.masked_fill_(prefix.to(value.device), -torch.inf)


def follows_mask(inputs: Sequence[Any], output: torch.Tensor) -> bool:
    """Whether an output is infinite only where an input of its shape is minus infinity.

    An output of one number a row may be where all of that row is.
    """
    if not output.is_floating_point():
        return True
    strange = ~output.isfinite()
    if not bool(strange.any()):
        return True
    given = [v.isneginf() for v in inputs if isinstance(v, torch.Tensor) and v.is_floating_point()]
    rows = [mask.all(-1, keepdim=kept) for mask in given if mask.dim() for kept in (False, True)]
    masks = [mask for mask in (*given, *rows) if mask.shape == output.shape]
    return any(
        bool((output.isneginf() == strange).all() & (strange <= mask).all()) for mask in masks
    )
