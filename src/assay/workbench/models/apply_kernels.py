"""Apply kernels: judge each on its cut-out task, put the accepted ones back, judge the model.

    kernel -> evaluate(task, kernel) -> model_applied.py -> evaluate(model, model_applied.py)

The rule: only what is accepted now, on a fresh secret, goes into the model, and the model as a
whole is judged like any other candidate, on the open track: it may use libraries, it may not be
wrong. A speedup is over the operation as the model runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.data.baselines import COMPILE, EAGER
from assay.data.observations.measurement import Timing
from assay.data.settings import Cache, Settings, Track
from assay.data.verdict import Status, Verdict
from assay.engine.judge import Judge
from assay.errors import UsageError
from assay.workbench.models.applied_model import Replacement, applied_text
from assay.workbench.models.apply_report import AppliedKernel, ApplyReport, GainFound
from assay.workbench.models.gain_ranking import (
    PredictedGain,
    Replaced,
    difference_percent,
    over_operation,
    predicted,
)
from assay.workbench.models.hot_model import ModelFile
from assay.workbench.models.hot_report import HotGroup, HotReport

Evaluate = Callable[[str, Path, Settings], Verdict]
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
    request: ApplyRequest, judge: Evaluate, tell: Callable[[str], None] = lambda _: None
) -> ApplyReport:
    """Judge, write, judge again."""
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
    text = applied_text(request.model.source, request.model.entry, request.report.forward, used)
    request.out.parent.mkdir(parents=True, exist_ok=True)
    request.out.write_text(text, encoding="utf-8")
    tell(f"judging {request.out.name} on {request.model.path.name}")
    verdict = judge(str(request.model.path), request.out, _of_model(request.settings))
    parts = [gain for found, gain in judged if found.used and gain is not None]
    complete = len(parts) == len(used)
    return measured(base, verdict, predicted(parts) if complete else None).model_copy(
        update={"written": str(request.out)}
    )


def measured(base: ApplyReport, verdict: Verdict, expected: PredictedGain | None) -> ApplyReport:
    """The report with the verdict of the whole model beside what was predicted."""
    timings = verdict.timing or ()
    eager = next((one for one in timings if one.baseline == EAGER), None)
    seen, host = _gain(eager), _host_gain(eager)
    accepted = verdict.status is Status.ACCEPTED
    apart = None
    if accepted and seen is not None and expected is not None:
        apart = difference_percent(expected.speedup, seen.speedup)
    return base.model_copy(
        update={
            "status": verdict.status,
            "reason": verdict.reason,
            "predicted": _found(expected),
            "measured": seen if accepted else None,
            "measured_host": host if accepted else None,
            "difference_percent": apart,
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
    found = over_operation(timings, kernel.group.share)
    eager = next((one for one in timings if one.baseline == EAGER), None)
    unit_us = kernel.group.unit_us
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
