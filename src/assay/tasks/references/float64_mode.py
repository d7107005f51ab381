"""Wide: run a reference in float64 although its source says float32.

The rule: a cast to float32 is bookkeeping and is lifted; a cast to 16 bits in the middle is meaning
and is kept as a rounding of the value, of integers and floats of eight bits too; the last cast of
an output is dropped.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

LIFTED = {torch.float32: torch.float64, torch.complex64: torch.complex128}
ROUNDING = (torch.float16, torch.bfloat16)
_METHODS = {
    "float": torch.float32,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "cfloat": torch.complex64,
}


def lift(value: Any) -> Any:
    """A float tensor in float64 (a complex one in complex128); anything else as it is."""
    if isinstance(value, torch.Tensor):
        if value.is_complex():
            return value.to(torch.complex128)
        if value.dtype in (torch.float16, torch.bfloat16, torch.float32):
            return value.to(torch.float64)
    return value


class WideMode(TorchFunctionMode):
    """Lifts casts while it is active, and remembers what each rounding was made from."""

    def __init__(self) -> None:
        super().__init__()
        self._rounded: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def before_rounding(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor that was cast to 16 bits to give `tensor`, or `tensor` itself."""
        while id(tensor) in self._rounded:
            tensor = self._rounded[id(tensor)][1]
        return tensor

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        target = _cast_target(func, args, kwargs)
        if target in ROUNDING and args[0].dtype in (torch.float64, torch.float32):
            return self._round(args[0], target)
        if target in ROUNDING and _is_code(args[0]):
            return args[0].to(target).to(torch.float64)
        if target in LIFTED and getattr(func, "__name__", "") in _METHODS:
            return args[0].to(LIFTED[target])
        args = tuple(_lift_dtype(value) for value in args)
        kwargs = {key: _lift_dtype(value) for key, value in kwargs.items()}
        return func(*args, **kwargs)

    def _round(self, source: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        rounded = source.to(dtype).to(torch.float64)
        self._rounded[id(rounded)] = (rounded, source)
        return rounded


def _is_code(tensor: torch.Tensor) -> bool:
    """Floats of eight bits and integers: their dtype is kept until they become numbers."""
    return not tensor.is_complex() and tensor.dtype not in (*ROUNDING, *LIFTED, torch.float64)


def _lift_dtype(value: Any) -> Any:
    return LIFTED.get(value, value) if isinstance(value, torch.dtype) else value


def _cast_target(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> torch.dtype | None:
    """The dtype a cast asks for; None where the call is no cast."""
    name = getattr(func, "__name__", "")
    if not args or not isinstance(args[0], torch.Tensor):
        return None
    if name in _METHODS and len(args) == 1:
        return _METHODS[name]
    if name not in ("to", "type", "type_as"):
        return None
    for value in (*args[1:], *kwargs.values()):
        if isinstance(value, torch.dtype):
            return value
    return None


@contextlib.contextmanager
def wide_arithmetic() -> Iterator[WideMode]:
    """Everything inside computes in float64; tensors made without a dtype are float64 too."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with WideMode() as mode:
            yield mode
    finally:
        torch.set_default_dtype(before)
