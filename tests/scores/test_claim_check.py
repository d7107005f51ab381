"""A claim against a verdict: one mark by precedence."""

from __future__ import annotations

from typing import Any

import pytest

from assay.data.observations.measurement import Timing
from assay.data.published.recheck import Claim, ClaimFinding, ClaimMark
from assay.data.verdict import Status, Verdict
from assay.scores.claim_check import ClaimCase, rechecked
from sample_records import TIMING, verdict


def claim(**figures: Any) -> Claim:
    return Claim(number=1, where="claims.csv:2", **figures)


def timed(low: float, mid: float, high: float, **changes: Any) -> Verdict:
    update = {"speedup": mid, "speedup_low": low, "speedup_high": high, **changes}
    return verdict(Status.ACCEPTED, timing=(TIMING.model_copy(update=update),))


@pytest.mark.parametrize(
    ("claimed", "interval", "mark"),
    [
        (2.0, (1.9, 2.0, 2.1), ClaimMark.CONFIRMED),
        (2.14, (1.9, 2.0, 2.1), ClaimMark.CONFIRMED),  # 2 % beyond: figures are rounded
        (3.0, (1.9, 2.0, 2.1), ClaimMark.OVERSTATED),
        (1.5, (1.9, 2.0, 2.1), ClaimMark.UNDERSTATED),
        (1.02, (0.97, 1.0, 1.05), ClaimMark.NOISE),
        (3.0, (0.97, 1.0, 1.05), ClaimMark.OVERSTATED),
        (0.9, (0.85, 0.95, 1.05), ClaimMark.CONFIRMED),
    ],
)
def test_a_claimed_speedup(
    claimed: float, interval: tuple[float, float, float], mark: ClaimMark
) -> None:
    found = rechecked(ClaimCase(claim(speedup=claimed), timed(*interval)))
    assert found.mark is mark and found.status is Status.ACCEPTED
    assert found.measured is not None and found.measured.speedup == interval[1]


def test_noise_is_said_beside_an_overstated_claim() -> None:
    found = rechecked(ClaimCase(claim(speedup=3.0), timed(0.97, 1.0, 1.05)))
    assert [one.mark for one in found.findings][:2] == [ClaimMark.OVERSTATED, ClaimMark.NOISE]


def test_a_claim_may_be_the_ratio_with_the_hosts_time() -> None:
    host = {"host_speedup": 1.5, "host_speedup_low": 1.4, "host_speedup_high": 1.6}
    found = rechecked(ClaimCase(claim(speedup=1.5), timed(1.9, 2.0, 2.1, **host)))
    assert found.mark is ClaimMark.CONFIRMED
    assert any("host's time" in one.text for one in found.findings)


@pytest.mark.parametrize(
    ("claimed", "mark"),
    [(120.0, ClaimMark.CONFIRMED), (40.0, ClaimMark.OVERSTATED), (400.0, ClaimMark.UNDERSTATED)],
)
def test_a_claimed_time(claimed: float, mark: ClaimMark) -> None:
    sides = {"candidate_low_us": 110.0, "candidate_high_us": 130.0}
    found = rechecked(ClaimCase(claim(time_us=claimed), timed(1.9, 2.0, 2.1, **sides)))
    assert found.mark is mark


@pytest.mark.parametrize(
    ("status", "mark"),
    [
        (Status.DISHONEST, ClaimMark.CHEAT),
        (Status.INCORRECT, ClaimMark.WRONG),
        (Status.BUILD_FAILED, ClaimMark.FAILED),
        (Status.CRASHED, ClaimMark.FAILED),
        (Status.TIMED_OUT, ClaimMark.FAILED),
        (Status.OUT_OF_MEMORY, ClaimMark.FAILED),
        (Status.SUSPICIOUS, ClaimMark.DOUBTFUL),
        (Status.NOT_RUN, ClaimMark.UNKNOWN),
        (Status.INVALID_TASK, ClaimMark.UNKNOWN),
    ],
)
def test_a_kernel_that_is_not_accepted_has_no_speed(status: Status, mark: ClaimMark) -> None:
    found = rechecked(ClaimCase(claim(speedup=2.0, correct=True), verdict(status)))
    assert found.mark is mark and not found.mark.holds
    assert f"It is {status.value}." in found.reason


def test_every_status_has_a_mark() -> None:
    for status in Status:
        assert rechecked(ClaimCase(claim(), verdict(status))).status is status


def test_a_kernel_that_its_author_calls_wrong_may_be_wrong() -> None:
    said = claim(correct=False)
    assert rechecked(ClaimCase(said, verdict(Status.INCORRECT))).mark is ClaimMark.CONFIRMED
    assert rechecked(ClaimCase(said, verdict(Status.ACCEPTED))).mark is ClaimMark.UNDERSTATED
    assert rechecked(ClaimCase(said, verdict(Status.DISHONEST))).mark is ClaimMark.CHEAT


def test_what_could_not_be_checked_is_unknown_and_never_confirmed() -> None:
    untimed = verdict(Status.ACCEPTED)
    assert rechecked(ClaimCase(claim(speedup=2.0), untimed)).mark is ClaimMark.UNKNOWN
    assert rechecked(ClaimCase(claim(bytes_per_s=1e9), untimed)).mark is ClaimMark.UNKNOWN
    assert rechecked(ClaimCase(claim(correct=True), untimed)).mark is ClaimMark.CONFIRMED
    lost = rechecked(ClaimCase(claim(speedup=2.0), None, unjudged="no such file"))
    assert lost.mark is ClaimMark.UNKNOWN and lost.reason == "not measured: no such file"
    unread = rechecked(ClaimCase(claim(unread=("speedup: 'a' is no number",)), untimed))
    assert unread.mark is ClaimMark.UNKNOWN


def test_another_device_leaves_speed_unknown_and_convicts_all_the_same() -> None:
    apart = {"incomparable": "the claim is about an H100"}
    fast = ClaimCase(claim(speedup=9.0), timed(1.9, 2.0, 2.1), **apart)
    assert rechecked(fast).mark is ClaimMark.UNKNOWN and "H100" in rechecked(fast).reason
    wrong = ClaimCase(claim(speedup=9.0), verdict(Status.INCORRECT), **apart)
    assert rechecked(wrong).mark is ClaimMark.WRONG
    unbuilt = ClaimCase(claim(speedup=9.0), verdict(Status.BUILD_FAILED), **apart)
    assert rechecked(unbuilt).mark is ClaimMark.UNKNOWN


def test_the_impossible_comes_first_and_nothing_is_lost() -> None:
    beyond = (ClaimFinding(mark=ClaimMark.IMPOSSIBLE, text="too fast"),)
    found = rechecked(ClaimCase(claim(speedup=9.0), verdict(Status.DISHONEST), beyond))
    assert (found.mark, found.reason) == (ClaimMark.IMPOSSIBLE, "too fast")
    assert [one.mark for one in found.findings] == [ClaimMark.IMPOSSIBLE, ClaimMark.CHEAT]


def test_a_named_baseline_is_the_one_that_counts() -> None:
    timings = [TIMING, TIMING.model_copy(update={"baseline": "compile", "speedup": 1.1})]
    timings[1] = timings[1].model_copy(update={"speedup_low": 1.05, "speedup_high": 1.15})
    found = verdict(Status.ACCEPTED, timing=tuple[Timing, ...](timings))
    said = claim(speedup=1.1, baseline="compile")
    assert rechecked(ClaimCase(said, found)).mark is ClaimMark.CONFIRMED
    said = claim(speedup=1.1, baseline="their own torch")
    assert rechecked(ClaimCase(said, found)).mark is ClaimMark.UNDERSTATED
