"""A profile put together from what was seen, and the floor under it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.device import Device
from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.data.observations.measurement import Measurement
from assay.data.observations.observation import LimitsSeen
from assay.data.settings import Cache, Settings
from assay.profile.hardware_counters import Counted
from assay.profile.ncu_csv import parse_ncu
from assay.profile.profile_run import ProfileRunSeen
from assay.profile.profiler import Gathered, Subject, assembled, exam_of, floor_under
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from described_device import DescribedDevice

H200 = Device(
    kind="cuda", name="NVIDIA H200", architecture="sm_90", cores=132, memory_bytes=150_000_000_000
)
TEXT = (Path(__file__).parent / "ncu" / "three_launches.csv").read_text()
TIMES = Measurement(
    subject="candidate",
    method="by hand",
    clock="inside",
    cache="cold",
    calls_per_sample=(4, 5, 6),
    samples_us=(11.0, 10.0, 12.0),
    launch_us=(3.0, 2.0, 4.0),
    energy_mj=5.5,
)
ROWS = KernelSeen(
    name="softmax_rows",
    launches=4,
    total_us=36.0,
    registers=128,
    shared_bytes=5120,
    grid="512x1x1",
    block="256x1x1",
)


def _subject(**axes: int) -> Subject:
    reference = Reference(resolve("softmax"))
    return Subject(reference, reference.own_axes | axes, Settings(device="cuda"))


def _gathered(floor: LimitsSeen, counted: Counted) -> Gathered:
    seen = ProfileRunSeen(TIMES, KernelsSeen(calls=4, kernels=(ROWS,)))
    return Gathered("softmax", "k.py", {"rows": 512, "cols": 2048}, H200, seen, floor, counted)


def test_everything_finds_its_place() -> None:
    floor = floor_under(DescribedDevice(H200), _subject())
    found = assembled(_gathered(floor, Counted(parse_ncu(TEXT))))
    assert (found.time_us, found.launch_us, found.energy_mj) == (11.0, 3.0, 5.5)
    assert found.kernels_us == 9.0 and found.trusted and found.reason == ""
    assert found.kernels[0].stalls and found.kernels[0].calls == 4
    assert floor.limits is not None and found.roofline is not None
    assert found.roofline.memory_share == pytest.approx(floor.limits.memory_us / 11.0)


def test_what_is_missing_is_said() -> None:
    other = floor_under(DescribedDevice(H200.model_copy(update={"name": "Abacus"})), _subject())
    found = assembled(_gathered(other, Counted(reason="no counters")))
    assert found.reason == "no vendor peaks are known for Abacus; no counters"
    assert found.roofline is None and not found.trusted
    assert (found.kernels[0].occupancy, found.kernels[0].occupancy_limit) == (0.25, "registers")


def test_the_floor_is_that_of_the_sizes_asked_for() -> None:
    own, larger = (
        floor_under(DescribedDevice(H200), _subject()).limits,
        floor_under(DescribedDevice(H200), _subject(rows=1024)).limits,
    )
    assert own is not None and larger is not None
    assert larger.bytes_read == 2 * own.bytes_read and larger.axes["rows"] == 1024


@pytest.mark.parametrize(("tf32", "unit"), [(False, "fp32"), (True, "tf32")])
def test_settings_reach_the_plan_and_the_floor(tf32: bool, unit: str) -> None:
    reference = Reference(resolve("matmul"))
    settings = Settings(device="cuda", tf32=tf32, cache=Cache.WARM)
    subject = Subject(reference, reference.own_axes, settings)
    plan = exam_of(subject).plan
    assert (plan.tf32, plan.cache, plan.timing) == (tf32, Cache.WARM, True)
    floor = floor_under(DescribedDevice(H200), subject).limits
    assert floor is not None and floor.units == {"float32": unit}
