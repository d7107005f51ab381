"""Calibration: plausible figures in about two seconds, and the sizes it chooses."""

from __future__ import annotations

from assay.data.device import CacheSizes
from assay.devices.calibration.calibrate import (
    aa_noise_percent,
    calibrate,
    copy_buffer_bytes,
    timer_step_ns,
)
from assay.devices.cpu_device import CpuBackend
from assay.devices.survey import survey


def test_figures_are_those_of_a_real_machine() -> None:
    figures = calibrate(CpuBackend().describe())
    assert 1e8 < figures.copy_bytes_per_s < 1e13
    assert 1e8 < figures.fp32_flops_per_s < 1e15
    assert 1e8 < figures.fp64_flops_per_s < 1e15
    assert figures.threads >= 1
    assert figures.seconds < 10


def test_the_clock_steps_in_less_than_a_millisecond() -> None:
    assert 0 < timer_step_ns() < 1e6


def test_noise_of_identical_code_is_a_small_share() -> None:
    assert 0 <= aa_noise_percent() < 100


def test_copy_buffers_exceed_the_cache_but_not_the_memory() -> None:
    device = CpuBackend().describe()
    small = device.model_copy(
        update={"caches": CacheSizes(llc_bytes=8 * 2**20), "memory_bytes": 2**40}
    )
    assert copy_buffer_bytes(small) == 32 * 2**20
    assert copy_buffer_bytes(small.model_copy(update={"memory_bytes": 2**26})) == 2**22
    huge = small.model_copy(update={"caches": CacheSizes(llc_bytes=2**30)})
    assert copy_buffer_bytes(huge) == 256 * 2**20


def test_a_survey_names_what_is_missing_and_measures_only_on_request() -> None:
    cpu = survey("cpu", measured=False)
    assert cpu.device is not None and cpu.calibration is None and not cpu.missing
    cuda = survey("cuda", measured=False)
    assert bool(cuda.missing) == (cuda.device is None)
