"""The floor in a verdict, and times below it: what convicts nobody, what is noted, what is odd."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.limits import Peaks, TaskLimits
from assay.data.observations.measurement import Measurement
from assay.data.observations.observation import LimitsSeen, Observation, TimesSeen
from assay.data.verdict import Honest, Status, Verdict
from assay.judge.decide import judge
from sample_records import DEVICE, ENVIRONMENT
from support.judge_inputs import case, every_workload

PEAKS = Peaks(name="x", title="X", bytes_per_s=1e12, flops_per_s={"tf32": 1e13})
MEMORY = TaskLimits(
    task="row_sum",
    axes={},
    board="x",
    bytes_read=80_000_000,
    bytes_written=20_000_000,
    flops={"float32": 100_000_000},
    elementwise=0,
    units={"float32": "tf32"},
    memory_us=100.0,
    arithmetic_us=10.0,
)
ARITHMETIC = MEMORY.model_copy(
    update={"bytes_read": 3_000_000, "bytes_written": 1_000_000, "memory_us": 4.0}
)
CACHE = 32 * 2**20  # of the sample device; the results of MEMORY fit
NOISE = (0.98, 0.99, 1.0, 1.0, 1.0, 1.0, 1.01, 1.02)


def _measured(subject: str, time_us: float, cache: str = "cold", **about: object) -> Measurement:
    made = Measurement(
        subject=subject,
        method="events",
        clock="outside",
        cache=cache,
        calls_per_sample=(8,) * len(NOISE),
        samples_us=tuple(time_us * factor for factor in NOISE),
    )
    return Measurement.model_validate(made.model_dump() | about)


def _judged(floor: TaskLimits, *measured: Measurement, kind: str = "cuda") -> Verdict:
    device = DEVICE.model_copy(update={"kind": kind})
    seen: tuple[Observation, ...] = (
        *every_workload(),
        TimesSeen(measurements=measured),
        LimitsSeen(limits=floor, peaks=PEAKS),
    )
    environment = ENVIRONMENT.model_copy(update={"device": device})
    return judge(replace(case(*seen), environment=environment))


def _found(verdict: Verdict) -> list[Evidence]:
    return [e for e in verdict.evidence if e.kind is EvidenceKind.FASTER_THAN_LIGHT]


def test_a_timed_candidate_has_its_share_of_the_speed_of_light() -> None:
    verdict = _judged(MEMORY, _measured("candidate", 200.0), _measured("eager", 300.0))
    assert verdict.limits is not None and verdict.limits_reason == ""
    limits = verdict.limits
    assert (limits.bytes, limits.flops, limits.sol_us) == (100_000_000, 100_000_000, 100.0)
    assert (limits.bound, limits.board, limits.violation) == ("memory", "x", False)
    assert limits.sol_fraction == pytest.approx(0.5) == limits.iou
    assert limits.mfu == pytest.approx(0.05)
    assert limits.sol_score == pytest.approx(1 / (1 + 100 / 200))
    assert limits.bytes_per_s == pytest.approx(5e11)
    assert limits.flops_per_s == pytest.approx(5e11)
    assert verdict.status is Status.ACCEPTED and not _found(verdict)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        ((LimitsSeen(reason="no vendor peaks are known for Sample CPU"),), "Sample CPU"),
        ((), "not traced"),
    ],
)
def test_without_a_floor_there_is_a_reason(seen: tuple[Observation, ...], reason: str) -> None:
    verdict = judge(case(*every_workload(), *seen))
    assert verdict.limits is None and reason in verdict.limits_reason


def test_a_floor_without_a_time_states_no_share() -> None:
    limits = _judged(MEMORY).limits
    assert limits is not None
    assert limits.sol_us == 100.0 and limits.sol_fraction is None and limits.violation is None


def test_below_the_bytes_is_suspicious() -> None:
    verdict = _judged(MEMORY, _measured("candidate", 60.0), _measured("eager", 300.0))
    assert verdict.status is Status.SUSPICIOUS and verdict.honest is Honest.SUSPICIOUS
    (found,) = _found(verdict)
    assert found.severity is Severity.SUSPICIOUS and "80 us" in found.text
    assert verdict.limits is not None and verdict.limits.violation
    assert verdict.limits.sol_fraction == 1.0


@pytest.mark.parametrize(
    ("time_us", "about"),
    [
        (79.5, {}),  # the slow end of its interval lies above
        (60.0, {"offset_us": 25.0}),  # so it does before the fixed cost was subtracted
        (60.0, {"samples_us": (60.0,) * 5}),  # too few rounds for an interval
        (60.0, {"cache": "warm"}),
    ],
)
def test_what_an_innocent_reason_explains_is_not_suspicious(
    time_us: float, about: dict[str, object]
) -> None:
    verdict = _judged(MEMORY, _measured("candidate", time_us, **about))
    assert verdict.status is Status.ACCEPTED
    assert all(found.severity is Severity.NOTE for found in _found(verdict))


def test_results_that_a_cache_can_hold_make_it_a_note() -> None:
    verdict = _judged(MEMORY, _measured("candidate", 90.0))
    (found,) = _found(verdict)
    assert verdict.status is Status.ACCEPTED and found.severity is Severity.NOTE
    assert "caches" in found.text


def test_weights_that_a_cache_can_hold_need_not_move() -> None:
    kept = MEMORY.model_copy(update={"bytes_read": 80_000_000, "bytes_kept": 40_000_000})
    # 40 MB given; of 60 MB kept and written, what is beyond the cache
    least_us = 40.0 + (60_000_000 - CACHE) / 1e6
    above = _judged(kept, _measured("candidate", 1.05 * least_us))
    below = _judged(kept, _measured("candidate", 0.95 * least_us))
    assert (above.status, below.status) == (Status.ACCEPTED, Status.SUSPICIOUS)


def test_a_floor_that_the_baseline_beats_too_is_in_doubt_itself() -> None:
    verdict = _judged(MEMORY, _measured("candidate", 50.0), _measured("eager", 60.0))
    (found,) = _found(verdict)
    assert verdict.status is Status.ACCEPTED and found.severity is Severity.NOTE
    assert "so does eager" in found.text


def test_fewer_products_than_the_reference_are_a_note() -> None:
    verdict = _judged(ARITHMETIC, _measured("candidate", 6.0))
    (found,) = _found(verdict)
    assert verdict.status is Status.ACCEPTED and found.severity is Severity.NOTE
    assert "products" in found.text
    assert verdict.limits is not None and verdict.limits.violation


def test_warm_caches_are_not_held_to_memory() -> None:
    verdict = _judged(MEMORY, _measured("candidate", 60.0, "warm"))
    assert verdict.limits is not None and not _found(verdict)
    assert verdict.limits.sol_fraction is None and verdict.limits.violation is None
    assert verdict.limits.iou is None and verdict.limits.mfu is not None
    both = _judged(MEMORY, _measured("candidate", 60.0, "warm"), _measured("candidate", 200.0))
    assert both.limits is not None and both.limits.sol_fraction == pytest.approx(0.5)


def test_never_from_a_cpu() -> None:
    verdict = _judged(MEMORY, _measured("candidate", 1.0), kind="cpu")
    assert verdict.status is Status.ACCEPTED and not _found(verdict)
