"""Drawn content: the arguments of one call as a reference draws them.

The rule: what the reference does not answer is not asked. Where it raises on the values of a draw,
as on a singular matrix, or answers the task's own draw with an error beyond its domain, the next
draw takes its place, and how many were left out is told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import numpy as np
import torch

from assay.errors import TaskError
from assay.numerics.expectation import OutputExpectation, PlantedElement
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
    draw: Callable[[int], DrawnContent],
    expected: Callable[[DrawnContent], Sequence[OutputExpectation]],
    accurate: bool,
) -> tuple[DrawnContent, int]:
    """The first draw that the reference answers, and how many were left out.

    It answers where it raises in no precision and on no input that is one rounding away: what is
    so near to a singular matrix has no error budget. An accurate answer is preferred where it is
    asked for: next to a singular matrix any answer would do. Where no draw is answered it is the
    first: whoever asks it will say why it cannot be judged.
    """
    inaccurate: tuple[DrawnContent, int] | None = None
    for left_out in range(_DRAWS):
        with contextlib.suppress(TaskError):
            drawn = draw(left_out)
            outputs = expected(drawn)
            if not accurate or all(one.in_domain for one in outputs):
                return drawn, left_out
            inaccurate = inaccurate or (drawn, left_out)
    return inaccurate or (draw(0), 0)


def _flat(tensor: torch.Tensor, indices: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Places in logical order."""
    return tuple(int(np.ravel_multi_index(index, tuple(tensor.shape))) for index in indices)
