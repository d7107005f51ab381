"""Performance level: P, from the measured time against the best known.

With r = time of the best known / time of the candidate:

    P1  it is accepted: right and honest
    P2  r >= 0.5
    P3  r >= 0.9
    P4  r >= 1, or r >= 0.95 where no difference is shown

The best known is the fastest of the baselines that were timed beside it and of the accepted kernels
of the same task and device in the records at hand. The speed of light bounds whatever may become
known: a share of it is a lower bound of r, and may raise the level.

The rule: eager torch alone is no best known, because it runs one kernel an operation. It shows P2
at most, except for dense linear algebra (K3, K4), where it calls the vendor's library. What was
not timed is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.baselines import EAGER
from assay.data.observations.measurement import Timing
from assay.data.verdict import Status, Verdict
from assay.scores.rubric.placed_level import PlacedLevel

_COMPETITIVE, _NEAR, _ALIKE = 0.5, 0.9, 0.95
_VENDOR_COMPLEXITY = 3  # from here on eager calls the vendor's library
_MEND = "time it against --baseline compile or vendor too"


@dataclass(frozen=True, slots=True)
class KnownTime:
    """The time of a kernel that was accepted for the same task on the same device."""

    name: str
    candidate_id: str
    time_us: float
    eager_speedup: float | None = None  # its own, where it was timed against eager


@dataclass(frozen=True, slots=True)
class _KnownRatio:
    """Something that the candidate is compared with."""

    name: str
    ratio: float  # r
    alike: bool  # no difference is shown
    strong: bool  # it counts as best known


def performance_level(
    verdict: Verdict, complexity: int | None, stored: KnownTime | None = None
) -> PlacedLevel:
    """P of a judged candidate; `stored` is the fastest other kernel of the task and device."""
    if verdict.status is not Status.ACCEPTED:
        return PlacedLevel(None, f"it is {verdict.status.value}: only an accepted kernel has one")
    light = verdict.limits.sol_fraction if verdict.limits else None
    found = references(verdict, complexity, stored)
    if not found:
        why = verdict.timing_reason or "no reason was given"
        return PlacedLevel(None, f"P1 at least, as it is accepted; not timed: {why}")
    best = min(found, key=lambda one: one.ratio)
    level, words = _against(best, any(one.strong for one in found))
    by_light = 1 if light is None else _level(light, alike=True)
    if by_light > level:
        return PlacedLevel(by_light, f"{100 * (light or 0):.0f} % of the speed of light; {words}")
    return PlacedLevel(level, words)


def efficiency(
    verdict: Verdict, complexity: int | None, stored: KnownTime | None = None
) -> float | None:
    """The share of the speed of light, or of the best known where that is the larger."""
    known = [one.ratio for one in references(verdict, complexity, stored) if one.strong]
    light = verdict.limits.sol_fraction if verdict.limits else None
    shares = ([min(known)] if known else []) + ([] if light is None else [light])
    return max(shares, default=None)


def references(
    verdict: Verdict, complexity: int | None, stored: KnownTime | None
) -> list[_KnownRatio]:
    """Every time that the candidate's can be compared with: baselines on the stated cache first."""
    usable = [timing for timing in verdict.timing or () if timing.speedup > 0]
    if not usable:
        return []
    first = usable[0]
    found = [_of_baseline(one, complexity) for one in usable if one.cache == first.cache]
    if stored is not None and stored.candidate_id != verdict.candidate_id:
        ratio = stored.time_us / first.candidate_us
        strong = (stored.eager_speedup or 0.0) > 1.0
        found.append(_KnownRatio(f"{stored.name}, stored", ratio, _ALIKE <= ratio < 1, strong))
    return found


def _of_baseline(timing: Timing, complexity: int | None) -> _KnownRatio:
    """Its speedup is r: the baseline's time over the candidate's."""
    alike = timing.speedup_low <= 1 <= timing.speedup_high
    library = complexity is not None and complexity >= _VENDOR_COMPLEXITY
    return _KnownRatio(timing.baseline, timing.speedup, alike, timing.baseline != EAGER or library)


def _against(best: _KnownRatio, strong: bool) -> tuple[int, str]:
    words = f"{best.ratio:.2f}x the speed of the best known, {best.name}"
    level = _level(best.ratio, best.alike)
    if strong or level <= 2:
        return level, words
    return 2, f"{words}, and {best.name} alone shows no more: {_MEND}"


def _level(ratio: float, alike: bool) -> int:
    if ratio >= 1 or (alike and ratio >= _ALIKE):
        return 4
    return 3 if ratio >= _NEAR else 2 if ratio >= _COMPETITIVE else 1
