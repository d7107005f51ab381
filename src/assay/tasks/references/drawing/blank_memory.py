"""BlankMemory: memory that a task's `get_inputs` asks for without values holds zeros.

The rule: what an input holds follows from the seed. `torch.empty` gives what was left there, so
that two processes would draw two inputs, and NaN or huge numbers by luck. A zero is what such
memory mostly holds where a task was written.
"""

from __future__ import annotations

from typing import Any

from torch.overrides import TorchFunctionMode

_WITHOUT_VALUES = frozenset(
    {
        "empty",
        "empty_like",
        "empty_permuted",
        "empty_strided",
        "new_empty",
        "new_empty_strided",
    }
)


class BlankMemory(TorchFunctionMode):
    """Puts zeros into every tensor that is made without values."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Make it, then write all of its memory, whatever its dtype and strides are."""
        made = func(*args, **(kwargs or {}))
        if getattr(func, "__name__", "") in _WITHOUT_VALUES and not made.is_meta:
            made.untyped_storage().fill_(0)
        return made
