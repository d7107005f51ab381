"""OperationLog: the library operations dispatched during a call.

Testimony: it is bound to this thread and the candidate can remove it, so what it shows may convict,
and what it does not show proves nothing.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_REDUCTIONS = frozenset({"sum", "prod", "mean", "amax", "amin"})


class OperationLog(TorchDispatchMode):
    """Counts operations by name, with the largest number of elements each touched."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.counts: dict[str, tuple[int, int]] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False: wrapping for Dynamo would import it, 3.7 s."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if _only_copies(func, args, result):
            return result
        elements = max(_elements(result), *(_elements(a) for a in args), 0)
        calls, largest = self.counts.get(str(func), (0, 0))
        self.counts[str(func)] = (calls + 1, max(largest, elements))
        return result

    def text(self) -> str:
        """One line an operation: name, calls, elements."""
        return "\n".join(f"{n}\t{c}\t{e}" for n, (c, e) in sorted(self.counts.items()))


def _only_copies(func: Any, args: tuple[Any, ...], result: Any) -> bool:
    """A reduction over dimensions of length one, such as the sum of a single part of split-K."""
    reduces = func.overloadpacket.__name__ in _REDUCTIONS
    return reduces and 0 < _elements(args[:1]) == _elements(result)


def _elements(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel()
    if isinstance(value, (tuple, list)):
        return max((_elements(v) for v in value), default=0)
    return 0
