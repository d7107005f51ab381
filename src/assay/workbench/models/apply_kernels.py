"""Apply kernels: judge each on its cut-out task, put the accepted ones back, judge the model.

    kernel -> evaluate(task, kernel) -> model_applied.py -> calls of each kernel counted
           -> evaluate(the model in inference mode, model_applied.py)

The rule: only what is accepted now, on a fresh secret, goes into the model, and the model as a
whole is judged like any other candidate, on the open track: it may use libraries, it may not be
wrong. A speedup is over the operation as the model runs it. Where a kernel is not called as often
as its operation was, nothing is measured: that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.data.baselines import COMPILE, EAGER
from assay.data.observations.measurement import Timing
from assay.data.settings import Cache, Settings, Track
from assay.data.verdict import Status, Verdict
from assay.devices.device_registry import for_judging
from assay.engine.judge import Judge
from assay.errors import TaskError, UsageError
from assay.workbench.models.applied_model import Replacement, applied_text
from assay.workbench.models.apply_report import AppliedKernel, ApplyReport, GainFound
from assay.workbench.models.counted_kernels import kernel_calls
from assay.workbench.models.gain_ranking import (
    ForwardTime,
    PredictedGain,
    Replaced,
    difference_percent,
    over_operation,
    predicted,
)
from assay.workbench.models.hot_model import ModelFile
from assay.workbench.models.hot_report import HotGroup, HotReport
from assay.workbench.models.inference_task import inference_text

Evaluate = Callable[[str, Path, Settings], Verdict]
CountCalls = Callable[[Path, str, int, Settings], tuple[int, ...]]
_APART = 1.5  # the profile's time of an operation over the judge's, from which on it is said


@dataclass(frozen=True)
class KernelFile:
    """A kernel that a user names for a cut-out task: `TASK=KERNEL.py`."""

    task: Path
    path: Path
    group: HotGroup


@dataclass(frozen=True)
class ApplyRequest:
    """What is to be put back into what, and how it is judged."""

    model: ModelFile
    report: HotReport
    kernels: tuple[KernelFile, ...]
    settings: Settings  # of the kernels
    out: Path  # the patched model's file


def kernels_named(report: HotReport, folder: Path, given: Sequence[str]) -> tuple[KernelFile, ...]:
    """Every `TASK=KERNEL.py`, checked; a UsageError lists the tasks."""
    tasks = {one.task: one for one in report.groups if one.task}
    found = []
    for one in given:
        name, equals, path = one.partition("=")
        name = Path(name).stem if name.endswith(".py") else name
        if not equals or name not in tasks:
            known = ", ".join(tasks) or "none"
            raise UsageError(f"--kernel is TASK=KERNEL.py, not {one!r}; tasks: {known}")
        if not path.endswith(".py") or not Path(path).is_file():
            raise UsageError(f"--kernel {name}: {path} is no Python file with ModelNew")
        found.append(KernelFile(folder / f"{name}.py", Path(path), tasks[name]))
    if len({one.task for one in found}) != len(found):
        raise UsageError("--kernel: one kernel a task")
    return tuple(found)


def judged_by(session: Judge) -> Evaluate:
    """One session for the kernels and the model: its processes stay warm in between."""

    def judge(task: str, candidate: Path, settings: Settings) -> Verdict:
        (judgement,) = session.evaluate_many(task, [candidate], settings)
        return judgement.verdict

    return judge


def apply(
    request: ApplyRequest,
    judge: Evaluate,
    tell: Callable[[str], None] = lambda _: None,
    count: CountCalls = kernel_calls,
) -> ApplyReport:
    """Judge, write, count, judge again."""
    if request.model.source_id != request.report.source_id:
        raise UsageError(f"{request.model.path} has changed since it was profiled: run assay hot")
    if request.report.forward is None:
        raise UsageError(f"the model has no traced forward: {request.report.untraced}")
    judged = []
    for one in request.kernels:
        tell(f"judging {one.path.name} on {one.task.stem}")
        judged.append(_judged(one, request.settings, judge))
    base = ApplyReport(
        model=str(request.model.path),
        device=request.settings.device,
        kernels=tuple(found for found, _ in judged),
    )
    if not any(found.used for found in base.kernels):
        return base.model_copy(update={"reason": "no kernel was accepted: the model is as it was"})
    used = [
        Replacement(one.group, one.path.read_text(encoding="utf-8"))
        for one, (found, _) in zip(request.kernels, judged, strict=True)
        if found.used
    ]
    task, settings = _written(request, used), _of_model(request.settings)
    tell(f"counting the calls of {len(used)} kernel(s) in one forward")
    text = request.out.read_text(encoding="utf-8")
    try:
        counts = count(task, text, len(used), settings)
    except TaskError as error:  # the page shows no count, which is not a count of zero
        tell(f"calls unknown: {error}")
        counts = ()
    kernels = with_calls(base.kernels, counts) if counts else base.kernels
    tell(f"judging {request.out.name} on {request.model.path.name}")
    verdict = judge(str(task), request.out, settings)
    parts = [gain for found, gain in judged if found.used and gain is not None]
    expected = Expected.of(parts, request.report) if len(parts) == len(used) else Expected()
    changes = {"written": str(request.out), "kernels": kernels}
    return measured(base, verdict, expected).model_copy(update=changes)


def _written(request: ApplyRequest, used: Sequence[Replacement]) -> Path:
    """The patched model, and the path of the task on which it is judged."""
    model, forward = request.model, request.report.forward
    assert forward is not None
    request.out.parent.mkdir(parents=True, exist_ok=True)
    text = applied_text(model.source, model.entry, forward, used)
    request.out.write_text(text, encoding="utf-8")
    task = request.out.with_name(f"{model.path.stem}_inference.py")
    task.write_text(inference_text(model.source, model.entry), encoding="utf-8")
    return task


def with_calls(
    kernels: Sequence[AppliedKernel], counts: Sequence[int]
) -> tuple[AppliedKernel, ...]:
    """The kernels with their counts; a TaskError where one is not called as often as it should."""
    left, found = iter(counts), []
    for one in kernels:
        seen = next(left) if one.used else None
        if seen is not None and seen != one.calls:
            raise TaskError(
                f"one forward of the patched model calls the kernel for {one.task} {seen} times, "
                f"not {one.calls}: nothing was measured"
            )
        found.append(one.model_copy(update={"calls_seen": seen}))
    return tuple(found)


@dataclass(frozen=True)
class Expected:
    """What kernels promise: of the forward's time, and on a device of what a caller waits for."""

    whole: PredictedGain | None = None
    host: PredictedGain | None = None

    @classmethod
    def of(cls, parts: Sequence[Replaced], report: HotReport) -> Expected:
        """On a device the judge's clock shows its busy time; a caller waits for the host too."""
        wall = ForwardTime(
            report.wall_us, report.wall_low_us, report.wall_high_us, report.launch_us
        )
        if not for_judging(report.device).accelerated:
            return cls(predicted(parts, wall))
        busy = report.busy_us
        return cls(predicted(parts, ForwardTime(busy, busy, busy)), predicted(parts, wall))


def measured(base: ApplyReport, verdict: Verdict, expected: Expected) -> ApplyReport:
    """The report with the verdict of the whole model beside what was predicted."""
    timings = verdict.timing or ()
    eager = next((one for one in timings if one.baseline == EAGER), None)
    accepted = verdict.status is Status.ACCEPTED
    seen, host = (_gain(eager), _host_gain(eager)) if accepted else (None, None)
    whole = expected.whole
    apart, meet = None, None
    if seen is not None and whole is not None:
        apart = difference_percent(whole.speedup, seen.speedup)
        meet = whole.meets(seen.low, seen.high)
    return base.model_copy(
        update={
            "status": verdict.status,
            "reason": verdict.reason,
            "predicted": _found(whole),
            "predicted_host": _found(expected.host),
            "measured": seen,
            "measured_host": host,
            "difference_percent": apart,
            "intervals_meet": meet,
            "timings": timings if accepted else (),
        }
    )


def _judged(
    kernel: KernelFile, settings: Settings, judge: Evaluate
) -> tuple[AppliedKernel, Replaced | None]:
    """One kernel on its cut-out task, timed against the operation."""
    verdict = judge(str(kernel.task), kernel.path, settings)
    accepted = verdict.status is Status.ACCEPTED
    timings = (verdict.timing or ()) if accepted else ()
    unit_us, calls = kernel.group.unit_us, kernel.group.calls
    found = over_operation(timings, calls, unit_us)
    eager = next((one for one in timings if one.baseline == EAGER), None)
    record = AppliedKernel(
        task=kernel.task.stem,
        kernel=str(kernel.path),
        status=verdict.status,
        reason=verdict.reason,
        seconds=verdict.elapsed_s,
        share=kernel.group.share,
        operation_us=unit_us,
        eager_us=eager.baseline_us if eager else None,
        kernel_us=eager.candidate_us if eager else None,
        speedup=found.speedup if found else None,
        speedup_low=found.low if found else None,
        speedup_high=found.high if found else None,
        calls=calls,
        used=accepted,
        remark=_remark(verdict, eager, unit_us),
    )
    return record, found


def _remark(verdict: Verdict, eager: Timing | None, unit_us: float) -> str:
    if verdict.status is not Status.ACCEPTED:
        return "not accepted, so not put back"
    if eager is None:
        return f"put back, but not timed: {verdict.timing_reason}"
    ratio = unit_us / eager.baseline_us if eager.baseline_us else 0.0
    if not 1 / _APART <= ratio <= _APART:
        return (
            f"the operation takes {unit_us:.3g} us in the model and {eager.baseline_us:.3g} us "
            "alone: the prediction is rough"
        )
    return ""


def _of_model(settings: Settings) -> Settings:
    """The whole model: open track, timed against eager and torch.compile."""
    changes = {
        "track": Track.OPEN,
        "timing": True,
        "cache": Cache.COLD,
        "baselines": (EAGER, COMPILE),
    }
    return settings.model_copy(update=changes)


def _gain(timing: Timing | None) -> GainFound | None:
    if timing is None:
        return None
    return GainFound(speedup=timing.speedup, low=timing.speedup_low, high=timing.speedup_high)


def _host_gain(timing: Timing | None) -> GainFound | None:
    if timing is None or timing.host_speedup is None:
        return None
    low, high = timing.host_speedup_low, timing.host_speedup_high
    if low is None or high is None:
        return None
    return GainFound(speedup=timing.host_speedup, low=low, high=high)


def _found(gain: PredictedGain | None) -> GainFound | None:
    return None if gain is None else GainFound(speedup=gain.speedup, low=gain.low, high=gain.high)
