"""One answer against its expectation: the share of the error budget it uses.

The rule: an element is right where its share is at most 1; every special case (overflow, NaN,
planted values, jumps) only changes that element's share.
"""

from __future__ import annotations

import torch

from assay.data.observations.call import ErrorSummary
from assay.errors import HostError
from assay.numerics.budget import bias
from assay.numerics.budget.error_budget import roundings
from assay.numerics.budget.rounding import real_dtype
from assay.numerics.contracts.random_draws import Draws
from assay.numerics.output_expectation import DeviceDoubt, NonFinite, OutputExpectation, Relief

_QUANTILE_SAMPLE = 8192  # a full selection over a million elements costs more than the rest


def compare(expectation: OutputExpectation, actual: torch.Tensor) -> ErrorSummary:
    """How far `actual` is from what was expected; its shape and dtype must already be right."""
    if tuple(actual.shape) != expectation.shape or actual.dtype != expectation.dtype:
        raise HostError(f"compare() was given {actual.dtype} {tuple(actual.shape)}")
    if actual.numel() == 0:
        return ErrorSummary(budget_used=0.0, p999=0.0)
    if expectation.draws is not None:
        return _random_summary(expectation.draws, actual)
    known = expectation.known.summary(actual)
    if known is not None:
        return known
    summary = _compared(expectation, actual)
    expectation.known.note(actual, summary)
    return summary


def _compared(expectation: OutputExpectation, actual: torch.Tensor) -> ErrorSummary:
    shares = element_shares(expectation, actual.detach())
    summary = _summary(expectation, actual, shares)
    if expectation.reference_bias is None or not summary.ok:
        return summary
    return _with_bias(expectation, actual, summary)


def _random_summary(draws: Draws, actual: torch.Tensor) -> ErrorSummary:
    """The most surprising test; each uses its share of what chance allows."""
    worst = max(draws.findings(actual), key=lambda finding: finding.share)
    if worst.share <= 1.0:
        return ErrorSummary(budget_used=worst.share, p999=worst.share, total=actual.numel())
    return ErrorSummary(
        budget_used=_finite(worst.share),
        p999=None,
        wrong=actual.numel(),
        total=actual.numel(),
        text=f"{worst.name}: {worst.text}",
    )


def element_shares(expectation: OutputExpectation, actual: torch.Tensor) -> torch.Tensor:
    """The share of the budget each element uses, flat; infinite where nothing excuses it."""
    exact = expectation.budget is None
    shares = (_exact_shares if exact else _rounded_shares)(expectation, actual)
    if expectation.undefined is not None:
        shares[expectation.undefined.reshape(-1)] = 0.0
    if expectation.doubt is not None:
        _excuse(expectation.doubt, actual, shares)
    return shares


def _excuse(doubt: DeviceDoubt, actual: torch.Tensor, shares: torch.Tensor) -> None:
    """What the reference on the device leaves open."""
    if doubt.unasked is not None:
        shares[doubt.unasked] = 0.0
    if doubt.may_be_non_finite is not None:
        shares[doubt.may_be_non_finite & ~flat_parts(actual).isfinite()] = 0.0


def _rounded_shares(expectation: OutputExpectation, actual: torch.Tensor) -> torch.Tensor:
    assert expectation.budget is not None
    got, truth = flat_parts(actual), flat_parts(expectation.truth)
    budget = expectation.budget.reshape(-1)
    shares = (got - truth).abs_().div_(budget)
    if expectation.special or not bool(shares.amax().isfinite()):
        shares = _settle(expectation, got, shares)
    if expectation.non_finite is not None:
        shares = _settle_planted(expectation.non_finite, got, shares)
    if expectation.relief is not None:
        _relieve(expectation, expectation.relief, got, shares)
    return shares


def flat_parts(value: torch.Tensor) -> torch.Tensor:
    """float64, one dimension, real and imaginary parts apart."""
    if value.dtype.is_complex:
        value = torch.view_as_real(value.resolve_conj())
    return value.to(torch.float64).reshape(-1)


def _exact_shares(expectation: OutputExpectation, actual: torch.Tensor) -> torch.Tensor:
    got = actual.reshape(-1)
    wrong = got != expectation.truth.reshape(-1)
    if expectation.non_finite is not None:  # codes have no non-finite contract, indices do
        wrong &= ~expectation.non_finite.free.reshape(-1)
    if expectation.relief is not None:
        index, values = expectation.relief.index, expectation.relief.values
        wrong[index] &= (values != got[index]).all(0)
    return torch.where(wrong, torch.inf, 0.0).to(torch.float64)


def _settle(
    expectation: OutputExpectation, got: torch.Tensor, shares: torch.Tensor
) -> torch.Tensor:
    """Values that are not finite, on either side, without anything planted."""
    truth, reference = flat_parts(expectation.truth), flat_parts(expectation.reference)
    assert expectation.budget is not None
    budget = expectation.budget.reshape(-1)
    strange, unknown = ~got.isfinite(), ~truth.isfinite()
    shares = torch.where(strange | unknown, torch.inf, shares)
    shares[unknown & _same_kind(got, truth)] = 0.0
    shares[unknown & got.isnan() & reference.isnan()] = 0.0  # as GELU of inf, vectorised
    shares[unknown & reference.isfinite()] = 0.0  # the truth itself left its domain
    if expectation.masked:  # p - c p for p (1 - c) is inf - inf
        shares[truth.isinf() & got.isnan()] = 0.0
    shares[~unknown & strange & ~reference.isfinite()] = 0.0  # as the reference overflows
    largest = torch.finfo(real_dtype(expectation.dtype)).max
    overflows = got.isinf() & (truth.abs() + budget >= largest) & (got.sign() == truth.sign())
    shares[overflows] = 0.0
    shares[_beyond(truth, largest)] = 0.0
    return shares


def _beyond(truth: torch.Tensor, largest: float) -> torch.Tensor:
    """Elements that the dtype cannot hold, which are no question: another order of the same sums
    overflows elsewhere, to an infinity, a NaN or nothing of the kind.

    They are such only where the numbers beside them are larger than the root of the largest one,
    so that a product of two leaves the range. Beside smaller ones an infinity is a pole, such as
    the logarithm of zero, or the plain end of an exponential, and stays a question.
    """
    held = truth.abs() <= largest
    scale = float(truth[held].abs().max()) if bool(held.any()) else 0.0
    return ~held if scale > largest**0.5 else torch.zeros_like(held)


def _same_kind(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return (left.isnan() & right.isnan()) | (left == right)


def _settle_planted(rules: NonFinite, got: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    strange = ~got.isfinite()
    limit = rules.limit.reshape(-1)
    to_limit = (got - limit).abs_().div_(rules.limit_budget.reshape(-1))
    to_limit = torch.where(_same_kind(got, limit), 0.0, to_limit.nan_to_num_(torch.inf))
    shares = torch.minimum(shares.nan_to_num(torch.inf, torch.inf), to_limit)
    shares[rules.may_be_non_finite.reshape(-1) & strange] = 0.0
    shares[rules.may_be_nan.reshape(-1) & got.isnan()] = 0.0
    if rules.pole is not None:
        shares[strange & (got == rules.pole.reshape(-1))] = 0.0
    must = rules.must_be_nan.reshape(-1)
    shares[must] = torch.where(got[must].isnan(), 0.0, torch.inf).to(torch.float64)
    shares[rules.free.reshape(-1)] = 0.0
    return shares


def _relieve(
    expectation: OutputExpectation, relief: Relief, got: torch.Tensor, shares: torch.Tensor
) -> None:
    """The distance to the nearest right answer counts, whether or not the truth is near enough.

    One that is larger than the truth is rounded as what it is: of W8A8 sums that cancel, a code
    gone the other way made 0.002 of 0.00002, whose budget a rounding of 0.002 exceeds.
    """
    assert expectation.budget is not None
    index, dtype = relief.index, real_dtype(expectation.dtype)
    truth = flat_parts(expectation.truth)[index]
    more = roundings(relief.values, dtype, relief.n) - roundings(truth, dtype, relief.n)
    more.nan_to_num_(0.0, 0.0, 0.0).clamp_(min=0.0)
    allowed = more.add_(expectation.budget.reshape(-1)[index])
    others = (got[index] - relief.values).abs_().div_(allowed)
    best = others.nan_to_num_(torch.inf, torch.inf).amin(0)
    if relief.between:
        least = torch.minimum(relief.values.amin(0), truth)
        most = torch.maximum(relief.values.amax(0), truth)
        best[(least <= got[index]) & (got[index] <= most)] = 0.0
    shares[index] = torch.minimum(shares[index], best)


def _summary(
    expectation: OutputExpectation, actual: torch.Tensor, shares: torch.Tensor
) -> ErrorSummary:
    largest = float(shares.amax())
    sample = shares[:: max(1, shares.numel() // _QUANTILE_SAMPLE)]
    rank = max(1, -(-999 * sample.numel() // 1000))
    p999 = float(sample.kthvalue(rank).values)
    if largest <= 1.0:
        return ErrorSummary(budget_used=largest, p999=p999, total=shares.numel())
    worst = int(shares.argmax())
    return ErrorSummary(
        budget_used=_finite(largest),
        p999=_finite(p999),
        wrong=int((shares > 1.0).sum()),
        total=shares.numel(),
        where=_place(expectation, worst),
        text=_words(expectation, actual, worst),
        noise=_noise(expectation, actual),
    )


def _noise(expectation: OutputExpectation, actual: torch.Tensor) -> float | None:
    """The root of the mean square of the error over that of the truth, where both are finite."""
    if expectation.budget is None:
        return None
    got, truth = flat_parts(actual), flat_parts(expectation.truth)
    finite = got.isfinite() & truth.isfinite()
    size = truth[finite].square().sum()
    return float(((got - truth)[finite].square().sum() / size).sqrt()) if size > 0 else None


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


def _place(expectation: OutputExpectation, flat: int) -> str:
    flat = flat // 2 if expectation.dtype.is_complex else flat
    index = []
    for size in reversed(expectation.shape):
        flat, here = divmod(flat, size)
        index.append(here)
    return str(index[::-1])


def _words(expectation: OutputExpectation, actual: torch.Tensor, worst: int) -> str:
    flat = worst // 2 if expectation.dtype.is_complex else worst
    got = actual.reshape(-1)[flat].item()
    truth = expectation.truth.reshape(-1)[flat].item()
    if expectation.budget is None:
        return f"got {got}, expected {truth}"
    if expectation.must_be_nan is not None and bool(expectation.must_be_nan.reshape(-1)[worst]):
        return f"got {got:.9g}, expected nan"
    budget = float(expectation.budget.reshape(-1)[worst])
    return f"got {got:.9g}, expected {truth:.9g} +- {budget:.3g}"


def _with_bias(
    expectation: OutputExpectation, actual: torch.Tensor, summary: ErrorSummary
) -> ErrorSummary:
    """A 16-bit output whose errors lean to one side is wrong though each of them is small."""
    assert expectation.reference_bias is not None
    found = bias.mean_error(actual, expectation.truth, expectation.dtype)
    shares = [
        abs(mean) / (abs(reference) + bias.ALLOWED_BEYOND_REFERENCE)
        for mean, reference in zip(found, expectation.reference_bias, strict=True)
    ]
    if max(shares) <= 1.0:
        return summary
    mean = found[shares.index(max(shares))]
    text = f"mean error of {mean:.2f} ulp over {summary.total} elements: results lean to one side"
    return summary.model_copy(
        update={"budget_used": max(shares), "wrong": summary.total, "where": "", "text": text}
    )
