"""Rounding alternatives: codes that an honest kernel may round either way, and the truth for each
way.

The rule: a code is open only where the budget of the number it is made of straddles a boundary.
Where a row of such numbers was computed without any rounding (an exact workload) none is open. The
open codes nearest to their boundary go either way in every combination, all the others together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from assay.numerics.budget.error_budget import BudgetTerms, error_budget, sensitivity
from assay.numerics.budget.rounded_codes import Dictate, Rounded
from assay.numerics.budget.rounding import all_finite

_MOST_BITS = 5  # 32 combinations: a row of 65536 codes has about two that are open


@dataclass(frozen=True)
class OpenRoundings:
    """The codes of one rounding that may go either way."""

    number: int  # of the rounding
    index: torch.Tensor  # flat
    inner: torch.Tensor  # the code nearer to zero, or the lower one
    outer: torch.Tensor
    rank: torch.Tensor  # in its row, nearest to its boundary first; equal numbers share a rank


@dataclass(frozen=True)
class RoundedRuns:
    """One rounding in all runs that kept the codes of the truth."""

    truth: Rounded
    own: Rounded  # at the task's precision
    probes: tuple[Rounded, ...]
    scale: float  # of the probes, in roundings


def open_codes(runs: Sequence[RoundedRuns], exact: bool) -> list[OpenRoundings]:
    """Where the computation may have rounded the other way, for each rounding that has such."""
    found = [_open(number, one, exact) for number, one in enumerate(runs)]
    return [one for one in found if one is not None]


def _open(number: int, runs: RoundedRuns, exact: bool) -> OpenRoundings | None:
    truth, own = runs.truth.argument.double(), runs.own.argument.double()
    if truth.numel() == 0 or truth.shape != own.shape:
        return None
    finite = torch.where(truth.isfinite(), truth, 0.0).contiguous()
    probes = [p.argument.double() for p in runs.probes if p.argument.shape == truth.shape]
    response = sensitivity(finite, probes, runs.scale).rms
    error = (own - finite).abs_().nan_to_num_(0.0, 0.0, 0.0)
    terms = BudgetTerms(finite, finite.abs(), error, response, runs.own.n)
    budget = error_budget(terms, runs.own.argument.dtype)
    inner, outer, distance = _sides(runs.truth.operation, finite)
    near = (distance <= budget) & ((response > 0.0) | (error > 0.0)) & (inner != outer)
    if exact:
        near &= _inexact_rows(error)
    index = near.reshape(-1).nonzero().reshape(-1)
    if index.numel() == 0:
        return None
    ratio = (distance / budget).reshape(-1)[index]
    rank = _ranks(index, truth.shape[-1] if truth.dim() else 1, finite.reshape(-1)[index], ratio)
    return OpenRoundings(number, index, inner.reshape(-1)[index], outer.reshape(-1)[index], rank)


def rounds_otherwise(runs: Sequence[RoundedRuns]) -> bool:
    """Whether the task's own precision makes another code than the truth anywhere.

    Then the reference's own run is one of the right answers: float16 has no odd numbers beyond
    2048, and what it sums up before a cast may be further from a boundary than probes foresee.
    """
    return any(bool((_codes(one.own) != _codes(one.truth)).any()) for one in runs)


def _codes(rounded: Rounded) -> torch.Tensor:
    """The codes that the run itself would make, whatever was dictated; float64."""
    return _ROUNDINGS[rounded.operation](rounded.argument.double())


_ROUNDINGS = {
    "nearest": torch.round,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
}


def undefined_codes(runs: Sequence[RoundedRuns]) -> list[Dictate]:
    """Other integers in the place of those made of a NaN or an infinity; none where all are finite.

    No language defines these integers: processors give the lowest one, the nearest one or zero.
    """
    places = {}
    for number, one in enumerate(runs):
        integer = not one.truth.codes.dtype.is_floating_point
        if integer and not all_finite(one.truth.argument + one.own.argument):
            strange = ~(one.truth.argument.isfinite() & one.own.argument.isfinite())
            places[number] = (strange.reshape(-1).nonzero().reshape(-1), one.truth.codes.dtype)
    if not places:
        return []
    return [
        _replaced({n: (at, torch.full_like(at, code(dtype))) for n, (at, dtype) in places.items()})
        for code in (lambda dtype: 0, lambda dtype: 1, _lowest, _highest)
    ]


def _lowest(dtype: torch.dtype) -> int:
    return int(torch.iinfo(dtype).min)


def _highest(dtype: torch.dtype) -> int:
    return int(torch.iinfo(dtype).max)


def _inexact_rows(error: torch.Tensor) -> torch.Tensor:
    """Rows (along the last dimension) in which some number was not computed exactly."""
    rows = (error > 0.0).reshape(-1, error.shape[-1] if error.dim() else 1)
    return rows.any(1, keepdim=True).expand(rows.shape).reshape(error.shape)


def _sides(operation: str, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The codes on either side of the nearest boundary, and how far away it is."""
    if operation == "nearest":
        size = value.abs()
        below = size.floor()
        sign = torch.where(value < 0, -1.0, 1.0)
        return sign * below, sign * (below + 1), (size - below - 0.5).abs_()
    whole = value.round()
    distance = (value - whole).abs_()
    if operation == "floor":
        return whole - 1, whole, distance
    if operation == "ceil":
        return whole, whole + 1, distance
    return whole - whole.sign(), whole, distance


def _ranks(
    index: torch.Tensor, width: int, value: torch.Tensor, ratio: torch.Tensor
) -> torch.Tensor:
    """The place of each open code among those of its row; equal numbers round alike."""
    row = (index // max(1, width)).numpy()
    key, nearness = value.abs().float().numpy(), ratio.numpy()
    order = np.lexsort((key, row))
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (np.diff(row[order]) != 0) | (np.diff(key[order]) != 0)
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    best = np.minimum.reduceat(nearness[order], begins.nonzero()[0])
    rows = row[order][begins]
    by_row = np.lexsort((best, rows))
    starts = np.searchsorted(rows[by_row], rows[by_row])
    place = np.empty(len(best), dtype=np.int64)
    place[by_row] = np.arange(len(best)) - starts
    return torch.from_numpy(place[group])


def rounding_alternative(found: Sequence[OpenRoundings], run: Callable[[Dictate], None]) -> None:
    """Call `run` once for each way the open codes may go."""
    bits = _bits(found)
    for mask in range(1 << sum(bits)):
        run(_choice(found, bits, mask))
    if any(int(one.rank.max()) >= b for one, b in zip(found, bits, strict=True)):
        for outward in (False, True):
            run(_together(found, outward))


def _bits(found: Sequence[OpenRoundings]) -> list[int]:
    bits, left = [], _MOST_BITS
    for one in found:
        bits.append(min(left, int(one.rank.max()) + 1))
        left -= bits[-1]
    return bits


def _choice(found: Sequence[OpenRoundings], bits: Sequence[int], mask: int) -> Dictate:
    tables = {}
    for one, count in zip(found, bits, strict=True):
        free = one.rank < count
        outward = ((mask >> one.rank.clamp(max=63)) & 1).bool()[free]
        codes = torch.where(outward, one.outer[free], one.inner[free])
        tables[one.number] = (one.index[free], codes)
        mask >>= count
    return _replaced(tables)


def _together(found: Sequence[OpenRoundings], outward: bool) -> Dictate:
    return _replaced(
        {one.number: (one.index, one.outer if outward else one.inner) for one in found}
    )


def _replaced(tables: dict[int, tuple[torch.Tensor, torch.Tensor]]) -> Dictate:
    def dictate(number: int, argument: torch.Tensor, result: torch.Tensor) -> torch.Tensor | None:
        if number not in tables:
            return None
        index, codes = tables[number]
        changed = result.clone().reshape(-1)
        changed[index] = codes.to(changed.dtype)
        return changed.reshape(result.shape)

    return dictate
