"""A device on a terminal: what it is, what was measured, or what is missing."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from assay.data.device import CacheSizes, Calibration, Device, DeviceSurvey
from assay.report import words


def device_page(survey: DeviceSurvey) -> Group:
    """Two or three lines a device."""
    if survey.device is None:
        return Group(Text.assemble((survey.name, "bold"), f"  not here: {survey.missing}"))
    heading = Text.assemble((survey.name, "bold"), f"  {description(survey.device)}")
    if not survey.judges:
        heading.append("; candidates are not judged on it by this version", "yellow")
    if survey.calibration is None:
        return Group(heading)
    return Group(heading, figures(survey.calibration, survey.device.caches))


def description(device: Device) -> str:
    """Name, architecture, cores, memory, caches, clock: what is known of them."""
    caches = device.caches
    parts = [
        device.name,
        device.architecture,
        f"{device.cores} cores",
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
    ]
    return ", ".join(parts)


def figures(calibration: Calibration, caches: CacheSizes) -> Table:
    """One measured figure a line, with what a reader has to know about it."""
    buffer = words.byte_size(calibration.copy_buffer_bytes)
    cached = caches.llc_bytes is not None and calibration.copy_buffer_bytes < 2 * caches.llc_bytes
    table = Table.grid(padding=(0, 3))
    for name, value, remark in (
        (
            "copy",
            words.rate(calibration.copy_bytes_per_s, "B/s"),
            f"read + write, {buffer} buffers"
            + (", partly from cache: the cache is as large" if cached else ""),
        ),
        ("matmul fp32", words.rate(calibration.fp32_flops_per_s, "FLOP/s"), ""),
        ("matmul fp64", words.rate(calibration.fp64_flops_per_s, "FLOP/s"), ""),
        ("clock step", f"{calibration.timer_step_ns:.0f} ns", ""),
        (
            "A/A noise",
            f"{calibration.aa_noise_percent:.2f} %",
            "identical code against itself: smaller differences mean nothing here",
        ),
    ):
        table.add_row(f"  {name}", Text(value, style="bold"), Text(remark, style="dim"))
    took = f"  measured with {calibration.threads} threads in {calibration.seconds:.1f} s"
    table.caption = Text(took, style="dim")
    table.caption_justify = "left"
    return table
