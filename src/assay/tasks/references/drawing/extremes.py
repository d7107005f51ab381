"""Extremes: an integer input always holds the largest and the smallest value of its range.

The rule: what a shape allows must not depend on luck. A few labels drawn from twenty classes seldom
reach the last one, so a reference with seventeen classes would run today and fail tomorrow.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class Extremes(TorchFunctionMode):
    """Puts the ends of the range into every tensor that `torch.randint` makes."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Draw, then set the first and the last element."""
        kwargs = kwargs or {}
        made = func(*args, **kwargs)
        if getattr(func, "__name__", "") != "randint" or not isinstance(made, torch.Tensor):
            return made
        bounds = _bounds(args, kwargs)
        if bounds is None or made.is_meta or made.numel() == 0 or not made.is_contiguous():
            return made
        low, high = bounds
        made.view(-1)[-1] = low
        made.view(-1)[0] = high - 1
        return made


def _bounds(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, int] | None:
    """Low and high as they were given, by place or by name."""
    numbers = [a for a in args[:2] if type(a) is int]
    low, high = kwargs.get("low"), kwargs.get("high")
    if high is None:
        high = numbers.pop() if numbers else None
    if low is None:
        low = numbers.pop() if numbers else 0
    return (low, high) if type(low) is int and type(high) is int else None
