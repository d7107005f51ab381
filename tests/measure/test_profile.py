"""Rows and roofline positions of hand-made launches."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.limits import Peaks, TaskLimits
from assay.data.profile import KernelLaunch, Profile
from assay.measure.ncu_csv import parse_ncu
from assay.measure.profile import is_library, kernel_rows, position

TEXT = (Path(__file__).parent / "profiles" / "three_launches.csv").read_text()
PEAKS = Peaks(name="x", title="X", bytes_per_s=1e12, flops_per_s={"tf32": 1e13})
LIMITS = TaskLimits(
    task="t",
    axes={},
    board="x",
    bytes_read=3_000_000,
    bytes_written=1_000_000,
    flops={"float32": 100_000_000},
    elementwise=0,
    units={"float32": "tf32"},
    memory_us=4.0,
    arithmetic_us=10.0,
)


def test_launches_of_one_kernel_are_one_row() -> None:
    softmax, fill = kernel_rows(parse_ncu(TEXT))
    assert (softmax.calls, softmax.total_us, softmax.share) == (2, 40.0, pytest.approx(0.8))
    assert softmax.occupancy == pytest.approx((0.20 * 30 + 0.24 * 10) / 40)
    assert softmax.memory_busy == pytest.approx((0.8 * 30 + 0.6 * 10) / 40)
    assert softmax.grid == (512, 1, 1)  # of the longest launch
    assert softmax.stalls is not None
    assert list(softmax.stalls) == ["long_scoreboard", "barrier"]
    assert softmax.stalls["barrier"] == pytest.approx((1.5 * 30 + 0.5 * 10) / 40)
    assert fill.library and not softmax.library and fill.memory_busy is None


def test_no_launches_make_no_rows() -> None:
    assert kernel_rows(()) == ()
    assert kernel_rows([KernelLaunch(name="k", time_us=0.0)])[0].share == 0.0


def test_the_roofs_meet_where_both_take_as_long() -> None:
    found = position(LIMITS, PEAKS, 20.0)
    assert found.intensity == pytest.approx(25.0) and found.ridge == pytest.approx(10.0)
    assert (found.memory_share, found.arithmetic_share) == (0.2, 0.5)
    assert found.bound == "arithmetic"


def test_without_products_there_is_no_ridge() -> None:
    plain = LIMITS.model_copy(update={"flops": {}, "arithmetic_us": 0.0})
    found = position(plain, PEAKS, 8.0)
    assert (found.intensity, found.ridge, found.memory_share) == (0.0, None, 0.5)


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("void at::native::reduce_kernel<512, 1>(int)", True),
        ("ampere_sgemm_128x64_tn", True),
        ("nvjet_tst_128x64", True),
        ("sm90_xmma_gemm_f32f32", True),
        ("_softmax_kernel", False),
        ("void cutlass::Kernel2<MyGemm>(MyGemm::Params)", False),
    ],
)
def test_libraries_are_known_by_their_names(name: str, library: bool) -> None:
    assert is_library(name) is library


def test_a_profile_adds_up_by_call_and_survives_the_disk() -> None:
    rows = kernel_rows(parse_ncu(TEXT))
    made = Profile(
        task="t",
        candidate="k.py",
        device="X",
        time_us=30.0,
        profiled_calls=2,
        kernels=rows,
        roofline=position(LIMITS, PEAKS, 30.0),
    )
    assert made.kernels_us == pytest.approx(25.0)
    assert made.library_share == pytest.approx(0.2)
    assert Profile.model_validate_json(made.model_dump_json()) == made
