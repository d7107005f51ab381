"""Raising operations: those that raise on some floats of an allowed shape.

The rule: what is noted is that one was run, not on which values it raises. A matrix made definite
by adding one is definite on every ordinary draw, and not where rounding loses the one.
"""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

# The first stands behind every factorisation that reports a pivot: cholesky, inv, solve, lu, ldl.
_RAISING = frozenset({"_linalg_check_errors", "cholesky", "linalg_lstsq"})


class RaisingWatch(TorchDispatchMode):
    """While active, notes whether such an operation was run."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen |= func.overloadpacket.__name__ in _RAISING
        return func(*args, **(kwargs or {}))
