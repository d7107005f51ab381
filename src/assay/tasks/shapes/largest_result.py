"""The tensors that a module makes on its way: all of a run, or the largest one without computing.

The rule: without computing an answer is exact or None. Meta tensors carry shapes alone; where a
module asks for values on the way, or does something they cannot follow, nothing is known. Their
arithmetic imports 2 s of torch once a process (FakeTensorMode as much), so small runs come first:
see `result_growth`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from assay.tasks.references.module_copy import copied_module

_ATTENTION = "scaled_dot_product"


class _Results(TorchDispatchMode):
    """Notes the elements of every result."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.elements: list[int] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        tensors = [leaf for leaf in tree_leaves(made) if isinstance(leaf, torch.Tensor)]
        sizes = [tensor.numel() for tensor in tensors]
        if _ATTENTION in str(func):  # the scores, which a wider run of the reference does make
            query, key = args[0], args[1]
            sizes.append(query.numel() // max(1, query.shape[-1]) * key.shape[-2])
        self.elements += sizes
        return made


def results_of(module: torch.nn.Module, inputs: Sequence[Any]) -> list[int]:
    """Elements of every tensor that a run makes, in order."""
    results = _Results()
    with torch.no_grad(), results:
        module(*inputs)
    return results.elements


def largest_result(module: torch.nn.Module, inputs: Sequence[Any]) -> int | None:
    """Elements of the largest tensor between the inputs and the result."""
    results = _Results()
    try:
        duplicate = _without_values(copied_module(module))
        given = tree_map_only(torch.Tensor, _shape_of, list(inputs))
        with torch.no_grad(), torch.device("meta"), results:
            duplicate(*given)
    except Exception:  # whatever a reference does that shapes alone cannot follow
        return None
    return max(results.elements, default=0)


def _shape_of(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(
        tensor.shape, tensor.stride(), dtype=tensor.dtype, device=torch.device("meta")
    )


def _without_values(module: torch.nn.Module) -> torch.nn.Module:
    """The module with every parameter, buffer and plain tensor attribute on the meta device."""
    module._apply(_shape_of)
    for part in module.modules():
        for key, value in vars(part).items():
            if isinstance(value, torch.Tensor):
                vars(part)[key] = _shape_of(value)
    return module
