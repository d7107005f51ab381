"""A device on a terminal: what it is, how it is, what was measured, or what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import Group
from rich.text import Text

from assay.data.device import CacheSizes, Calibration, Device, DeviceReading, DeviceSurvey
from assay.data.limits import Peaks
from assay.report import words
from assay.report.terminal_layout import Columns

Row = tuple[str, str, str]  # what, how much, what a reader has to know about it

_PRODUCTS = (
    ("bf16", "half"),
    ("fp16", "half"),
    ("tf32", "tf32"),
    ("fp32", "fp32"),
    ("fp64", "fp64"),
)


def device_page(survey: DeviceSurvey, now: datetime) -> Group:
    """Two or three lines a device, and a line a figure."""
    if survey.device is None:
        return Group(Text.assemble((survey.name, "bold"), f"  not here: {survey.missing}"))
    heading = Text.assemble((survey.name, "bold"), f"  {description(survey.device)}")
    if not survey.judges:
        heading.append("; candidates are not judged on it by this version", "yellow")
    state = reading_words(survey.reading) if survey.reading else ""
    lines = [heading, *([Text(f"  now {state}", style="dim")] if state else [])]
    if survey.calibration is None:
        return Group(*lines)
    table = figures(survey.calibration, survey.device.caches, survey.peaks)
    measured = Text(f"  {measured_words(survey.calibration, now)}", style="dim")
    busy = survey.calibration.busy
    return Group(
        *lines, table, measured, *([Text(f"  {busy_remark(busy)}", "yellow")] if busy else [])
    )


def description(device: Device) -> str:
    """Name, architecture, cores, memory, caches, clock: what is known of them."""
    caches = device.caches
    parts = [
        device.name,
        device.architecture,
        f"{device.cores} {'cores' if device.kind == 'cpu' else 'multiprocessors'}",
        f"{words.byte_size(device.memory_bytes)} memory",
        *(
            f"{name} {words.byte_size(size)}"
            for name, size in (
                ("L1d", caches.l1d_bytes),
                ("L2", caches.l2_bytes),
                ("last-level cache", caches.llc_bytes),
            )
            if size
        ),
        f"{device.clock_mhz_max:.0f} MHz" if device.clock_mhz_max else "clock not stated",
        *([f"driver {device.driver}"] if device.driver else []),
    ]
    return ", ".join(parts)


def reading_words(reading: DeviceReading) -> str:
    """What is known of the device's state."""
    parts = [
        template.format(value)
        for template, value in (
            ("{:.0f} MHz", reading.sm_clock_mhz),
            ("memory {:.0f} MHz", reading.memory_clock_mhz),
            ("{:.0f} C", reading.temperature_c),
            ("{:.0f} W", reading.power_w),
        )
        if value is not None
    ]
    if reading.memory_used_bytes is not None:
        parts.append(f"{words.byte_size(reading.memory_used_bytes)} memory in use")
    if reading.throttle_reasons:
        parts.append(f"clocks held back by: {', '.join(reading.throttle_reasons)}")
    return ", ".join(parts)


def measured_words(calibration: Calibration, now: datetime) -> str:
    """How the figures came about, how old they are, and the device's state under load."""
    plural = "s" if calibration.threads > 1 else ""
    text = f"measured with {calibration.threads} thread{plural} in {calibration.seconds:.1f} s"
    if calibration.measured_at is not None:
        seconds = (now - calibration.measured_at).total_seconds()
        text += f", {words.age(seconds)}"
    loaded = reading_words(calibration.reading) if calibration.reading else ""
    return f"{text}; under load {loaded}" if loaded else text


def busy_remark(busy: str) -> str:
    """Why the figures are worth little, and what to do about it."""
    return (
        f"the machine was busy: {busy}. These figures are not kept: run assay device again when it "
        "is quiet"
    )


def figures(calibration: Calibration, caches: CacheSizes, peaks: Peaks | None = None) -> Columns:
    """One measured figure a line, with what a reader has to know about it."""
    table = Columns()
    for name, value, remark in (*_rates(calibration, caches, peaks), *_costs(calibration)):
        table.add_row(f"  {name}", Text(value, style="bold"), Text(remark, style="dim"))
    return table


def _rates(calibration: Calibration, caches: CacheSizes, peaks: Peaks | None) -> Iterator[Row]:
    """Copy, then products, each with its median and the maker's figure."""
    buffer = words.byte_size(calibration.copy_buffer_bytes)
    cached = caches.llc_bytes is not None and calibration.copy_buffer_bytes < 2 * caches.llc_bytes
    remark = f"read + write, {buffer} buffers"
    remark += ", partly from cache: the cache is as large" if cached else ""
    beside = _beside(calibration, "copy_bytes_per_s", peaks.bytes_per_s if peaks else None)
    yield (
        "copy",
        words.rate(calibration.copy_bytes_per_s, "B/s"),
        "; ".join(part for part in (beside, remark) if part),
    )
    for name, unit in _PRODUCTS:
        field = f"{name}_flops_per_s"
        value: float | None = getattr(calibration, field)
        if value is not None:
            peak = peaks.flops_per_s.get(unit) if peaks else None
            yield f"matmul {name}", words.rate(value, "FLOP/s"), _beside(calibration, field, peak)


def _beside(calibration: Calibration, field: str, peak: float | None) -> str:
    """A rate's median, and its share of what the maker says."""
    best: float = getattr(calibration, field)
    unit = "B/s" if field == "copy_bytes_per_s" else "FLOP/s"
    parts = []
    if calibration.median is not None:
        parts.append(f"median {words.rate(getattr(calibration.median, field), unit)}")
    if peak is not None:
        parts.append(f"{100 * best / peak:.0f} % of the maker's {words.rate(peak, unit)}")
    return ", ".join(parts)


def _costs(calibration: Calibration) -> Iterator[Row]:
    """What timing itself costs, and how much it scatters."""
    for name, value_us, remark in (
        ("launch", calibration.launch_us, "host time for one tiny kernel"),
        ("launch gap", calibration.launch_gap_us, "from one tiny kernel to the next, queue full"),
        (
            "event offset",
            calibration.event_offset_us,
            "what an event pair adds to one kernel, queue busy",
        ),
        ("", calibration.event_offset_idle_us, "the same, queue idle"),
    ):
        if value_us is not None:
            yield name, f"{value_us:.2f} us", remark
    yield "clock step", f"{calibration.timer_step_ns:.0f} ns", ""
    yield (
        "A/A noise",
        f"{calibration.aa_noise_percent:.2f} %",
        "identical code against itself: smaller differences mean nothing here",
    )
