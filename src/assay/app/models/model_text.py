"""Whole models on a terminal: where time goes, and what kernels promised and gained."""

from __future__ import annotations

from rich.console import Group
from rich.text import Text

from assay.data.verdict import Status
from assay.report.terminal_layout import Columns
from assay.workbench.models.apply_report import AppliedKernel, ApplyReport, GainFound
from assay.workbench.models.hot_report import HotGroup, HotReport
from assay.workbench.models.profile_rows import TensorForm

_MOST_ROWS = 20
_MOST_FORMS = 3
_SHORT = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}


def hot_page(report: HotReport) -> Group:
    """One line a group, the largest gain first."""
    step = "training step" if report.training else "forward"
    head = Text(
        f"{report.model}:{report.entry} on {report.device_name}: {_time(report.wall_us)} a {step} "
        f"[{_time(report.wall_low_us)} {_time(report.wall_high_us)}], median of {report.forwards}; "
        f"busy {_time(report.busy_us)}, idle {100 * report.idle_share:.1f} %"
    )
    table = Columns(
        ("gain", "share", "calls", "one call", "limit", "of limit", "operation", "inputs", "task")
    )
    for one in report.groups[:_MOST_ROWS]:
        table.add_row(*_row(one))
    lines = [Text(one, style="bold") for one in report.advice]
    left = len(report.groups) - _MOST_ROWS
    if left > 0:
        lines.append(Text(f"{left} more groups with less gain: --json shows them"))
    lines.append(
        Text(
            "gain: share of the time that a kernel at the limit would save"
            + (f"; limits by {report.limits_from}" if report.limits_from else "; no limits known"),
            style="italic",
        )
    )
    return Group(head, table, *lines)


def _row(one: HotGroup) -> tuple[str | Text, ...]:
    limit = "-" if one.limit_us is None else _time(one.limit_us)
    reached = "-" if one.limit_share is None else f"{100 * one.limit_share:.0f} %"
    return (
        Text(f"{100 * one.gain:.1f} %", style="bold"),
        f"{100 * one.share:.1f} %",
        str(one.calls),
        _time(one.unit_us),
        limit,
        reached,
        one.label if len(one.label) <= 48 else one.label[:45] + "...",
        _forms(one.inputs),
        _task(one),
    )


def _task(one: HotGroup) -> str:
    """Its name, or why there is none."""
    if not one.task:
        return f"({one.task_reason})"
    return f"{one.task} (at its limit)" if one.at_limit else one.task


def _forms(forms: tuple[TensorForm, ...]) -> str:
    shown = [
        f"{'x'.join(map(str, one.shape)) or 'scalar'} {_SHORT.get(one.dtype, one.dtype)}"
        for one in forms[:_MOST_FORMS]
    ]
    return ", ".join(shown) + (", ..." if len(forms) > _MOST_FORMS else "")


def apply_page(report: ApplyReport) -> Group:
    """One line a kernel, then predicted beside measured."""
    table = Columns(
        ("task", "status", "share", "calls", "operation", "kernel", "speedup", "remark")
    )
    for one in report.kernels:
        table.add_row(*_kernel_row(one))
    lines = [Text(line) for line in _result_lines(report)]
    return Group(table, *lines)


def _kernel_row(one: AppliedKernel) -> tuple[str | Text, ...]:
    speedup = "-"
    if one.speedup is not None:
        speedup = f"{one.speedup:.2f}x [{one.speedup_low:.2f} {one.speedup_high:.2f}]"
    return (
        Text(one.task, style="bold"),
        one.status.value,
        f"{100 * one.share:.1f} %",
        "-" if one.calls_seen is None else str(one.calls_seen),
        "-" if one.eager_us is None else _time(one.eager_us),
        "-" if one.kernel_us is None else _time(one.kernel_us),
        speedup,
        one.remark or (one.reason if one.status is not Status.ACCEPTED else ""),
    )


def _result_lines(report: ApplyReport) -> list[str]:
    if report.status is None:
        return [report.reason]
    lines = [f"the whole model: {report.status.value}. {report.reason}"]
    if report.predicted is not None:
        lines.append(f"predicted {_gain(report.predicted)}")
    if report.measured is not None:
        lines.append(f"measured  {_gain(report.measured)} over eager{_beside(report)}")
    if report.measured_host is not None:
        told = report.predicted_host
        beside = "" if told is None else f", predicted {_gain(told)}"
        lines.append(f"          {_gain(report.measured_host)} of what a caller waits for{beside}")
    lines += [
        f"          {one.speedup:.3f}x [{one.speedup_low:.3f} {one.speedup_high:.3f}] over "
        f"{one.baseline}: {_time(one.candidate_us)} against {_time(one.baseline_us)}"
        for one in report.timings
    ]
    return [*lines, f"written: {report.written}"]


def _beside(report: ApplyReport) -> str:
    """How the measured speedup lies to the predicted one."""
    if report.difference_percent is None:
        return ""
    meet = "the intervals overlap" if report.intervals_meet else "the intervals do NOT overlap"
    return f": {report.difference_percent:+.1f} % beside the predicted one, {meet}"


def _gain(gain: GainFound) -> str:
    return f"{gain.speedup:.3f}x [{gain.low:.3f} {gain.high:.3f}]"


def _time(us: float) -> str:
    return f"{us:.3g} us" if us < 1000 else f"{us / 1000:.3g} ms"
