"""Codes: the integers a computation rounds numbers to, watched and, where asked, dictated.

The rule: rounding to a code is meaning, not error. Probes and the run at the task's precision
therefore keep the codes of the truth; what happens beside a boundary is the business of `forks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.numerics.budget.reduction import ReductionWatch
from assay.numerics.budget.rounding import all_finite

# Which number a code is made of, for the operations that make codes.
_NEAREST = frozenset({"round", "round_"})
_FLOOR = frozenset({"floor", "floor_"})
_CEIL = frozenset({"ceil", "ceil_"})
_TRUNC = frozenset({"trunc", "trunc_", "fix", "fix_"})


@dataclass(frozen=True)
class Rounded:
    """One rounding operation: what it was given, and what it made of it."""

    operation: str  # nearest, floor, ceil or trunc
    argument: torch.Tensor
    codes: torch.Tensor
    n: int  # the longest reduction before it


Dictate = Callable[[int, torch.Tensor, torch.Tensor], torch.Tensor | None]


class CodeWatch(TorchDispatchMode):
    """While active, keeps every rounding in `seen`; `dictate` may put other codes in place."""

    def __init__(
        self, dictate: Dictate | None = None, reductions: ReductionWatch | None = None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: list[Rounded] = []
        self._dictate = dictate
        self._reductions = reductions

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kind = _operation(func.overloadpacket.__name__, args, kwargs or {})
        if kind is None:
            return func(*args, **(kwargs or {}))
        argument = args[0].detach().clone()
        result = func(*args, **(kwargs or {}))
        number = len(self.seen)
        other = self._dictate(number, argument, result) if self._dictate else None
        if other is not None:
            result.copy_(other)
        longest = self._reductions.longest if self._reductions else 1
        self.seen.append(Rounded(kind, argument, result.detach().clone(), longest))
        return result


def _operation(name: str, args: Any, kwargs: dict[str, Any]) -> str | None:
    """Which way a call rounds its first argument to integers; None where it does not."""
    if not args or not isinstance(args[0], torch.Tensor) or not args[0].is_floating_point():
        return None
    if name in _NEAREST:
        return "nearest" if not kwargs.get("decimals") else None
    if name in _FLOOR:
        return "floor"
    if name in _CEIL:
        return "ceil"
    target = kwargs.get("dtype")
    cast = name == "_to_copy" and isinstance(target, torch.dtype) and _is_integer(target)
    return "trunc" if name in _TRUNC or cast else None


def _is_integer(dtype: torch.dtype) -> bool:
    return not (dtype.is_floating_point or dtype.is_complex or dtype == torch.bool)


def kept(codes: Sequence[torch.Tensor]) -> Dictate:
    """The codes of an earlier run again, as long as the run goes the same way.

    A number that is not finite stays what it is: a sum that overflowed has no code to keep.
    """

    def dictate(number: int, argument: torch.Tensor, result: torch.Tensor) -> torch.Tensor | None:
        if number >= len(codes) or codes[number].shape != result.shape:
            return None
        earlier = codes[number].to(result.dtype)
        if not result.is_floating_point() or all_finite(result + earlier):
            return earlier
        return torch.where(result.isfinite() & earlier.isfinite(), earlier, result)

    return dictate
