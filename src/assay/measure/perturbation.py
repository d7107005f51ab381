"""Perturbation: inputs and weights moved by a known relative amount (RMS) with random signs.

The rule: arguments are never mutated, zeros stay zero, and a tensor that varies never leaves the
interval of its own values (a probability of 1 does not become 1.000001).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
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
        return _moved(values, Signs(self))


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


def _moved(values: Any, signs: Signs) -> Any:
    if isinstance(values, torch.Tensor):
        return _moved_tensor(values, signs)
    if isinstance(values, Mapping):
        return {name: _moved(value, signs) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(_moved(value, signs) for value in values)
    return values


def _moved_tensor(value: torch.Tensor, signs: Signs) -> torch.Tensor:
    if value.dtype.is_complex:
        parts = torch.view_as_real(value.detach().to(torch.complex128).resolve_conj())
        return torch.view_as_complex(signs.moved(parts).contiguous())
    if not value.dtype.is_floating_point or value.numel() == 0:
        return value
    wide = value.detach().to(torch.float64)
    low, high = torch.aminmax(wide)
    moved = signs.moved(wide).contiguous()
    if bool(low < high):
        _reflect(moved, wide, (low, high))
    return moved


def _reflect(
    moved: torch.Tensor, origin: torch.Tensor, interval: tuple[torch.Tensor, torch.Tensor]
) -> None:
    """Elements that left the interval move the other way instead."""
    low, high = interval
    outside = ((moved > high) | (moved < low)).reshape(-1).nonzero().reshape(-1)
    flat = moved.view(-1)
    flat[outside] = (2 * origin.reshape(-1)[outside] - flat[outside]).clamp_(low, high)


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
