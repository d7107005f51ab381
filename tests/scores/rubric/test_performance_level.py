from __future__ import annotations

import pytest

from assay.data.verdict import Limits, Status, Verdict
from assay.scores.rubric.performance_level import KnownTime, efficiency, performance_level
from sample_records import TIMING, verdict


def timed(*ratios: tuple[str, float], **changes: object) -> Verdict:
    timing = tuple(
        TIMING.model_copy(
            update={
                "baseline": name,
                "candidate_us": 100.0,
                "baseline_us": 100.0 * ratio,
                "speedup": ratio,
                "speedup_low": ratio - 0.02,
                "speedup_high": ratio + 0.02,
            }
        )
        for name, ratio in ratios
    )
    return verdict(timing=timing, **changes)


def limits(share: float) -> Limits:
    return Limits(bytes=1, flops=1, sol_us=share * 100, sol_fraction=share, bound="memory")


@pytest.mark.parametrize(
    ("ratio", "level"),
    [(0.3, 1), (0.49, 1), (0.5, 2), (0.89, 2), (0.9, 3), (0.97, 3), (0.985, 4), (1.0, 4), (3.0, 4)],
)
def test_each_level_against_the_vendors_library(ratio: float, level: int) -> None:
    placed = performance_level(timed(("vendor", ratio)), 2)
    assert placed.level == level, placed.evidence
    assert placed.evidence == f"{ratio:.2f}x the speed of the best known, vendor"


def test_the_fastest_is_the_best_known() -> None:
    found = timed(("eager", 4.0), ("compile", 0.95), ("vendor", 0.7))
    assert performance_level(found, 2).level == 2
    assert "vendor" in performance_level(found, 2).evidence


@pytest.mark.parametrize(("complexity", "level"), [(1, 2), (2, 2), (None, 2), (3, 4), (4, 4)])
def test_eager_alone_is_best_known_only_where_it_calls_a_library(
    complexity: int | None, level: int
) -> None:
    placed = performance_level(timed(("eager", 2.0)), complexity)
    assert placed.level == level
    assert ("--baseline" in placed.evidence) == (level == 2)


def test_a_stored_kernel_may_be_the_best_known() -> None:
    other = KnownTime("other.py", "fedcba9876543210", time_us=60.0, eager_speedup=3.0)
    placed = performance_level(timed(("eager", 2.0)), 1, other)
    assert placed.level == 2 and "0.60x the speed of the best known, other.py" in placed.evidence
    itself = KnownTime("it", timed().candidate_id, time_us=60.0, eager_speedup=3.0)
    assert "eager" in performance_level(timed(("eager", 2.0)), 1, itself).evidence


def test_the_speed_of_light_bounds_whatever_may_become_known() -> None:
    found = [
        performance_level(timed(("eager", 2.0), limits=limits(share)), 1).level
        for share in (0.2, 0.6, 0.92, 0.96)
    ]
    assert found == [2, 2, 3, 4]


def test_what_was_not_timed_is_unknown() -> None:
    placed = performance_level(verdict(), 1)
    assert placed.level is None and "P1 at least" in placed.evidence


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.ACCEPTED])
def test_only_an_accepted_kernel_has_one(status: Status) -> None:
    found = timed(("vendor", 2.0)).model_copy(update={"status": status})
    assert performance_level(found, 1).level is None


def test_efficiency_is_the_better_of_two_shares() -> None:
    assert efficiency(timed(("eager", 2.0)), 1) is None
    assert efficiency(timed(("vendor", 0.3)), 1) == 0.3
    assert efficiency(timed(("vendor", 0.3), limits=limits(0.7)), 1) == 0.7
