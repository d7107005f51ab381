"""Own roundings: what float64 itself loses where next to nothing is left of the inputs.

The rule: no budget is finer than the truth. `1 + erf(x)` is 0 in float64 from x = -5.9 on, while a
kernel that asks `erfc` has all digits and is right; beside larger outputs nobody would notice, but
where there are none the budget would be 0. So the truth is computed once more with every
elementwise result moved by one rounding of float64, and what that changes is allowed - but for
changes no rounding makes: there a comparison went the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.numerics.budget.perturbation import Perturbation, Signs
from assay.numerics.budget.rounding import is_float

ROUNDINGS = 8.0  # of float64, where the truth consists of them
_UNIT = 2.0**-52
_LEFT = 2.0**-8  # of the inputs' size: above it the budget's share of the largest output is more
_JUMP = 2.0**-40  # of the inputs' size: what cancels leaves a few roundings of it, 2^-52 each
_COPIES = frozenset(("clone", "copy", "_to_copy", "lift_fresh_copy"))  # called elementwise as well
_CANCEL_INSIDE = frozenset(("gelu", "gelu_backward"))  # off by roundings of what they are given


class OwnRoundings(TorchDispatchMode):
    """While active, results of elementwise operations are moved by one rounding of float64."""

    def __init__(self, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._signs = Signs(Perturbation(seed, _UNIT))

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if _rounds(func, result):
            inside = func.overloadpacket.__name__ in _CANCEL_INSIDE
            moved, measure = _real(result), _real(args[0] if inside else result)
            self._signs.move(moved, measure.abs())
        return result


def collapsed(outputs: Sequence[torch.Tensor], inputs: Sequence[Any]) -> bool:
    """Whether some output is nearly nothing beside the inputs."""
    given = given_size(inputs)
    return any(
        output.numel() and is_float(output.dtype) and _largest(output) < _LEFT * given
        for output in outputs
    )


@dataclass
class LostDigits:
    """What float64 is unsure of in every output; worked out where a budget is fine enough."""

    given: float  # the inputs' size
    _again: Callable[[], tuple[torch.Tensor, ...] | None]

    def matter_to(self, budget: torch.Tensor) -> bool:
        """Whether some budget is finer than the most they can be."""
        return bool((budget < ROUNDINGS * _JUMP * self.given).any())

    @cached_property
    def outputs(self) -> tuple[torch.Tensor, ...] | None:
        """One run of the reference more."""
        return self._again()


def lost(truth: torch.Tensor, again: torch.Tensor, inputs: Sequence[Any]) -> torch.Tensor:
    """How far float64 is unsure of each number of the truth; nothing where it jumped."""
    change = (_real(again).double() - _real(truth).double()).abs_().nan_to_num_(0.0, 0.0, 0.0)
    return change.masked_fill_(change > _JUMP * given_size(inputs), 0.0)


def given_size(inputs: Sequence[Any]) -> float:
    """The largest finite magnitude among the inputs."""
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    return max((_largest(tensor) for tensor in tensors), default=0.0)


def _largest(tensor: torch.Tensor) -> float:
    """The largest finite magnitude; 0 where there is none."""
    if not is_float(tensor.dtype) or not tensor.numel():
        return 0.0
    return float(tensor.detach().abs().to(torch.float64).nan_to_num_(0.0, 0.0, 0.0).max())


def _rounds(func: Any, result: Any) -> bool:
    """An elementwise operation that makes new float64 numbers."""
    if func.overloadpacket.__name__ in _COPIES:
        return False
    wide = isinstance(result, torch.Tensor) and result.dtype in (torch.float64, torch.complex128)
    fresh = all(returned.alias_info is None for returned in func._schema.returns)
    return wide and fresh and torch.Tag.pointwise in func.tags


def _real(tensor: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor
