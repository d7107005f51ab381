"""Zeros that a kernel may multiply by what was planted: padding of convolutions, codes of zero.

The rule: NaN or an infinity times zero is NaN. A reference that leaves such products out has a
finite number where a kernel that makes them honestly, as im2col beside a border, has NaN; both are
right. Which elements these are shows once the zeros are filled: there they follow the planted one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_CODES = (torch.int8, torch.uint8)  # wider integers may be indices


class ZeroWatch(TorchDispatchMode):
    """While active, says in `seen` whether zeros were multiplied; `fill` puts others in place."""

    def __init__(self, fill: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen = False
        self._fill = fill

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name == "convolution" and (any(args[4]) or args[6]):
            self.seen = True
            return result + _of_outputs(args[1], args[6], args[8]) if self._fill else result
        if name == "convolution_backward" and (any(args[5]) or args[7]):
            self.seen = True
            return _with_borders(result, args) if self._fill else result
        return result


def _of_outputs(weight: torch.Tensor, transposed: bool, groups: int) -> torch.Tensor:
    """What every place of an output channel has of its weights beside a border of ones."""
    each = weight.flatten(2).sum(-1)  # transposed: inputs first, and the outputs of one group
    sums = each.unflatten(0, (groups, -1)).sum(1).flatten() if transposed else each.sum(1)
    return sums.reshape(1, -1, *(1,) * (weight.dim() - 2))


def _with_borders(result: Any, args: Any) -> Any:
    """The gradients of an input and of weights beside borders of ones."""
    grad, _, weight, *_, transposed, _, groups, _ = args
    of_input, of_weight, of_bias = result
    if of_input is not None:
        of_input = of_input + _of_outputs(weight, not transposed, groups)
    if of_weight is not None and not transposed:
        each = grad.transpose(0, 1).flatten(1).sum(1)
        of_weight = of_weight + each.reshape(-1, *(1,) * (weight.dim() - 1))
    return of_input, of_weight, of_bias


def has_zero_codes(*values: Any) -> bool:
    """Whether some tensor of eight-bit codes holds a zero."""
    return any(_is_codes(value) and bool((value == 0).any()) for value in values)


def without_zero_codes(value: Any) -> Any:
    """Codes of one in the place of zeros; what is no tensor of codes stays."""
    return value.masked_fill(value == 0, 1) if _is_codes(value) else value


def _is_codes(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in _CODES
