"""Rewards of verdicts: what each preset gives, and that no doubt is ever paid."""

from __future__ import annotations

import pytest

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.measurement import Timing
from assay.data.verdict import Correct, Honest, Limits, OwnShare, Status, Verdict
from assay.errors import UsageError
from assay.scores.rewards import REWARDS, is_about_candidate, reward_of
from sample_records import verdict

LEAST = {
    "kevin": 0.0,
    "milestone": -1.0,
    "drkernel": 0.0,
    "drkernel-coverage": 0.0,
    "kernrl": -0.5,
    "aka": 0.0,
    "sol": 0.0,
}


def timed(low: float, baseline: str = "eager") -> Timing:
    return Timing(
        baseline=baseline,
        candidate_us=1.0,
        baseline_us=low,
        speedup=low * 1.1,
        speedup_low=low,
        speedup_high=low * 1.2,
        method="outside",
    )


def right(*timing: Timing, **changes: object) -> Verdict:
    found = {"timing": timing or None, "correct": Correct.YES, "honest": Honest.YES}
    return verdict(Status.ACCEPTED, **(found | changes))


def limits(score: float, violation: bool = False) -> Limits:
    return Limits(
        bytes=1,
        flops=1,
        sol_us=1.0,
        sol_fraction=None,
        bound="memory",
        violation=violation,
        sol_score=score,
    )


@pytest.mark.parametrize(
    ("name", "found", "value"),
    [
        ("kevin", right(timed(1.5)), 1.8),
        ("kevin", right(), 0.3),
        ("milestone", right(), 1.0),
        ("milestone", right(timed(0.99)), 1.0),
        ("milestone", right(timed(1.01)), 2.0),
        ("milestone", right(timed(1.5), timed(1.04, "compile")), 2.0),
        ("milestone", right(timed(1.5), timed(1.06, "compile")), 3.0),
        ("milestone", right(timed(1.5), timed(2.0, "compile"), timed(1.0, "compile-max")), 2.0),
        ("drkernel", right(timed(3.0)), 1.0),
        ("drkernel", right(timed(1.19)), 0.2),
        ("drkernel", right(timed(0.9)), 0.0),
        (
            "drkernel-coverage",
            right(timed(1.2), own_share=OwnShare(share=0.9, low=0.8, high=1.0, samples=9)),
            1.2,
        ),
        ("kernrl", right(timed(5.0)), 2.0),
        ("kernrl", right(timed(1.5)), 0.5),
        ("kernrl", right(timed(0.5)), -0.25),
        ("kernrl", right(), 0.0),
        ("kernrl", verdict(Status.INCORRECT), -0.25),
        ("kernrl", verdict(Status.BUILD_FAILED), -0.5),
        ("aka", right(timed(2.0)), 320.0),
        ("aka", verdict(Status.CRASHED), 20.0),
        ("aka", verdict(Status.BUILD_FAILED), 0.0),
        ("sol", right(timed(2.0), limits=limits(0.75)), 0.75),
        ("sol", right(timed(2.0)), 0.0),
    ],
)
def test_a_preset_gives(name: str, found: Verdict, value: float) -> None:
    assert reward_of(name)(found) == pytest.approx(value)


DOUBTFUL = [
    verdict(Status.SUSPICIOUS, timing=(timed(9.0),), limits=limits(1.0)),
    verdict(Status.DISHONEST, timing=(timed(9.0),), limits=limits(1.0)),
    verdict(Status.NOT_RUN, timing=(timed(9.0),), limits=limits(1.0)),
    verdict(Status.INVALID_TASK, timing=(timed(9.0),), limits=limits(1.0)),
    right(timed(9.0), honest=Honest.UNKNOWN, limits=limits(1.0)),
    right(timed(9.0), correct=Correct.UNKNOWN, limits=limits(1.0)),
    right(timed(9.0), limits=limits(1.0, violation=True)),
]


@pytest.mark.parametrize("found", DOUBTFUL, ids=lambda one: f"{one.status}-{one.honest}")
def test_a_doubt_gets_the_least_and_nothing_positive(found: Verdict) -> None:
    assert {name: one(found) for name, one in REWARDS.items()} == LEAST
    assert all(value <= 0 for value in LEAST.values())


def test_a_decoy_is_punished() -> None:
    decoy = Evidence(kind=EvidenceKind.DECOY, severity=Severity.CONVICTS, text="never launched")
    found = verdict(Status.DISHONEST, evidence=(decoy,), timing=(timed(9.0),))
    assert reward_of("drkernel")(found) == reward_of("drkernel-coverage")(found) == -1.0


def test_our_own_failures_are_told_apart() -> None:
    assert not is_about_candidate(verdict(Status.NOT_RUN))
    assert is_about_candidate(verdict(Status.DISHONEST))


def test_an_unknown_preset_lists_the_known() -> None:
    with pytest.raises(UsageError, match="unknown reward 'gold'; known: kevin, milestone"):
        reward_of("gold")
