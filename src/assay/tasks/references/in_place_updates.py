"""Updates: inputs that a call of the reference changes in place.

The rule: what the task declares is demanded. Where it declares nothing, a change that nothing
returned repeats is the only result there is, and is demanded too; one that is also returned (an
activation with `inplace=True`) may be made or left, but not made differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from assay.tasks.references.reference_outputs import (
    LEFT_OR_UPDATED_PREFIX,
    UPDATED_PREFIX,
    flatten,
    same,
)


@dataclass(frozen=True)
class Update:
    """One input, by its position among the arguments."""

    input: int
    demanded: bool

    @property
    def name(self) -> str:
        """What its new value is called among the outputs."""
        prefix = UPDATED_PREFIX if self.demanded else LEFT_OR_UPDATED_PREFIX
        return f"{prefix}{self.input}"


def declared_updates(inputs: Sequence[int]) -> tuple[Update, ...]:
    """As the task says."""
    return tuple(Update(position, demanded=True) for position in inputs)


def found_updates(module: torch.nn.Module, inputs: Sequence[Any]) -> tuple[Update, ...]:
    """Run `module` on `inputs`, which are the caller's to spoil, and look what changed."""
    before = [v.clone() if isinstance(v, torch.Tensor) else None for v in inputs]
    returned = [tensor for _, tensor in flatten(module(*inputs))]
    found = []
    for position, (old, new) in enumerate(zip(before, inputs, strict=True)):
        if old is not None and isinstance(new, torch.Tensor) and not same(old, new):
            repeated = any(tensor is new or same(tensor, new) for tensor in returned)
            found.append(Update(position, demanded=not repeated))
    return tuple(found)
