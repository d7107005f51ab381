"""Pattern: what the wrong elements of an answer have in common, in words.

The rule: pure, and modest. A pattern is named only where every wrong element follows it; otherwise
it is said where they lie, and nothing about why.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import torch

from assay.data.observations.explanation import PatternKind
from assay.numerics.failure.error_locations import ErrorLocations, error_locations

_NEARLY = 2.0**-6  # an error below this share of the truth is a matter of precision
_SAME = 1e-3  # how well a factor or a shift must hold, as a share of what it explains
_LEAST = 3  # elements on which a factor, a shift or a permutation can be seen
_LEFT_OVER = 0.4  # of an error in proportion to the answer, after that proportion is taken away
_FORMATS = ((8, "bfloat16"), (11, "float16 or TF32"))


@dataclass(frozen=True)
class WrongAnswer:
    """One output and what it should have been, in float64, with the elements that are wrong."""

    got: torch.Tensor
    expected: torch.Tensor
    wrong: torch.Tensor  # boolean, the same shape

    @property
    def pairs(self) -> tuple[torch.Tensor, torch.Tensor]:
        """What came and what was expected, at the wrong elements."""
        return self.got[self.wrong], self.expected[self.wrong]


@dataclass(frozen=True)
class Pattern:
    """Its kind, and one sentence without a full stop."""

    kind: PatternKind
    text: str


def pattern(answer: WrongAnswer) -> Pattern:
    """The first pattern that holds, with the place of the wrong elements."""
    where = error_locations(answer.wrong)
    for detect in _DETECTORS:
        found = detect(answer)
        if found is not None:
            return Pattern(found.kind, f"{found.text}: {where.text}")
    return _placed(answer, where)


def _placed(answer: WrongAnswer, where: ErrorLocations) -> Pattern:
    if where.kind in (PatternKind.EVERYWHERE, PatternKind.SCATTERED):
        return Pattern(where.kind, f"wrong in {where.text}")
    wrong, total = int(answer.wrong.sum()), answer.wrong.numel()
    return Pattern(where.kind, f"wrong in {where.text} ({wrong} of {total} elements)")


def _non_finite(answer: WrongAnswer) -> Pattern | None:
    got, expected = answer.pairs
    if bool((~got.isfinite() & expected.isfinite()).all()):
        what = "NaN" if bool(got.isnan().all()) else "not finite"
        return Pattern(PatternKind.NON_FINITE, f"{what} where the answer is finite")
    if bool((got.isfinite() & ~expected.isfinite()).all()):
        text = "finite where a NaN or an infinity of the input must show"
        return Pattern(PatternKind.NON_FINITE, text)
    return None


def _zeros(answer: WrongAnswer) -> Pattern | None:
    got, expected = answer.pairs
    if bool((got == 0).all()) and bool((expected != 0).any()):
        return Pattern(PatternKind.ZEROS, "zero instead of the answer")
    return None


def _constant(answer: WrongAnswer) -> Pattern | None:
    got, expected = answer.pairs
    varied = bool((expected != expected[0]).any())
    if len(got) >= _LEAST and varied and bool((got == got[0]).all()):
        return Pattern(PatternKind.CONSTANT, f"the same value {float(got[0]):.6g}")
    return None


def _precision(answer: WrongAnswer) -> Pattern | None:
    """Nearly right everywhere: how many bits of the answer hold."""
    got, expected = answer.pairs
    error = got - expected
    worst = float(
        (error.abs() / expected.abs().clamp_min(_rms(expected))).nan_to_num(math.inf).max()
    )
    if not 0 < worst < _NEARLY:
        return None
    slope = float((error * expected).sum() / expected.square().sum())
    if len(got) > _LEAST and _rms(error - slope * expected) < _LEFT_OVER * _rms(error):
        return Pattern(PatternKind.FACTOR, f"about {1 + slope:.6g} times the answer")
    bits = math.floor(-math.log2(worst))
    like = next((name for held, name in _FORMATS if abs(bits - held) <= 1), "")
    hint = f", as in {like}" if like else ""
    return Pattern(PatternKind.PRECISION, f"right to about {bits} bits only{hint}")


def _factor(answer: WrongAnswer) -> Pattern | None:
    got, expected = answer.pairs
    kept = expected.abs() > _scale(answer.expected) * _NEARLY
    if int(kept.sum()) < _LEAST:
        return None
    ratio = got[kept] / expected[kept]
    middle = float(ratio.median())
    if not math.isfinite(middle) or _spread(ratio) > _SAME * abs(middle - 1):
        return None
    return Pattern(PatternKind.FACTOR, f"{middle:.6g} times the answer")


def _shifted(answer: WrongAnswer) -> Pattern | None:
    got, expected = answer.pairs
    if len(got) < _LEAST:
        return None
    shift = got - expected
    middle = float(shift.median())
    if not math.isfinite(middle) or _spread(shift) > _SAME * abs(middle):
        return None
    return Pattern(PatternKind.SHIFTED, f"the answer plus {middle:.6g}")


def _along(answer: WrongAnswer) -> Pattern | None:
    """Amounts added or multiplied that do not change along a dimension: a bias, a gain."""
    if not bool(answer.got.isfinite().all() and answer.expected.isfinite().all()):
        return None
    error, large = answer.got - answer.expected, answer.expected.abs().amin() > 0
    ratio = answer.got / answer.expected if bool(large) else None
    for dimension in range(error.dim()):
        if error.shape[dimension] < _LEAST or error.numel() == error.shape[dimension]:
            continue
        if _steady(error, dimension, 0.0):
            text = f"the answer plus amounts that are the same all along dimension {dimension}"
            return Pattern(PatternKind.SHIFTED, text)
        if ratio is not None and _steady(ratio, dimension, 1.0):
            text = f"the answer times amounts that are the same all along dimension {dimension}"
            return Pattern(PatternKind.FACTOR, text)
    return None


def _steady(values: torch.Tensor, dimension: int, neutral: float) -> bool:
    """Whether they change with other dimensions alone, and are not all `neutral`."""
    spread = (values.amax(dimension) - values.amin(dimension)).max()
    return bool(spread <= _SAME * (values - neutral).abs().max())


def _permuted(answer: WrongAnswer) -> Pattern | None:
    """The right values in other places; a swap of two dimensions or a shift is named."""
    got, expected = answer.got, answer.expected
    if got.numel() < _LEAST or not bool(got.isfinite().all() and expected.isfinite().all()):
        return None
    if not _alike(got.reshape(-1).sort().values, expected.reshape(-1).sort().values):
        return None
    for one, other in combinations(range(got.dim()), 2):
        swapped = expected.transpose(one, other).reshape(got.shape)
        if _alike(got, swapped):
            text = f"the answer with dimensions {one} and {other} swapped"
            return Pattern(PatternKind.PERMUTED, text)
    for dimension in range(got.dim()):
        for step in (1, -1):
            if _alike(got, expected.roll(step, dimension)):
                text = f"the answer moved by {step} along dimension {dimension}"
                return Pattern(PatternKind.PERMUTED, text)
    return Pattern(PatternKind.PERMUTED, "the right values in other places")


def _alike(left: torch.Tensor, right: torch.Tensor) -> bool:
    return float((left - right).abs().max()) <= 1e-5 * _scale(right)


def _scale(values: torch.Tensor) -> float:
    finite = values[values.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _rms(values: torch.Tensor) -> float:
    return float(values[values.isfinite()].square().mean().sqrt())


def _spread(values: torch.Tensor) -> float:
    spread = float(values.max() - values.min())
    return spread if math.isfinite(spread) else math.inf


_DETECTORS: tuple[Callable[[WrongAnswer], Pattern | None], ...] = (
    _non_finite,
    _zeros,
    _constant,
    _factor,
    _shifted,
    _along,
    _permuted,
    _precision,
)
