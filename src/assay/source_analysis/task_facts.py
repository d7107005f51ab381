"""Given: what the source analysis is told beside the source.

The rule: it comes from the user and the task, never from the candidate's process.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.source_analysis.delegated_operations import WORK_SHARE


@dataclass(frozen=True, slots=True)
class Given:
    """Packages that only move data, and the inputs that are small beside the largest."""

    allowed_packages: tuple[str, ...] = ()
    small_inputs: frozenset[int] = frozenset()  # by position
    hidden_packages: frozenset[str] = frozenset()  # installed here, and not where the kernel runs


def small_inputs(shapes: Sequence[tuple[int, ...] | None]) -> frozenset[int]:
    """Positions of inputs whose elements are bookkeeping beside those of the largest input.

    Light work over labels (`(labels != -100).sum()`) is then bookkeeping too.
    """
    sizes = {place: math.prod(shape) for place, shape in enumerate(shapes) if shape is not None}
    largest = max(sizes.values(), default=0)
    return frozenset(place for place, size in sizes.items() if size * WORK_SHARE <= largest)
