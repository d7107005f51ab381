"""The largest tensor that a module makes on its way, found without computing anything.

The rule: an answer is exact or None. Fake tensors carry shapes alone; where a module asks for
values on the way, or does something they cannot follow, nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

_ATTENTION = "scaled_dot_product"


class _Largest(TorchDispatchMode):
    """Notes the elements of every result."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.elements = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        tensors = [leaf for leaf in tree_leaves(made) if isinstance(leaf, torch.Tensor)]
        sizes = [tensor.numel() for tensor in tensors]
        if _ATTENTION in str(func):  # the scores, which a wider run of the reference does make
            query, key = args[0], args[1]
            sizes.append(query.numel() // max(1, query.shape[-1]) * key.shape[-2])
        self.elements = max([self.elements, *sizes])
        return made


def largest_result(module: torch.nn.Module, inputs: Sequence[Any]) -> int | None:
    """Elements of the largest tensor between the inputs and the result."""
    fake, largest = FakeTensorMode(), _Largest()
    try:
        state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        given = tree_map_only(torch.Tensor, fake.from_tensor, (dict(state), list(inputs)))
        with torch.no_grad(), fake, largest:
            torch.func.functional_call(module, given[0], tuple(given[1]))
    except Exception:  # whatever a reference does that shapes alone cannot follow
        return None
    return largest.elements
