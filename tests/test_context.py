"""One task's exam: scaled where an interpreter is too slow, remarked where it proves nothing."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.context import EvaluationContext, ran_to_its_end
from assay.data.candidate import Candidate, SourceFile
from assay.data.observations.observation import (
    BuildSeen,
    EndCause,
    EndSeen,
    LeftoverSeen,
    Observation,
)
from assay.data.plan import Plan
from assay.data.settings import Level, Settings, Track
from assay.data.task import Task
from assay.data.verdict import OwnWorkload, Status, Verdict
from assay.devices.judges_lock import judges_lock
from assay.errors import HostError
from assay.pipeline import evaluate_in_order
from assay.run_context import RunContext
from assay.sandbox.host.wall import Wall
from assay.timing.device_lease import DeviceLease, Hold
from assay.timing.device_share import DeviceShare
from support.small_exam import STATELESS

SETTINGS = Settings(level=Level.QUICK, track=Track.OPEN, timing=False, timeout_s=12.0)
MODEL = """
import time
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        {body}
"""


def _verdict(wall: Wall, task: Task, body: str) -> Verdict:
    main = SourceFile(path="kernel.py", text=MODEL.format(body=body))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    (judgement,) = evaluate_in_order(EvaluationContext(wall, task, SETTINGS, None), [candidate])
    return judgement.verdict


def test_a_shape_too_slow_for_the_interpreter_is_scaled(
    shared_wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workloads of the sweep that are as large as the own shape are left out, too."""
    monkeypatch.setattr(RunContext, "interprets", lambda *_: True)
    source = STATELESS.source.replace("rows = 16", "rows = 2048")
    task = STATELESS.model_copy(update={"source": source, "axes": ()})
    verdict = _verdict(shared_wall, task, "time.sleep(20 * (len(x) >= 2048)); return x.sum(-1)")
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.own_workload is OwnWorkload.SCALED
    assert verdict.plan is not None and verdict.plan.workloads[0].axes["rows"] < 2048
    assert "own workload scaled: rows=" in verdict.reason and "instead of 2048" in verdict.reason


def test_a_task_that_zeros_pass_is_remarked(shared_wall: Wall) -> None:
    source = STATELESS.source.replace("x.sum(dim=-1)", "x.sum(dim=-1) * 0")
    task = STATELESS.model_copy(update={"source": source})
    verdict = _verdict(shared_wall, task, "return torch.zeros(len(x))")
    (remark,) = verdict.task_remarks
    assert "zeros everywhere" in remark


def test_a_plan_without_workloads_is_a_secret_to_draw_from(shared_wall: Wall) -> None:
    asked = Plan.of(SETTINGS, "ab" * 32, ())
    main = SourceFile(path="kernel.py", text=MODEL.format(body="return x.sum(-1)"))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    plans = []
    for _ in range(2):
        context = EvaluationContext(shared_wall, STATELESS, SETTINGS, asked)
        (judgement,) = evaluate_in_order(context, [candidate])
        assert judgement.verdict.status is Status.ACCEPTED, judgement.verdict.reason
        plans.append(judgement.verdict.plan)
    assert plans[0] == plans[1] is not None
    assert plans[0].secret == asked.secret and plans[0].is_drawn


@pytest.mark.parametrize(
    ("at_once", "accelerated", "asked"), [(1, True, 1), (4, True, 2), (4, False, 1)]
)
@pytest.mark.parametrize(
    "first",
    [
        LeftoverSeen(when="batch 3", processes=0, on_device=True),
        EndSeen(cause=EndCause.TIMED_OUT, phase="calls"),
    ],
)
def test_what_company_on_a_device_may_have_caused_is_asked_again_alone(
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
    accelerated: bool,
    asked: int,
    first: Observation,
) -> None:
    context = object.__new__(EvaluationContext)
    context._lease = DeviceLease(builds_beside_timing=True)
    context._lease.at_once = at_once
    context._backend = SimpleNamespace(accelerated=accelerated)  # type: ignore[assignment]
    answers: list[list[Observation]] = [[first], []]
    monkeypatch.setattr(context, "_candidate_seen", lambda *_: answers.pop(0))
    with context._lease.shared():
        found = context._judged_alike(None, None, lambda *_: None)  # type: ignore[arg-type]
    assert len(answers) == 2 - asked
    assert found == ([] if asked == 2 else [first])


def test_memory_of_a_device_bounds_how_many_are_judged_at_once() -> None:
    context = object.__new__(EvaluationContext)
    context._lease = DeviceLease()
    context._backend = SimpleNamespace(accelerated=True)  # type: ignore[assignment]
    context._share = DeviceShare(context._lease, 40 << 30)
    context._drawing = threading.RLock()
    context.__dict__["_drawn"] = None
    context.judge_at_once(4)
    assert context.at_once == 2
    context.__dict__["_drawn"] = SimpleNamespace(device_bytes=4 << 30)
    for asked, fits in ((16, 10), (4, 4)):
        context.judge_at_once(asked)
        assert context.at_once == fits
    context._share = DeviceShare(context._lease, None)
    context.judge_at_once(4)
    assert context.at_once == 4


@pytest.fixture
def among_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DeviceLease:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return DeviceLease(builds_beside_timing=True, judges_lock=judges_lock("GPU-context"))


def _on_device(lease: DeviceLease, memory_bytes: int) -> EvaluationContext:
    context = object.__new__(EvaluationContext)
    context._lease = lease
    context._backend = SimpleNamespace(accelerated=True)  # type: ignore[assignment]
    context._share = DeviceShare(lease, memory_bytes)
    context._drawing = threading.RLock()
    context.__dict__["_drawn"] = SimpleNamespace(device_bytes=8 << 30)
    return context


@pytest.mark.parametrize(
    ("memory_gib", "lanes", "fits", "hold"),
    [
        (128, 1, 8, Hold.SHARED),
        (128, 2, 8, Hold.SHARED),
        (40, 2, 2, Hold.SHARED),
        (12, 1, 1, Hold.SHARED),
        (12, 2, 1, Hold.QUIET),  # no room for one of each lane: they judge in turns
    ],
)
def test_lanes_divide_the_memory_of_a_device(
    among_judges: DeviceLease, memory_gib: int, lanes: int, fits: int, hold: Hold
) -> None:
    context = _on_device(among_judges, memory_gib << 30)
    context.judge_at_once(8, lanes)
    assert context.at_once == fits
    with context._share.of_candidate(lambda: None):
        assert among_judges._now() is hold


def test_lanes_need_a_lock_between_them() -> None:
    with pytest.raises(HostError, match="take turns"):
        _on_device(DeviceLease(), 128 << 30).judge_at_once(8, 2)


def test_an_exam_is_drawn_beside_timing_and_uses_the_device_beside_calls(
    among_judges: DeviceLease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So do its processes end."""
    context, held = _on_device(among_judges, 40 << 30), list[Hold]()
    note = lambda *_: held.append(among_judges._now())  # noqa: E731
    pool = SimpleNamespace(dismiss=note)

    def set_up(_: object) -> object:
        note()
        return SimpleNamespace(device_bytes=8 << 30, baseline_pool=pool)

    monkeypatch.setattr("assay.context.Reference", lambda _: None)
    monkeypatch.setattr("assay.context.check_reference", note)
    monkeypatch.setattr(context, "_exam", note)
    monkeypatch.setattr(context, "_set_up", set_up)
    context._wall, context._task = SimpleNamespace(idle_probe=None), None  # type: ignore[assignment]
    context._compiler = None
    del context.__dict__["_drawn"]
    context.judge_at_once(8)
    context.close()
    assert held == [Hold.ASIDE, Hold.ASIDE, Hold.SHARED, Hold.SHARED]


def test_what_other_judges_may_have_caused_is_asked_again_alone(
    among_judges: DeviceLease, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though one candidate is judged at a time here."""
    context = _on_device(among_judges, 128 << 30)
    context.judge_at_once(1, lanes=2)
    first = EndSeen(cause=EndCause.TIMED_OUT, phase="calls")
    held: list[Hold] = []

    def seen(*_: object) -> list[Observation]:
        held.append(among_judges._now())
        return [first] if len(held) == 1 else []

    monkeypatch.setattr(context, "_candidate_seen", seen)
    ask = lambda: context._judged_alike(None, None, _silent)  # type: ignore[arg-type]  # noqa: E731
    with among_judges.shared():
        assert ask() == [first]  # nobody else was there
        held.clear()
        assert among_judges._judges is not None
        monkeypatch.setattr(among_judges._judges, "others", lambda: frozenset({1}))
        assert ask() == []
    assert held == [Hold.SHARED, Hold.QUIET]


BUILT = BuildSeen(ok=True, phase="import", seconds=1.0, cached=False)


def _silent(stage: str, fraction: float | None) -> None:
    """No progress is shown."""


ENDED = EndSeen(cause=EndCause.EXITED, phase="build")


@pytest.mark.parametrize(
    ("architecture", "level", "compiles"),
    [
        ("sm_90", Level.STANDARD, True),
        ("sm_86", Level.FULL, True),
        ("sm_90", Level.QUICK, False),
        ("x86_64", Level.STANDARD, False),
    ],
)
def test_kernels_are_compiled_for_a_chip_that_compilers_know_unless_in_a_hurry(
    architecture: str, level: Level, compiles: bool
) -> None:
    device = SimpleNamespace(architecture=architecture)
    judge = SimpleNamespace(_device=device, settings=Settings(level=level))
    compiler = EvaluationContext._rubric_compiler(judge)  # type: ignore[arg-type]
    assert (compiler is not None) is compiles
    if compiler is not None:
        compiler.close()


@pytest.mark.parametrize(
    ("seen", "of_interest"),
    [
        ([BUILT], True),
        ([BUILT, ENDED], False),
        ([BUILT.model_copy(update={"ok": False})], False),
    ],
)
def test_only_a_kernel_that_ran_is_of_interest_to_the_rubric(
    seen: list[Observation], of_interest: bool
) -> None:
    assert ran_to_its_end(seen) is of_interest
