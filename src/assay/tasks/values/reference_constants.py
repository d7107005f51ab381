"""Constants of a reference: the numbers that its operations treat apart.

The rule: a constant is taken from an operation that the reference runs: a comparison, a clamp, a
threshold, a rounding. What it is compared with is followed back to an input through views, copies
and casts alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}
_COPIES = {"index_copy", "index_copy_", "scatter", "scatter_"}
_PUTS = {"index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put"}
_FOLLOWED = {"_to_copy", "clone", "contiguous", "_reshape_copy", "copy"}
_THRESHOLDS = _COMPARISONS | {
    "clamp",
    "clamp_",
    "clamp_min",
    "clamp_max",
    "hardtanh",
    "hardtanh_",
    "threshold",
    "threshold_",
    "hardshrink",
    "softshrink",
    "softplus",
    "huber_loss",
    "smooth_l1_loss",
    "isin",
    "bucketize",
    "searchsorted",
    "heaviside",
}
_IMPLIED = {"hardswish": (-3.0, 3.0), "hardswish_": (-3.0, 3.0), "hardsigmoid": (-3.0, 3.0)}
_ROUNDINGS = {"round", "round_", "floor", "floor_", "ceil", "ceil_", "trunc", "trunc_", "frac"}
_SCALINGS = {"mul", "mul_", "div", "div_"}
_MOST_VALUES = 16  # of a tensor that is compared with
_RANGE = (1e-4, 2.0**17)  # smaller ones keep a division from zero, larger ones stand for infinity
_LEAST_TINY = 2.0**-62  # below it squares leave the range of ordinary floats, 2^-126
_TINY_OPERATIONS = _THRESHOLDS | {"add", "add_", "maximum", "fmax"}  # that keep one from zero
_LEAST_LEVELS, _MOST_LEVELS = 3, 1 << 11


@dataclass(frozen=True)
class Comparison:
    """An input, or what was copied of it, compared with a number."""

    operation: str
    input: int
    value: float

    @property
    def sides(self) -> tuple[int, ...]:
        """The integers next to the boundary, on either side of it."""
        if self.value != int(self.value):
            return (math.floor(self.value), math.ceil(self.value))
        value = int(self.value)
        if self.operation in ("lt", "ge"):
            return (value - 1, value)
        return (value, value + 1) if self.operation in ("gt", "le") else (value,)


@dataclass(frozen=True)
class Constants:
    """What one run of a reference showed."""

    comparisons: tuple[Comparison, ...] = ()
    thresholds: tuple[float, ...] = ()
    rounds: bool = False  # numbers are rounded to integers on the way
    levels: tuple[int, ...] = ()  # of codes, where it rounds: the largest one
    factors: tuple[float, ...] = (1.0,)  # powers of two that values are multiplied or divided by
    computed: bool = False  # what is compared is computed, not given
    overwrites: bool = False  # elements are written by index: of two at one place the last stays
    tiny_thresholds: tuple[float, ...] = ()  # that keep something computed from zero, ascending


class ConstantWatch(TorchDispatchMode):
    """While active, notes the constants of every operation."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        tensors = ((i, v) for i, v in enumerate(inputs) if isinstance(v, torch.Tensor))
        self._origin = {_storage(value): index for index, value in tensors if value.numel()}
        self._alive: list[torch.Tensor] = []  # an address that is free again says nothing
        self._comparisons: dict[Comparison, None] = {}
        self._thresholds: dict[float, None] = {}
        self._tiny: dict[float, None] = {}
        self._scales: dict[float, None] = {}
        self._rounds = self._computed = self._overwrites = False
        self._unheard: frozenset[float] = frozenset()

    @contextmanager
    def without(self, numbers: Collection[float]) -> Iterator[None]:
        """While active, these numbers are noted of no operation."""
        before, self._unheard = self._unheard, self._unheard.union(numbers)
        try:
            yield
        finally:
            self._unheard = before

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        made = func(*args, **kwargs)
        name = func.overloadpacket.__name__
        numbers = [n for n in _numbers([*args[1:], *kwargs.values()]) if n not in self._unheard]
        if name in _COMPARISONS:
            self._compared(name, args, numbers)
        if name in _THRESHOLDS:
            self._thresholds |= dict.fromkeys(numbers)
        self._thresholds |= dict.fromkeys(_IMPLIED.get(name, ()))
        if name in _TINY_OPERATIONS and self._is_computed(args[0]):
            self._tiny |= dict.fromkeys(abs(n) for n in numbers)
        if name in _SCALINGS or name in _THRESHOLDS:
            self._scales |= dict.fromkeys(numbers)
        self._overwrites |= _overwrites(name, args, kwargs)
        self._rounds |= name in _ROUNDINGS or _is_integer_cast(name, args, kwargs)
        if name in _FOLLOWED and isinstance(made, torch.Tensor):
            self._follow(args[0], made)
        return made

    def found(self) -> Constants:
        """All that was noted."""
        low, high = _RANGE
        whole = [abs(n) for n in self._scales if n == int(n)]
        levels = {int(n) for n in whole if _LEAST_LEVELS <= n <= _MOST_LEVELS and n % 2}
        powers = {abs(n) for n in self._scales if n and math.frexp(abs(n))[0] == 0.5}
        return Constants(
            tuple(self._comparisons),
            tuple(n for n in self._thresholds if low <= abs(n) <= high),
            self._rounds,
            tuple(sorted(levels)) if self._rounds else (),
            (1.0, *sorted(p for n in powers for p in (n, 1 / n) if p != 1.0 and low < p < high)),
            self._computed,
            self._overwrites,
            tuple(sorted(n for n in self._tiny if _LEAST_TINY <= n < low)),
        )

    def _compared(self, name: str, args: Any, numbers: list[float]) -> None:
        index = self._input_of(args[0])
        if index is None:
            self._computed |= self._is_computed(args[0])
        else:
            for number in numbers:
                self._comparisons[Comparison(name, index, number)] = None

    def _is_computed(self, value: Any) -> bool:
        is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
        return is_float and self._input_of(value) is None

    def _follow(self, source: Any, made: torch.Tensor) -> None:
        index = self._input_of(source)
        if index is not None:
            self._origin[_storage(made)] = index
            self._alive.append(made)

    def _input_of(self, value: Any) -> int | None:
        return self._origin.get(_storage(value)) if isinstance(value, torch.Tensor) else None


def _storage(value: torch.Tensor) -> int:
    return value.untyped_storage().data_ptr()


def _numbers(values: Sequence[Any]) -> Iterator[float]:
    """Finite numbers among the arguments, those in small tensors too."""
    for value in values:
        if isinstance(value, bool):
            continue
        if isinstance(value, torch.Tensor) and 0 < value.numel() <= _MOST_VALUES:
            if value.dtype is not torch.bool and not value.is_complex():
                yield from (n for n in value.double().reshape(-1).tolist() if math.isfinite(n))
        elif isinstance(value, int | float) and math.isfinite(value):
            yield float(value)


def _overwrites(name: str, args: Any, kwargs: dict[str, Any]) -> bool:
    """Whether several values are written by integer indices without being added up."""
    if name in _COPIES:
        return any(_is_several(value) for value in [*args[3:], kwargs.get("src")])
    if name not in _PUTS or kwargs.get("accumulate", args[3] if len(args) > 3 else False):
        return False
    by_integer = any(i is not None and i.dtype is not torch.bool for i in args[1])
    return by_integer and _is_several(args[2])


def _is_several(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() > 1


def _is_integer_cast(name: str, args: Any, kwargs: dict[str, Any]) -> bool:
    target = kwargs.get("dtype")
    if name != "_to_copy" or not isinstance(target, torch.dtype):
        return False
    whole = not (target.is_floating_point or target.is_complex or target is torch.bool)
    return whole and bool(args[0].is_floating_point())
