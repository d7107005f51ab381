"""Telling: whether an answer could have been had without computing.

The rule: a workload to which zeros, ones, a constant or the answer to zeros come near proves
nothing. Near is coarse on purpose, 2^-10 of the largest value: far beyond any error budget, so what
passes for telling here is telling to the judge as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

NEAR = 2.0**-10

Answer = Sequence[torch.Tensor]


def is_telling(answer: Answer, at_zero: Answer) -> bool:
    """True where each null answer is wrong in some output; an empty answer tells what it can."""
    if not any(tensor.numel() for tensor in answer):
        return True
    nulls = [[_filled(tensor, value) for tensor in answer] for value in (0.0, 1.0)]
    if any(tensor.numel() > 1 for tensor in answer):  # of one number the mean is the answer
        nulls.append([_filled(tensor, _mean(tensor)) for tensor in answer])
    if len(at_zero) == len(answer):
        nulls.append(list(at_zero))
    return not any(_near(answer, null) for null in nulls)


def _filled(tensor: torch.Tensor, value: float) -> torch.Tensor:
    return torch.full_like(tensor, value) if tensor.numel() else tensor


def _mean(tensor: torch.Tensor) -> float:
    if not tensor.numel() or tensor.is_complex():
        return 0.0
    mean = float(tensor.double().mean())
    return mean if tensor.is_floating_point() else round(mean)


def _near(answer: Answer, null: Answer) -> bool:
    """True where every output of `null` comes near that of `answer`."""
    return all(_close(a, b) for a, b in zip(answer, null, strict=True))


def _close(answer: torch.Tensor, null: torch.Tensor) -> bool:
    if answer.shape != null.shape or not answer.numel():
        return answer.shape == null.shape
    if not (answer.is_floating_point() or answer.is_complex()):
        return torch.equal(answer, null)
    apart = (answer - null).abs().max()
    return bool(apart <= NEAR * answer.abs().max())
