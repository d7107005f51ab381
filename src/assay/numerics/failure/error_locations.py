"""Error locations: where the wrong elements of an answer lie, in words.

The rule: a place is named only where it holds all wrong elements and leaves right ones out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch

from assay.data.observations.explanation import PatternKind

NEARLY_ALL = 0.9  # a wrong answer has a few elements that are right by luck
_LISTED = 4  # indices named one by one
_LEAST_TILE = 8  # a smaller power of two divides too many starts by chance
_MOST_TILE = 1024
_LEAST_STRIDED = 3  # coordinates that make a stride


@dataclass(frozen=True)
class ErrorLocations:
    """Which kind of place, and in words."""

    kind: PatternKind
    text: str


def error_locations(wrong: torch.Tensor) -> ErrorLocations:
    """`wrong` is a mask in the shape of the output, with at least one element set."""
    count, total = int(wrong.sum()), wrong.numel()
    if count == total:
        return ErrorLocations(PatternKind.EVERYWHERE, _all(total))
    found = [
        place
        for dimension, size in enumerate(wrong.shape)
        if (place := _along(_coordinates(wrong, dimension), size, dimension)) is not None
    ]
    if found:
        kinds = [place.kind for place in found]
        kind = min(kinds, key=_INFORMATIVE.index)
        return ErrorLocations(kind, " and ".join(place.text for place in found))
    flat = _flat_tail(wrong.reshape(-1))
    if flat is not None:
        return flat
    text = f"{count} of {total} elements"
    if count >= NEARLY_ALL * total:
        return ErrorLocations(PatternKind.EVERYWHERE, f"nearly everywhere, {text}")
    return ErrorLocations(PatternKind.SCATTERED, f"{text}, scattered")


_INFORMATIVE = [PatternKind.TAIL, PatternKind.STRIDE, PatternKind.SLICES]


def _all(total: int) -> str:
    return "the only element" if total == 1 else f"all {total} elements"


def _coordinates(wrong: torch.Tensor, dimension: int) -> list[int]:
    """The indices along one dimension at which something is wrong."""
    others = [d for d in range(wrong.dim()) if d != dimension]
    hit = wrong.any(dim=others) if others else wrong
    return [int(i) for i in hit.nonzero().reshape(-1)]


def _along(hit: Sequence[int], size: int, dimension: int) -> ErrorLocations | None:
    """What the wrong coordinates of one dimension are; None where they are all of them."""
    if len(hit) == size:
        return None
    count, first = len(hit), hit[0]
    where = f"of {size} along dimension {dimension}"
    if hit == list(range(first, size)):
        tile = _tile(first)
        after = f", after the last full tile of {tile}" if tile else ""
        return ErrorLocations(PatternKind.TAIL, f"the last {count} {where}{after}")
    if hit == list(range(count)):
        return ErrorLocations(PatternKind.SLICES, f"the first {count} {where}")
    step = hit[1] - first if count >= _LEAST_STRIDED else 0
    if step > 1 and all(b - a == step for a, b in pairwise(hit)):
        text = f"one in {step} {where}, from index {first}"
        return ErrorLocations(PatternKind.STRIDE, text)
    if count <= _LISTED:
        listed = ", ".join(str(i) for i in hit)
        noun = "index" if count == 1 else "indices"
        return ErrorLocations(PatternKind.SLICES, f"{noun} {listed} {where}")
    if hit == list(range(first, first + count)):
        return ErrorLocations(PatternKind.SLICES, f"indices {first} to {first + count - 1} {where}")
    return None


def _tile(start: int) -> int:
    """The largest power of two that divides where the tail begins; 0 where that is no tile."""
    power = start & -start
    return min(power, _MOST_TILE) if power >= _LEAST_TILE else 0


def _flat_tail(wrong: torch.Tensor) -> ErrorLocations | None:
    """A kernel over flat elements loses the end of the whole, in the middle of a row."""
    hit = wrong.nonzero().reshape(-1)
    first, count = int(hit[0]), len(hit)
    if first + count != wrong.numel():
        return None
    tile = _tile(first)
    after = f", after the last full tile of {tile}" if tile else ""
    return ErrorLocations(
        PatternKind.TAIL, f"the last {count} of {wrong.numel()} in memory order{after}"
    )
