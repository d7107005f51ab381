"""Perturbation: inputs and weights moved by a known relative amount (RMS) with random signs.

The rule: arguments are never mutated, zeros stay zero, and a tensor that varies never leaves the
interval of its own values (a probability of 1 does not become 1.000001).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

TF32_UNIT = 2.0**-11
# Which arguments a unit multiplies; what is added to the product stays in float32.
OPERANDS = {
    **dict.fromkeys(("mm", "bmm", "mv", "dot", "linear"), (0, 1)),
    **dict.fromkeys(("addmm", "baddbmm", "addmv", "addbmm"), (1, 2)),
    **dict.fromkeys(("convolution", "_convolution", "mkldnn_convolution"), (0, 1)),
    "convolution_backward": (0, 1, 2),
    "_scaled_dot_product_flash_attention_for_cpu": (0, 1, 2),
    "_scaled_dot_product_flash_attention": (0, 1, 2),
    "_scaled_dot_product_efficient_attention": (0, 1, 2),
}
# Signs alone are not enough: an output that depends on the difference of two inputs stands still
# whenever their signs agree, in all of three probes once in eight times (softmax of two large
# values, an honest kernel then used 1.7 of the budget). Magnitudes from 0.51 to 1.42, RMS 1.
_MAGNITUDES = np.linspace(0.5, 1.4, 128)
_STEPS = np.concatenate([_MAGNITUDES, -_MAGNITUDES]) / np.sqrt(np.mean(_MAGNITUDES**2))
# Drawn once and read from a secret place on: a draw for every element costs more than the
# reference itself. Prime, so that no two rows of a tensor larger than it move together.
_POOL = 1_048_583


@dataclass(frozen=True)
class Perturbation:
    """One draw of signs. The same seed draws the same signs; a mirrored one their opposites."""

    seed: int
    amplitude: float
    mirrored: bool = False

    def of(self, values: Any) -> Any:
        """`values` (tensors in any nest of lists, tuples and mappings), widened and moved."""
        return self.from_origins(origins(values, self.amplitude))

    def from_origins(self, values: Any) -> Any:
        """The same of `origins(values)`, which serve every perturbation of one amplitude."""
        signs = Signs(self)
        return _mapped(values, PerturbationOrigin, lambda origin: origin.moved(signs))


class Signs:
    """Steps with random signs, drawn as a perturbation says."""

    def __init__(self, perturbation: Perturbation) -> None:
        self._random = random.Random(perturbation.seed)
        self._amplitude = perturbation.amplitude * (-1.0 if perturbation.mirrored else 1.0)

    def moved(self, value: torch.Tensor) -> torch.Tensor:
        """A copy in float64, every element moved by about one amplitude of itself."""
        return torch.addcmul(value, value, self._drawn(value), value=self._amplitude)

    def move(self, value: torch.Tensor, measure: torch.Tensor) -> None:
        """Every element, where it lies, by about one amplitude of that of `measure`."""
        value.addcmul_(measure, self._drawn(value), value=self._amplitude)

    def _drawn(self, like: torch.Tensor) -> torch.Tensor:
        return _steps(like, self._random.randrange(_POOL))


@cache
def _pool(device: torch.device) -> torch.Tensor:
    codes = np.random.default_rng(20_011).integers(0, _STEPS.size, _POOL)
    return torch.from_numpy(_STEPS[codes]).to(device)


def _steps(like: torch.Tensor, start: int) -> torch.Tensor:
    """One step for every element, from this place of the pool on and round again."""
    pool, count = _pool(like.device), like.numel()
    if start + count <= _POOL:
        return pool[start : start + count].view(like.shape)
    rounds = (start + count) // _POOL
    rest = start + count - rounds * _POOL
    return torch.cat([pool[start:], *[pool] * (rounds - 1), pool[:rest]]).view(like.shape)


class PerturbationOrigin:
    """One tensor, widened once, and where a step may carry it out of the interval of its values."""

    def __init__(self, value: torch.Tensor, amplitude: float) -> None:
        self._value = value
        self._low = self._high = 0.0
        self._edge: torch.Tensor | None = None  # flat places of what may leave
        self._negative_zeros: torch.Tensor | None = None  # flat places; a step of zero adds +0
        if value.dtype.is_complex:
            wide = value.detach().to(torch.complex128).resolve_conj()
            self._wide: torch.Tensor | None = torch.view_as_real(wide)
        elif value.dtype.is_floating_point and value.numel():
            self._wide = value.detach().to(torch.float64)
            self._find_edge(self._wide, amplitude)
        else:
            self._wide = None

    def _find_edge(self, wide: torch.Tensor, amplitude: float) -> None:
        self._low, self._high = (float(end) for end in torch.aminmax(wide))
        if not self._low < self._high:
            return
        if self._low <= 0.0 <= self._high:
            zeros = ((wide == 0.0) & wide.signbit()).reshape(-1).nonzero().reshape(-1)
            self._negative_zeros = zeros if zeros.numel() else None
        reach = 2.0 * amplitude * max(-self._low, self._high)  # no step is that long
        near = (wide > self._high - reach).logical_or_(wide < self._low + reach)
        self._edge = near.reshape(-1).nonzero().reshape(-1)
        self._at_edge = wide.reshape(-1)[self._edge]

    def moved(self, signs: Signs) -> torch.Tensor:
        """A new tensor; the value itself where it does not round."""
        if self._wide is None:
            return self._value
        moved = signs.moved(self._wide).contiguous()
        if self._value.dtype.is_complex:
            return torch.view_as_complex(moved)
        if self._edge is not None:
            self._reflect(moved.view(-1), self._edge)
        if self._negative_zeros is not None:
            moved.view(-1)[self._negative_zeros] = -0.0
        return moved

    @property
    def symmetric(self) -> bool:
        """Whether it is a matrix, or some, that equals its transpose."""
        value = self._value
        square = value.dim() >= 2 and value.shape[-1] == value.shape[-2] > 1
        return square and self._wide is not None and torch.equal(value, value.mH)

    def _reflect(self, moved: torch.Tensor, edge: torch.Tensor) -> None:
        """Elements that left the interval move the other way instead."""
        there = moved[edge]
        outside = (there > self._high) | (there < self._low)
        inward = (2 * self._at_edge - there).clamp_(self._low, self._high)
        moved[edge] = torch.where(outside, inward, there)


def origins(values: Any, amplitude: float) -> Any:
    """`values` with each tensor as an origin of perturbations that large."""
    return _mapped(values, torch.Tensor, lambda value: PerturbationOrigin(value, amplitude))


def with_symmetry(still: Sequence[Any], moved: Sequence[Any]) -> list[Any] | None:
    """Moved inputs with the lower triangle on either side where the origin has it so; None without.

    What moves two equal elements apart is a rounding to most operations, and no matrix of theirs
    to those that ask for symmetry first.
    """
    alike = [isinstance(one, PerturbationOrigin) and one.symmetric for one in still]
    if not any(alike):
        return None
    pairs = zip(alike, moved, strict=True)
    return [value.tril() + value.tril(-1).mH if same else value for same, value in pairs]


def _mapped(values: Any, leaf: type, change: Callable[[Any], Any]) -> Any:
    if isinstance(values, leaf):
        return change(values)
    if isinstance(values, Mapping):
        return {name: _mapped(value, leaf, change) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(_mapped(value, leaf, change) for value in values)
    return values


class OperandNoise(TorchDispatchMode):
    """While active, operands of contractions are moved towards zero, as units cut them to TF32.

    A cut leans to one side, so that sums of one sign lose in proportion to their length; rounding
    to nearest scatters half as far. Where mirrored they are moved away from zero.
    """

    def __init__(self, seed: int, times: float = 1.0, mirrored: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._random = np.random.default_rng(seed)
        most = 2.0 * TF32_UNIT * times * (-1.0 if mirrored else 1.0)
        self._table = 1.0 - most * np.linspace(0.0, 1.0, 256)

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        operands = OPERANDS.get(func.overloadpacket.__name__, ())
        if operands:
            args = tuple(self._cut(a) if i in operands else a for i, a in enumerate(args))
        return func(*args, **(kwargs or {}))

    def _cut(self, argument: Any) -> Any:
        if isinstance(argument, torch.Tensor) and argument.dtype == torch.float64:
            codes = self._random.integers(0, self._table.size, tuple(argument.shape), np.uint8)
            return argument * torch.from_numpy(self._table[codes]).to(argument.device)
        return argument
