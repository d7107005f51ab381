"""Drawn content: the arguments of one call as a reference draws them.

The rule: what the reference does not answer is not asked. Where it raises on the values of a draw,
as on a singular matrix, the next draw takes its place, and how many were left out is told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import numpy as np
import torch

from assay.errors import TaskError
from assay.numerics.expectation import PlantedElement
from assay.sandbox.host.call_content import Content
from assay.tasks.values.distributions import Drawn

DrawnContent = tuple[Content, PlantedElement | None]
_DRAWS = 16  # until the reference answers


def content_of(drawn: Drawn) -> DrawnContent:
    """The arguments, and where a NaN or an infinity lies among them."""
    if drawn.planted is None:
        return Content(drawn.inputs), None
    tensor = drawn.inputs[drawn.planted.input]
    (element,) = _flat(tensor, (drawn.planted.index,))
    more, infinite = (_flat(tensor, at) for at in (drawn.planted.more, drawn.planted.infinite))
    return Content(drawn.inputs), PlantedElement(drawn.planted.input, element, more, infinite)


def first_answered(
    draw: Callable[[int], DrawnContent], expected: Callable[[DrawnContent], object]
) -> tuple[DrawnContent, int]:
    """The first draw that the reference answers, and how many were left out.

    It answers where it raises in no precision and on no input that is one rounding away: what is
    so near to a singular matrix has no error budget. Where there is no such draw it is the first:
    whoever asks it will say why it cannot be judged.
    """
    for left_out in range(_DRAWS):
        with contextlib.suppress(TaskError):
            drawn = draw(left_out)
            expected(drawn)
            return drawn, left_out
    return draw(0), 0


def _flat(tensor: torch.Tensor, indices: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Places in logical order."""
    return tuple(int(np.ravel_multi_index(index, tuple(tensor.shape))) for index in indices)
