"""Mean error of a 16-bit output in its own ulps: truncation shows here and in no maximum.

The rule: each element counts at most one ulp, at least a thousand must count, and only where the
truths are many different numbers (one number repeated rounds one way a thousand times).
"""

from __future__ import annotations

import torch

from assay.numerics.budget.rounding import ulp

ALLOWED_BEYOND_REFERENCE = 0.1  # ulps of mean error
_LEAST = 1000  # elements that count
_LOOKED_AT = 8192  # elements: they tell the mean to 0.004 ulp


def applies(truth: torch.Tensor, dtype: torch.dtype) -> bool:
    """True where the rule may be asked of an output."""
    if not dtype.is_floating_point or dtype.itemsize > 2 or truth.numel() < _LEAST:
        return False
    some = _some(truth)
    return len(set(some[_counted(some, dtype)].tolist())) >= _LEAST // 2


def mean_error(
    actual: torch.Tensor, truth: torch.Tensor, dtype: torch.dtype
) -> tuple[float, float]:
    """Mean error in ulps: towards +infinity, and away from zero."""
    actual, truth = _some(actual), _some(truth)
    counted = _counted(truth, dtype) & actual.isfinite()
    errors = (actual - truth).div_(ulp(truth, dtype)).clamp_(-1.0, 1.0)[counted]
    if errors.numel() < _LEAST // 2:
        return 0.0, 0.0
    outward = errors * truth[counted].sign()
    return float(errors.mean()), float(outward.mean())


def _some(values: torch.Tensor) -> torch.Tensor:
    """Evenly spaced elements in float64: 8192 tell the mean to 0.004 ulp."""
    step = max(1, values.numel() // _LOOKED_AT)
    return values.reshape(-1)[::step].to(torch.float64)


def _counted(truth: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    facts = torch.finfo(dtype)
    return (truth.abs() >= facts.tiny) & (truth.abs() <= facts.max)
