"""Other numbers: floats that a task hands over beside its tensors, in each call, at other sizes.

The rule: all of them are multiplied alike, so that no sign changes and bounds keep their order; a
reference that has no answer for such numbers is asked with its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assay.tasks.shapes.source_sizes import FACTORS


def with_other_numbers(inputs: Sequence[Any], generator: torch.Generator) -> list[Any]:
    """Another version of every float; counts and flags may change shapes and stay."""
    factors = FACTORS[1:]
    factor = factors[int(torch.randint(0, len(factors), (1,), generator=generator))]
    return [value * factor if type(value) is float else value for value in inputs]
