"""The error budget of one output, element by element.

    B = ½ulp_out(T) + chain(n)·½ulp_acc(T) + growth(n)·S + 4P + 2Q + smallest_normal + 2⁻⁴⁵·max|T|

T is the truth, n the longest reduction, S how far T moves when inputs, weights and the sums made
on the way move by one rounding of the accumulation dtype, P the largest error of the reference
among elements within one binade of |T|, and up to the size of that error where it is as large as
T. Q is the same of the reference whose sums of more than 4096 terms are running sums of the
accumulation dtype, made on the contents of the call. The smallest normal is that of the
accumulation dtype: kernels flush float32 subnormals, but conversions to 16 bits keep theirs.

The rule: no constant belongs to a task.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import torch

from assay.numerics.budget.rounding import EXPONENTS, accumulation_dtype, exponent, ulp

# Where an operation jumps (floor, quantisation), most probes do not move at all beside one that
# does; of four smooth responses fewer than one in 300 differ this much.
_JUMP_RATIO = 1e-3
_LOPSIDED = 0.25  # of the largest response: two mirrored probes are that far from opposite
_LEAP = 0.01  # of the output's scale: what puts a workload out of domain
_FEW = 1 / 64  # of the elements
_LEAST_IN_WINDOW = 64  # elements, before the largest error of a window counts
LONGEST_CHAIN = 4096  # terms: longer running sums are made, see sequential_sums
_MANY_BINS = 256  # binades that are asked one by one
_SAMPLED = 65536  # elements, of which the means of the binades are taken


def growth(n: int) -> float:
    """How many input roundings a reduction of length n may pile up: 8 + max(4√n, n/2 ≤ 2048).

    Random roundings grow with √n, those that lean to one side with n: Welford's mean on coarse
    data used 1.2 of a budget of 8 + 4√n at n = 1024. Up to n = 64 the two are the same, and
    beyond 4096 terms Q holds what a running sum loses on the contents of the call.
    """
    return 8.0 + max(4.0 * sqrt(n), min(n, LONGEST_CHAIN) / 2)


def chain(n: int) -> float:
    """How many roundings of the result itself: 8 + max(4√n, n ≤ 4096).

    n is what a running sum of positive terms can lose: beside one large term all small ones fall
    below its spacing (softmax beside an outlier used 2.0 of 8 + 4√n at n = 1024).
    """
    return 8.0 + max(4.0 * sqrt(n), float(min(n, LONGEST_CHAIN)))


@dataclass(frozen=True)
class Sensitivity:
    """How the truth responded to the probes."""

    rms: torch.Tensor  # S: per element, for one rounding
    jumps: torch.Tensor | None  # flat positions where some probes jump while others stand still
    sides: torch.Tensor | None  # those, and where a probe and its mirror image do not fit together


def sensitivity(truth: torch.Tensor, probes: list[torch.Tensor], scale: float) -> Sensitivity:
    """S from probes whose perturbation was `scale` roundings large.

    A probe that is not finite where the truth is finite says nothing about that element.
    """
    squares = torch.zeros_like(truth)
    least, most = torch.full_like(truth, torch.inf), torch.zeros_like(truth)
    for probe in probes:
        change = (probe - truth).abs_().nan_to_num_(0.0, 0.0, 0.0)
        torch.minimum(least, change, out=least)
        torch.maximum(most, change, out=most)
        squares.addcmul_(change, change)
    jumps, lopsided = least < most * _JUMP_RATIO, _lopsided(truth, probes, most)
    rms = squares.div_(max(1, len(probes))).sqrt_()
    bins = exponent(truth).masked_fill_(rms >= truth.abs(), 0)
    rms = _steadied(rms.div_(scale), bins.reshape(-1), jumps.reshape(-1))
    return Sensitivity(rms, _places(jumps), _places(jumps | lopsided))


def _places(mask: torch.Tensor) -> torch.Tensor | None:
    """Flat positions; None where there are none."""
    return mask.reshape(-1).nonzero().reshape(-1) if bool(mask.any()) else None


def _lopsided(truth: torch.Tensor, probes: list[torch.Tensor], most: torch.Tensor) -> torch.Tensor:
    """Where the first probe and the last, its mirror image, do not answer in opposite ways.

    A smooth response does, to the second order; a mask that one of the two tips over does not.
    """
    if len(probes) < 2:
        return torch.zeros_like(truth, dtype=torch.bool)
    both = (probes[0] - truth).add_(probes[-1]).sub_(truth).abs_()
    return both.nan_to_num_(0.0, 0.0, 0.0) > _LOPSIDED * most


def with_leaps(response: Sensitivity, error: torch.Tensor, truth: torch.Tensor) -> Sensitivity:
    """Jumps of the reference, such as a mask that its rounding tipped over.

    They are few, would put the workload out of domain, and either lie far beyond what the probes
    foretell or where a probe and its mirror image jump as well.
    """
    if not error.numel():
        return response
    least = _LEAP * truth.abs().max()
    if bool(error.max() <= least):
        return response
    large = error > least
    far = large & (error > response.rms / _JUMP_RATIO)
    if response.sides is not None:
        far.view(-1)[response.sides] = large.view(-1)[response.sides]
    places = _places(far)
    if places is None or places.numel() > _FEW * error.numel():
        return response
    return replace(
        response, jumps=_joined(response.jumps, places), sides=_joined(response.sides, places)
    )


def _joined(one: torch.Tensor | None, other: torch.Tensor) -> torch.Tensor:
    return other if one is None else torch.cat([one, other]).unique()


def _steadied(rms: torch.Tensor, bins: torch.Tensor, jumps: torch.Tensor) -> torch.Tensor:
    """S, but never below the geometric mean of S over the element's own binade.

    Four probes see a tenth of the true response in one element of a thousand; elements that did
    not respond at all stay at 0. Bin 0 is of all that moved as far as from zero. There the size of
    T says nothing, a sum that happens to be small moves little, and what has one factor in common
    moves as little as that: never below twice their RMS.
    """
    if rms.numel() == 0:
        return rms
    step = -(-rms.numel() // _SAMPLED)
    some, places = rms.reshape(-1)[::step], bins[::step]
    smooth = (some > 0.0) & ~jumps[::step]
    some, places = some[smooth], places[smooth]
    empty = torch.zeros(EXPONENTS, dtype=torch.float64, device=rms.device)
    counts = torch.bincount(places, minlength=EXPONENTS)
    floors = empty.index_add(0, places, some.log()).div_(counts.clamp(min=1)).exp_()
    floors[counts == 0] = 0.0
    if int(counts[0]):
        floors[0] = 2.0 * some[places == 0].square().mean().sqrt()
    floor = floors.index_select(0, bins).reshape(rms.shape)
    return torch.maximum(rms, floor.masked_fill_(rms == 0.0, 0.0))


@dataclass(frozen=True)
class BudgetTerms:
    """What the formula is made of."""

    truth: torch.Tensor  # finite; parts of complex numbers apart
    magnitude: torch.Tensor  # |T|, for a complex number that of the whole
    error: torch.Tensor  # of the reference; 0 where it does not count
    spread: torch.Tensor  # S
    n: int
    sequential: torch.Tensor | None = None  # error of running sums; None where they are short


def error_budget(terms: BudgetTerms, dtype: torch.dtype) -> torch.Tensor:
    """B for a real output dtype (the part's dtype of a complex one)."""
    facts = torch.finfo(accumulation_dtype(dtype))
    limit = min(torch.finfo(dtype).max, 2.0**1000)
    scale = float(terms.magnitude.clamp(max=limit).max()) if terms.truth.numel() else 0.0
    budget = roundings(terms.magnitude, dtype, terms.n)
    budget.add_(terms.spread, alpha=growth(terms.n))
    budget.add_(reference_spread(terms.magnitude, terms.error), alpha=4.0)
    if terms.sequential is not None:
        budget.add_(reference_spread(terms.magnitude, terms.sequential), alpha=2.0)
    return budget.add_(facts.tiny + 2.0**-45 * scale)


def roundings(value: torch.Tensor, dtype: torch.dtype, n: int) -> torch.Tensor:
    """Those of the result itself: ½ulp_out + chain(n)·½ulp_acc."""
    made = ulp(value, accumulation_dtype(dtype)).mul_(0.5 * chain(n))
    return made.add_(ulp(value, dtype), alpha=0.5)


def reference_spread(magnitude: torch.Tensor, error: torch.Tensor) -> torch.Tensor:
    """P: for each element the largest reference error among elements within one binade of it.

    Where fewer than 64 elements lie there the window widens until 64 do: a handful of lucky
    references says nothing (GELU's far tail, where 1 + erf cancels for reference and kernel alike).
    An error as large as the element itself opens the window up to elements of the error's size:
    see `_lifted`.
    """
    if error.numel() == 0:
        return error.clone()
    exponents = exponent(magnitude).reshape(-1)
    lowest = exponents.masked_fill(exponents == 0, EXPONENTS).min()
    bins = _near_bins(exponents, lowest)
    counts = torch.bincount(bins)
    worst = _worst(error.reshape(-1), bins, counts)
    spread = _windowed(worst, counts)
    lifted = _lifted(spread, _near_bins(exponent(spread), lowest))
    return lifted.index_select(0, bins).reshape(error.shape)


def _worst(error: torch.Tensor, bins: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """The largest error of each bin.

    On a device all elements of one bin would wait for each other: there it is asked bin by bin.
    """
    worst = torch.zeros(counts.numel(), dtype=torch.float64, device=error.device)
    filled = counts.nonzero().reshape(-1).tolist()
    if error.device.type == "cpu" or len(filled) > _MANY_BINS:
        return worst.scatter_reduce_(0, bins, error, "amax")
    for number in filled:
        worst[number] = error.masked_fill(bins != number, 0.0).max()
    return worst


def _near_bins(exponents: torch.Tensor, lowest: torch.Tensor) -> torch.Tensor:
    """Bins counted from just below the smallest non-zero magnitude, where zeros go too."""
    return (exponents - lowest + 2).clamp_(min=0)


def _lifted(spread: torch.Tensor, reach: torch.Tensor) -> torch.Tensor:
    """`spread` by bin, where no digit is right that of everything up to the size of the error.

    What cancels to nothing comes out as noise, or by luck as nothing at all, and so says little
    about its own size (gradients of a softmax that is nearly one-hot: the reference missed 2^-30 by
    2^-25, the same formula summed in another order by 2^-7, as the reference did elsewhere).
    """
    found, ends = spread.tolist(), reach.tolist()
    for low in range(len(found) - 1, -1, -1):
        if found[low] > 0.0 and ends[low] >= low:
            found[low] = max(found[low : ends[low] + 1])
    return spread.new_tensor(found)


def _windowed(worst: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """The maximum of `worst` over the narrowest window around each bin that holds enough."""
    found, open_bins = torch.zeros_like(worst), torch.ones_like(counts, dtype=torch.bool)
    enough = min(_LEAST_IN_WINDOW, int(counts.sum()))
    radius = 1
    while bool(open_bins.any()):
        held = _window_sums(counts, radius) >= enough
        widest = _window_maxima(worst, radius)
        found = torch.where(open_bins & held, widest, found)
        open_bins &= ~held
        radius *= 2
    return found


def _window_sums(counts: torch.Tensor, radius: int) -> torch.Tensor:
    total = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    place = torch.arange(counts.numel(), device=counts.device)
    above = (place + radius + 1).clamp_(max=counts.numel())
    return total[above] - total[(place - radius).clamp_(min=0)]


def _window_maxima(worst: torch.Tensor, radius: int) -> torch.Tensor:
    padded = torch.nn.functional.pad(worst, (radius, radius))
    return padded.unfold(0, 2 * radius + 1, 1).amax(1)
