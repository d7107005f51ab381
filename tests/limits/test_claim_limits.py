"""Claims beyond a device: what is impossible, what is only doubtful, what is fine."""

from __future__ import annotations

from typing import Any

import pytest

from assay.data.limits import TaskLimits
from assay.data.published.recheck import Claim, ClaimMark
from assay.devices.peaks import board
from assay.limits.claim_limits import BoardFloor, ClaimedTime, beyond_limits

RTX5090, H100_SXM, H100_PCIE = board("rtx5090"), board("h100-sxm"), board("h100-pcie")


def claim(**figures: Any) -> Claim:
    return Claim(number=1, where="claims.csv:2", **figures)


def floor(megabytes: float, units: dict[str, str] | None = None) -> TaskLimits:
    nbytes = int(megabytes * 1e6)
    return TaskLimits(
        task="sqrt",
        axes={"n": 4096},
        board="rtx5090",
        bytes_read=nbytes // 2,
        bytes_written=nbytes - nbytes // 2,
        flops={},
        elementwise=0,
        units=units or {},
        memory_us=1e6 * nbytes / RTX5090.bytes_per_s,
        arithmetic_us=0.0,
    )


def marks(found: Claim, *boards: BoardFloor) -> list[ClaimMark]:
    return [one.mark for one in beyond_limits(found, boards, ClaimedTime.of(found))]


def test_a_rate_that_no_cache_supplies_is_impossible_and_says_why() -> None:
    one = claim(bytes_per_s=83_972e9, speedup=119.9)
    (found,) = beyond_limits(one, [BoardFloor(RTX5090)], None)
    assert found.mark is ClaimMark.IMPOSSIBLE
    assert found.text.startswith("83,972 GB/s is 46.9 times the 1,792 GB/s of the memory")
    assert "exceeds the device's bandwidth" in found.text


@pytest.mark.parametrize(
    ("megabytes", "mark"), [(None, ClaimMark.DOUBTFUL), (8, ClaimMark.DOUBTFUL), (1000, "!")]
)
def test_a_rate_above_memory_is_impossible_only_where_no_cache_holds_the_bytes(
    megabytes: float | None, mark: str
) -> None:
    known = None if megabytes is None else floor(megabytes)
    found = marks(claim(bytes_per_s=9_283e9), BoardFloor(RTX5090, known))
    assert found == [ClaimMark.IMPOSSIBLE if mark == "!" else mark]


@pytest.mark.parametrize("rate", [100e9, 1_792e9, 1_820e9])
def test_a_rate_that_memory_has_is_fine(rate: float) -> None:
    assert marks(claim(bytes_per_s=rate), BoardFloor(RTX5090, floor(1000))) == []


def test_of_several_boards_the_most_generous_counts() -> None:
    boards = BoardFloor(H100_PCIE), BoardFloor(H100_SXM)
    assert marks(claim(bytes_per_s=3_000e9), *boards) == []
    assert marks(claim(bytes_per_s=3_000e9), boards[0]) == [ClaimMark.DOUBTFUL]
    assert marks(claim(bytes_per_s=90_000e9), *boards) == [ClaimMark.IMPOSSIBLE]


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"time_us": 600.0}, []),
        ({"time_us": 530.0}, [ClaimMark.DOUBTFUL]),  # 1 GB takes 558 us, 101 MB may be cached
        ({"time_us": 400.0}, [ClaimMark.IMPOSSIBLE]),
        ({"speedup": 10.0, "baseline_us": 4000.0}, [ClaimMark.IMPOSSIBLE]),
        ({"speedup": 10.0}, []),  # implies nothing without a baseline
    ],
)
def test_a_time_below_the_bytes(figures: dict[str, float], expected: list[ClaimMark]) -> None:
    assert marks(claim(**figures), BoardFloor(RTX5090, floor(1000))) == expected


def test_a_tiny_task_cannot_be_loaded_faster_than_all_multiprocessors_can() -> None:
    small = BoardFloor(RTX5090, floor(8))
    assert marks(claim(time_us=0.1), small) == [ClaimMark.IMPOSSIBLE]
    assert marks(claim(time_us=1.0), small) == [ClaimMark.DOUBTFUL]


def test_the_baseline_measured_here_makes_a_speedup_a_time() -> None:
    one = claim(speedup=822.0)
    time = ClaimedTime.of(one, 1000.0)
    assert time is not None and time.us == pytest.approx(1.217, rel=1e-3)
    (found,) = beyond_limits(one, [BoardFloor(RTX5090, floor(1000))], time)
    assert found.mark is ClaimMark.IMPOSSIBLE and "measured here" in found.text


def test_operations_beyond_every_unit_are_impossible_and_beyond_the_dtype_doubtful() -> None:
    fp32 = BoardFloor(H100_SXM, floor(8, {"float32": "tf32"}))
    assert marks(claim(flops_per_s=400e12), fp32) == []
    assert marks(claim(flops_per_s=1500e12), fp32) == [ClaimMark.DOUBTFUL]
    assert marks(claim(flops_per_s=9000e12), fp32) == [ClaimMark.IMPOSSIBLE]
    assert marks(claim(flops_per_s=1500e12), BoardFloor(H100_SXM)) == []


def test_figures_that_contradict_each_other_are_doubtful_on_any_device() -> None:
    (found,) = beyond_limits(claim(speedup=5.0, time_us=50.0, baseline_us=100.0), [], None)
    assert found.mark is ClaimMark.DOUBTFUL and "make 2x, not 5x" in found.text
    assert marks(claim(speedup=2.0, time_us=50.0, baseline_us=100.0)) == []
    moved = claim(time_us=600.0, bytes_per_s=500e9)  # 300 MB of 1000
    assert marks(moved, BoardFloor(RTX5090, floor(1000))) == [ClaimMark.DOUBTFUL]
