"""The page of a device: a CPU's few lines, a GPU with its maker's figures, and what is missing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

from rich.console import Console

from assay.data.device import Calibration, DeviceReading, DeviceSurvey, Rates
from assay.data.limits import Peaks
from assay.report.hardware.device_text import device_page
from sample_records import DEVICE

NOW = datetime(2025, 1, 2, tzinfo=UTC)
RATES = Rates(
    copy_bytes_per_s=4e12,
    fp64_flops_per_s=50e12,
    fp32_flops_per_s=45e12,
    tf32_flops_per_s=400e12,
    fp16_flops_per_s=700e12,
    bf16_flops_per_s=740e12,
)
CPU = Calibration(
    threads=2,
    copy_bytes_per_s=1e10,
    copy_buffer_bytes=2**20,
    fp32_flops_per_s=1e11,
    fp64_flops_per_s=5e10,
    timer_step_ns=40.0,
    aa_noise_percent=1.5,
    seconds=2.0,
)
GPU = CPU.model_copy(
    update={
        "threads": 1,
        **RATES.model_dump(),
        "copy_bytes_per_s": 4.32e12,
        "bf16_flops_per_s": 792e12,
        "median": RATES,
        "launch_us": 3.1,
        "launch_gap_us": 1.2,
        "event_offset_us": 2.3,
        "event_offset_idle_us": 6.4,
        "reading": DeviceReading(sm_clock_mhz=1750, throttle_reasons=("software power cap",)),
        "measured_at": NOW - timedelta(hours=3),
    }
)
PEAKS = Peaks(
    name="h200", title="H200", bytes_per_s=4.8e12, flops_per_s={"half": 990e12, "fp32": 67e12}
)


def page(survey: DeviceSurvey) -> str:
    file = StringIO()
    Console(file=file, width=1000).print(device_page(survey, NOW))
    return file.getvalue()


def line(text: str, start: str) -> str:
    (found,) = [row for row in text.splitlines() if row.strip().startswith(start)]
    return " ".join(found.split())


def test_a_cpu_shows_what_it_has_and_no_more() -> None:
    text = page(DeviceSurvey(name="cpu", judges=True, device=DEVICE, calibration=CPU))
    assert "2 cores" in text and "partly from cache" in line(text, "copy")
    assert line(text, "matmul fp32") == "matmul fp32 100 GFLOP/s"
    assert line(text, "measured") == "measured with 2 threads in 2.0 s"
    for absent in ("bf16", "launch", "event", "maker", "median", "now"):
        assert absent not in text


def test_a_busy_calibration_says_so_and_what_to_do() -> None:
    busy = CPU.model_copy(update={"busy": "other processes used 50 % of the cores"})
    text = page(DeviceSurvey(name="cpu", judges=True, device=DEVICE, calibration=busy))
    assert line(text, "the machine was busy") == (
        "the machine was busy: other processes used 50 % of the cores. "
        "These figures are not kept: run assay device again when it is quiet"
    )


def test_a_gpu_stands_beside_its_makers_figures() -> None:
    device = DEVICE.model_copy(update={"kind": "cuda", "driver": "580.1"})
    reading = DeviceReading(sm_clock_mhz=345, temperature_c=33, power_w=77.4)
    text = page(
        DeviceSurvey(
            name="cuda",
            judges=False,
            device=device,
            calibration=GPU,
            peaks=PEAKS,
            reading=reading,
        )
    )
    assert "multiprocessors" in text and "driver 580.1" in text and "not judged" in text
    assert line(text, "now") == "now 345 MHz, 33 C, 77 W"
    copied = line(text, "copy")
    assert copied.startswith("copy 4.32 TB/s median 4.00 TB/s, 90 % of the maker's 4.80 TB/s; read")
    product = "matmul bf16 792 TFLOP/s median 740 TFLOP/s, 80 % of the maker's 990 TFLOP/s"
    assert line(text, "matmul bf16") == product
    assert line(text, "matmul fp64") == "matmul fp64 50.0 TFLOP/s median 50.0 TFLOP/s"
    assert line(text, "launch gap").startswith("launch gap 1.20 us")
    assert line(text, "event offset").startswith("event offset 2.30 us")
    assert "6.40 us the same, queue idle" in " ".join(text.split())
    measured = "measured with 1 thread in 2.0 s, 3 hours ago; under load 1750 MHz, "
    assert line(text, "measured") == f"{measured}clocks held back by: software power cap"


def test_what_is_missing_is_one_line() -> None:
    text = page(DeviceSurvey(name="cuda", judges=False, missing="no driver: install one"))
    assert text == "cuda  not here: no driver: install one\n"
