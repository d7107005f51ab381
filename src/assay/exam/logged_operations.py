"""Operation log: the library operations of logged calls, as the child tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from assay.data.observations.observation import DispatchSeen, OpCount
from assay.sandbox.host.planned_call import Expectations, PlannedCall

_MOST_LINES = 500


@dataclass(frozen=True, slots=True)
class OwnShape:
    """What the task's own shape says of sizes."""

    small: frozenset[int]  # positions of inputs that are small beside the largest
    products: int = 0  # multiplications for each element of the result


def _elements(planned: PlannedCall, positions: frozenset[int]) -> int:
    """Of the largest tensor at these positions."""
    inputs = planned.content.inputs
    tensors = [inputs[place] for place in positions if place < len(inputs)]
    return max((t.numel() for t in tensors if isinstance(t, torch.Tensor)), default=0)


def dispatched(
    statement: str,
    planned: Sequence[PlannedCall],
    expected: Sequence[Expectations],
    about: OwnShape,
) -> DispatchSeen:
    """One line an operation: name, calls, elements; what is not of this form is left out."""
    ops = []
    for line in statement.splitlines()[:_MOST_LINES]:
        name, _, rest = line.partition("\t")
        calls, _, elements = rest.partition("\t")
        if calls.isdigit() and elements.isdigit():
            ops.append(OpCount(name=name[:120], calls=int(calls), elements=int(elements)))
    largest_in = max((t.numel() for p in planned for t in p.content.tensors), default=0)
    largest_out = max((e.reference.numel() for one in expected for e in one), default=0)
    return DispatchSeen(
        logged_calls=len(planned),
        own_elements=max(largest_in, largest_out),
        small_elements=max((_elements(p, about.small) for p in planned), default=0),
        result_elements=largest_out,
        products=about.products,
        ops=tuple(ops),
    )
