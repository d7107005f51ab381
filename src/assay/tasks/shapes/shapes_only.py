"""Shapes only: run a task's `get_inputs` without drawing, and refuse to make what is too large.

The rule: a modest factory is answered with one real element seen as many, a large one with an empty
meta tensor. Arithmetic on meta tensors loads torch's Python decompositions, 2 s once a process, so
what works element by element is answered here, and only the rest is left to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

_FIRST_SIZE = {"rand": 0, "randn": 0, "zeros": 0, "ones": 0, "empty": 0, "full": 0}


class TooLarge(Exception):
    """A factory was asked for more elements than the limit."""


def factory_size(
    func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[int, ...] | None:
    """The shape a factory is asked for; None where the call is no factory of a known kind."""
    name = getattr(func, "__name__", "")
    if name == "randint":
        size = kwargs.get("size", args[-1] if args else ())
    elif name == "eye":
        size = (*args, *args)[:2]
    elif name == "diag" and isinstance(args[0], torch.Tensor) and args[0].dim() == 1:
        size = (len(args[0]), len(args[0]))
    elif name in _FIRST_SIZE:
        size = kwargs.get("size", args[0] if args and name == "full" else args)
    else:
        return None
    if len(size) == 1 and isinstance(size[0], list | tuple):
        size = size[0]
    return tuple(size) if all(isinstance(part, int) for part in size) else None


def product_cost(func: Callable[..., Any], args: Sequence[Any]) -> int:
    """Multiplications of a dense product or a convolution; 0 for everything else."""
    name = getattr(func, "__name__", "")
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    if len(tensors) < 2 or not tensors[0].dim() or not tensors[1].dim():
        return 0
    a, b = tensors[0], tensors[1]
    if name in ("matmul", "mm", "bmm", "__matmul__"):
        return a.numel() * b.shape[-1]
    if name == "linear" or name.startswith("conv"):
        return a.numel() * b.numel() // max(1, b.shape[-1] if name == "linear" else a.shape[1])
    return 0


class SizeLimit(TorchFunctionMode):
    """Raises TooLarge before a factory or a product makes more than the limit allows."""

    def __init__(self, elements: int, multiplications: int) -> None:
        super().__init__()
        self._elements = elements
        self._multiplications = multiplications

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        size = factory_size(func, args, kwargs or {})
        if size is not None and math.prod(size) > self._elements:
            raise TooLarge(f"{math.prod(size)} elements")
        if product_cost(func, args) > self._multiplications:
            raise TooLarge("a product of that size")
        return func(*args, **(kwargs or {}))


class ChecksHold(TorchFunctionMode):
    """Answers a check that two tensors are alike with yes where they have no values.

    A reference that refuses a matrix which is not symmetric can so be asked for its shapes.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        valueless = any(isinstance(value, torch.Tensor) and value.is_meta for value in args)
        if valueless and getattr(func, "__name__", "") in ("allclose", "equal"):
            return True
        return func(*args, **(kwargs or {}))


class NamedOnMeta(TorchFunctionMode):
    """Inside `torch.device("meta")`: a factory that names a device makes no values either.

    Inputs of a point that a task refuses were drawn with a generator of the CPU, 17 GB of them.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if "device" in kwargs and factory_size(func, args, kwargs) is not None:
            kwargs["device"] = "meta"
        return func(*args, **kwargs)


class ProductCount(TorchFunctionMode):
    """Counts the multiplications of dense products and convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.multiplications = 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.multiplications += product_cost(func, args)
        return func(*args, **(kwargs or {}))


class ShapesOnly(TorchFunctionMode):
    """Answers factories with tensors of the right shape and dtype that take no memory."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = (
            limit  # elements up to which the answer is real, so that it can be computed on
        )

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        size = factory_size(func, args, kwargs)
        if size is None:
            made = _elementwise(func, args, kwargs)
            return func(*args, **kwargs) if made is None else made
        dtype = kwargs.get("dtype") or _dtype_by_default(func, args)
        if math.prod(size) <= self._limit:
            return torch.zeros((), dtype=dtype).expand(size)
        return torch.empty(size, dtype=dtype, device="meta")


def _dtype_by_default(func: Callable[..., Any], args: Sequence[Any]) -> torch.dtype | None:
    """None: torch's own default."""
    name = getattr(func, "__name__", "")
    if name == "diag":
        given: torch.Tensor = args[0]
        return given.dtype
    return torch.int64 if name == "randint" else None


def _elementwise(
    func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> torch.Tensor | None:
    """The meta result of an elementwise operation on meta tensors; None for any other call.

    One real element of each says of what dtype the result is.
    """
    given = [value for value in args if isinstance(value, torch.Tensor)]
    if not any(value.is_meta for value in given) or not _is_pointwise(func):
        return None
    ones = [_one_of(value) if isinstance(value, torch.Tensor) else value for value in args]
    shape = np.broadcast_shapes(*(tuple(value.shape) for value in given))
    return torch.empty(shape, dtype=func(*ones, **kwargs).dtype, device="meta")


def _one_of(tensor: torch.Tensor) -> torch.Tensor:
    return torch.ones((1,) * tensor.dim(), dtype=tensor.dtype)


def _is_pointwise(func: Callable[..., Any]) -> bool:
    """Whether torch itself says so of the operation of that name; what works in place is not."""
    name = getattr(func, "__name__", "_")
    packet = None if name.endswith("_") else getattr(torch.ops.aten, name, None)
    if packet is None:
        return False
    return any(torch.Tag.pointwise in getattr(packet, one).tags for one in packet.overloads())
