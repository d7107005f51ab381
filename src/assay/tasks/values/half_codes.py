"""Half codes: inputs on which a scheme that quantises each row by its largest element is exact.

The rule: every row's largest element is the largest code times a power of two, so that its scale is
that power, every other element lies on a code or exactly between two, and nothing about the codes
is left to the order of roundings. Some rows are zero, some hold nothing but the largest code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assay.data.contract import Contract, Quantised

_EXPONENTS = (-6, 4)
_ZERO_SHARE, _EXTREME_SHARE = 0.1, 0.15


def coded_inputs(own: Sequence[Any], contract: Contract | None, seed: int) -> tuple[Any, ...]:
    """The inputs with every float among them on and between the codes of the declared scheme."""
    levels = contract.activation_levels if isinstance(contract, Quantised) else None
    generator = torch.Generator().manual_seed(seed)
    return tuple(
        half_codes(value, levels, generator) if levels and _is_float(value) else value
        for value in own
    )


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dim() > 0


def half_codes(own: torch.Tensor, levels: int, generator: torch.Generator) -> torch.Tensor:
    """Values of the shape and dtype of `own`, rows along the last dimension."""
    if own.numel() == 0:
        return own.clone()
    rows = own.reshape(-1, own.shape[-1]).shape
    halves = torch.randint(-2 * levels + 1, 2 * levels, rows, generator=generator).double() / 2
    signs = torch.randint(0, 2, (rows[0], 1), generator=generator).double() * 2 - 1
    largest = torch.randint(0, rows[1], (rows[0], 1), generator=generator)
    halves.scatter_(1, largest, levels * signs)
    kind = torch.rand((rows[0], 1), generator=generator)
    halves = torch.where(kind < _EXTREME_SHARE, levels * signs, halves)
    halves = torch.where(kind > 1 - _ZERO_SHARE, 0.0, halves)
    powers = torch.randint(*_EXPONENTS, (rows[0], 1), generator=generator)
    return torch.ldexp(halves, powers).reshape(own.shape).to(own.dtype)
