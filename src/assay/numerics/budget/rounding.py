"""Roundings: how far apart neighbouring numbers of a dtype lie, element by element.

The rule: spacings are taken at the *truth* (float64), never at the value under judgement, and
16-bit and 8-bit floats accumulate in float32.
"""

from __future__ import annotations

from math import isfinite

import torch

_EXPONENT_BITS = 0x7FF0000000000000
EXPONENTS = 2048  # of float64, subnormals and non-finite values included


def accumulation_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype in which an honest kernel of this dtype adds up."""
    return torch.float64 if dtype in (torch.float64, torch.complex128) else torch.float32


def accumulation_unit(dtype: torch.dtype) -> float:
    """One rounding of the accumulation dtype, relative: 2^-24, or 2^-53 for 64-bit floats."""
    return torch.finfo(accumulation_dtype(dtype)).eps / 2


def real_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype of one real part."""
    return dtype.to_real() if dtype.is_complex else dtype


def is_float(dtype: torch.dtype) -> bool:
    """True for dtypes that round: real and complex floats."""
    return dtype.is_floating_point or dtype.is_complex


def all_finite(value: torch.Tensor) -> bool:
    """Whether no element is infinite or NaN; a fifth of the time that asking each one takes."""
    if value.numel() == 0:
        return True
    low, high = torch.aminmax(value)  # a NaN anywhere is both
    return isfinite(float(low)) and isfinite(float(high))


def binade(value: torch.Tensor) -> torch.Tensor:
    """The power of two at or below |value| (float64); 0 for zeros and subnormals."""
    return (value.contiguous().view(torch.int64) & _EXPONENT_BITS).view(torch.float64)


def exponent(value: torch.Tensor) -> torch.Tensor:
    """The biased float64 exponent of `value`, 0 to 2047: one number for each binade."""
    return (value.contiguous().view(torch.int64) & _EXPONENT_BITS) >> 52


def ulp(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The spacing of `dtype` at `value` (float64), never below its smallest subnormal."""
    facts = torch.finfo(dtype)
    return binade(value).clamp_(min=facts.tiny).mul_(facts.eps)
