"""Device doubt: elements of which the reference itself says something else on the device.

The rule: only the reference excuses an element, never an answer that is judged. Where values are
special (a NaN, an infinity, rows that begin with minus infinity) an element is not asked that the
reference misses there: a library that multiplies padding by a NaN, drops one at a comparison or
takes another of equal elements shows that nobody has promised otherwise. Ordinary values are asked
all the same, but that an element may be not finite where it is not finite in the reference there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch

from assay.numerics.comparison import element_shares, flat_parts
from assay.numerics.output_expectation import DeviceDoubt, OutputExpectation


def doubted(
    expectations: tuple[OutputExpectation, ...], answers: Mapping[str, torch.Tensor], special: bool
) -> tuple[OutputExpectation, ...]:
    """With what the reference answered on the device, by the names of its outputs."""
    return tuple(_doubted(one, answers.get(one.name), special) for one in expectations)


def _doubted(
    expected: OutputExpectation, answer: torch.Tensor | None, special: bool
) -> OutputExpectation:
    none = replace(expected, doubt=DeviceDoubt())
    if answer is None or expected.draws is not None or expected.equations is not None:
        return none
    if tuple(answer.shape) != expected.shape or answer.dtype != expected.dtype:
        return none
    if not answer.numel():
        return none
    if special:
        doubt = DeviceDoubt(unasked=_mask(element_shares(expected, answer.detach()) > 1.0))
    elif expected.budget is not None:
        strange = ~flat_parts(answer).isfinite() & flat_parts(expected.truth).isfinite()
        doubt = DeviceDoubt(may_be_non_finite=_mask(strange))
    else:
        return none
    return replace(expected, doubt=doubt, reference_bias=None) if doubt.excuses else none


def _mask(found: torch.Tensor) -> torch.Tensor | None:
    return found if bool(found.any()) else None
