"""Rows and roofline positions of hand-made launches."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.limits import Peaks, TaskLimits
from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.data.observations.profile import KernelLaunch, KernelRow, Profile
from assay.profile.kernel_rows import is_library, kernel_rows, position, rows_seen, with_counters
from assay.profile.ncu_csv import parse_ncu
from assay.profile.occupancy import multiprocessor

TEXT = (Path(__file__).parent / "ncu" / "three_launches.csv").read_text()
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


def _seen(name: str, total_us: float, **about: object) -> KernelSeen:
    fields = {"launches": 2, "registers": 128, "shared_bytes": 0, "grid": "512x2x1"}
    named = {"name": name, "total_us": total_us, "block": "256x1x1"}
    return KernelSeen.model_validate(fields | named | about)


def test_the_driver_s_records_make_rows_with_what_their_resources_allow() -> None:
    seen = KernelsSeen(calls=2, kernels=(_seen("ampere_sgemm", 10.0), _seen("mine", 30.0)))
    mine, library = rows_seen(seen, multiprocessor("sm_90"))
    assert (mine.name, mine.calls, mine.share) == ("mine", 2, 0.75)
    assert (mine.occupancy, mine.occupancy_limit) == (0.25, "registers")
    assert (mine.grid, mine.block, mine.counted) == ((512, 2, 1), (256, 1, 1), False)
    assert library.library and not mine.library
    assert rows_seen(seen, None)[0].occupancy is None
    strange = KernelsSeen(calls=1, kernels=(_seen("k", 1.0, block="a lie"),))
    assert rows_seen(strange, multiprocessor("sm_90"))[0].block is None


def _counted(name: str, **about: object) -> KernelRow:
    fields = {"calls": 1, "total_us": 99.0, "share": 1.0, "library": False, "occupancy": 0.2}
    made = {"name": name, "registers": 128, "block": (256, 1, 1), "memory_busy": 0.0}
    return KernelRow.model_validate(fields | made | about)


def test_counters_join_the_rows_they_belong_to() -> None:
    name = "void mine::rows<float>(float*)"
    (row,) = rows_seen(KernelsSeen(calls=1, kernels=(_seen(name, 30.0),)), None)
    for other in (name, "rows", "void mine::rows<(float)1>(float *)"):
        (joined,) = with_counters([row], [_counted(other), _counted("fill", registers=8)])
        assert (joined.total_us, joined.occupancy, joined.memory_busy) == (30.0, 0.2, 0.0)
        assert joined.counted
    for several in ([_counted("other")], [_counted("rows"), _counted("b::rows")], []):
        assert with_counters([row], several) == (row,)
