"""Whether an answer is also right for another call: the mark of a memo or a stale result.

The rule: cheap first. A few elements decide nearly every time; only if all of them agree is the
whole output compared.
"""

from __future__ import annotations

import torch

from assay.numerics.comparison import compare, flat_parts
from assay.numerics.output_expectation import OutputExpectation

_SAMPLED = 256  # elements that are compared first
_INFORMATIVE_BITS = 24.0  # of the truth: with fewer an answer may be right by chance
_ALIKE = 2.0**-10  # of the largest element: factors that differ in sign alone


def same_answer(expectation: OutputExpectation, actual: torch.Tensor) -> bool:
    """True where `actual` lies within the expectation, shape and dtype included."""
    if tuple(actual.shape) != expectation.shape or actual.dtype != expectation.dtype:
        return False
    if expectation.equations is not None:
        return _alike(expectation, actual)
    return _sample_agrees(expectation, actual.detach()) and compare(expectation, actual).ok


def _alike(expectation: OutputExpectation, actual: torch.Tensor) -> bool:
    """A factor of a decomposition: the same but for signs, to three digits."""
    truth, got = flat_parts(expectation.truth).abs(), flat_parts(actual).abs()
    return bool((truth - got).abs().max() <= _ALIKE * truth.max()) if truth.numel() else True


def is_informative(expectation: OutputExpectation) -> bool:
    """True where an answer that fits is unlikely to fit by chance.

    Two finite numbers that are asked and differ are: NaN is what any overflow makes. Integers
    of a small range are not, so there the empirical entropy of the whole answer,
    numel * sum(-p log2 p), must reach 24 bits: a chance of 6e-8 for one comparison of unrelated
    answers.
    """
    truth = expectation.truth.reshape(-1)
    if expectation.doubt is not None and expectation.doubt.excuses:
        return False
    asked = truth.isfinite()
    if expectation.non_finite is not None:
        parts = expectation.non_finite.free.reshape(truth.numel(), -1)  # two of a complex number
        asked &= ~parts.any(dim=1)
    numbers = truth[asked]
    if numbers.numel() < 2 or not bool((numbers != numbers[0]).any()):
        return False
    if expectation.reference.is_floating_point() or expectation.reference.is_complex():
        return True
    counts = torch.unique(truth, return_counts=True)[1].double()
    share = counts / counts.sum()
    return float(-(share * share.log2()).sum()) * truth.numel() >= _INFORMATIVE_BITS


def _sample_agrees(expectation: OutputExpectation, actual: torch.Tensor) -> bool:
    """False only where a sampled element is surely wrong, with nothing that could excuse it."""
    if expectation.draws is not None:
        return True
    excused = expectation.special or expectation.non_finite or expectation.relief
    if excused or expectation.doubt or expectation.budget is None or actual.numel() <= _SAMPLED:
        return True
    step = expectation.budget.numel() // _SAMPLED
    got = flat_parts(actual.reshape(-1))[::step]
    truth = flat_parts(expectation.truth.reshape(-1))[::step]
    return bool(((got - truth).abs() <= expectation.budget.reshape(-1)[::step]).all())
