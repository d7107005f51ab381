"""Whole trials of small candidates: what is seen of an honest one, a wrong one and a cheat."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.candidate_run import CandidateRun
from assay.checks.check_contract import Check, CheckContext, Observations
from assay.data.candidate import Candidate, SourceFile
from assay.data.check import CheckStage, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallOutcome, CallSeen, Mix
from assay.data.observations.observation import (
    BuildSeen,
    EndCause,
    EndSeen,
    LayersSeen,
    LeftoverSeen,
    Observation,
    StateSeen,
    TimesSeen,
)
from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Honest, Status, Verdict
from assay.data.workload import Workload
from assay.exam.builds.deferred_warmup import DeferredWarmup
from assay.exam.exam_amounts import AMOUNTS
from assay.judge.decide import judge
from assay.run_context import RunContext
from assay.sandbox.host.session import Session
from assay.timing.device_lease import DeviceLease
from checks.contexts import context_of
from checks.outside import CONVICTING, acquit, check, fail
from sample_records import DEVICE
from support.judge_inputs import case
from support.small_exam import make_exam
from support.walls import ROADS, Room, forced

MODEL = """
import ctypes, os, time
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))
        self.memo = {{}}
        self.calls = 0
    def forward(self, x):
{body}
"""
RIGHT = "return x.sum(-1) * self.scale"
# The open track: whose code ran is sampled for seconds on the other, which one test here tries.
SETTINGS = Settings(level=Level.QUICK, timing=False, track=Track.OPEN, timeout_s=20.0)


@pytest.fixture(scope="module")
def run_context(
    rooms: dict[str, Room], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunContext]:
    road = ROADS[0]
    room = rooms[road]
    with forced(road), pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(tmp_path_factory.mktemp("builds")))
        yield RunContext.set_up(room.wall, make_exam(Level.QUICK), SETTINGS, DEVICE)


def _observe(run_context: RunContext, body: str) -> list[Observation]:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    main = SourceFile(path="kernel.py", text=MODEL.format(body=lines))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    return CandidateRun(run_context, candidate, lambda stage, share: None).observe()


def _calls(seen: list[Observation]) -> list[CallSeen]:
    return [o for o in seen if isinstance(o, CallSeen)]


def _problems(seen: list[Observation]) -> set[EvidenceKind]:
    return {o.problem for call in _calls(seen) for o in call.outputs if o.problem is not None}


def _ends(seen: list[Observation]) -> list[EndSeen]:
    return [o for o in seen if isinstance(o, EndSeen)]


def test_an_honest_candidate_shows_nothing(
    run_context: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    ample = replace(AMOUNTS[Level.QUICK], soft_budget_s=60.0)  # under load no workload is left out
    monkeypatch.setitem(AMOUNTS, Level.QUICK, ample)
    settings = SETTINGS.model_copy(update={"track": Track.KERNEL, "timeout_s": 120.0})
    seen = _observe(replace(run_context, settings=settings), RIGHT)
    calls = _calls(seen)
    assert _problems(seen) == set() and _ends(seen) == []
    assert all(call.outcome is CallOutcome.RETURNED for call in calls)
    assert not [o for o in seen if isinstance(o, StateSeen | LeftoverSeen)]
    assert {c.workload for c in calls} == set(range(len(run_context.exam.plan.workloads)))
    assert {c.mix for c in calls} == set(Mix) - {Mix.TIMED}
    assert len(calls) >= 32 and any(call.guarded for call in calls)
    usual = ("drawn ", "half ", "seeded ")
    scaled = {c.workload for c in calls if not c.weights.startswith(usual)}
    assert scaled and scaled <= {c.workload for c in calls if c.mix is Mix.NEW_WEIGHTS}
    assert [o.reason for o in seen if isinstance(o, TimesSeen)] == ["timing was switched off"]
    assert [o.ok for o in seen if isinstance(o, BuildSeen)] == [True]
    assert [o.isolated for o in seen if isinstance(o, LayersSeen)] == [True]


def test_a_memo_by_address_returns_an_earlier_answer(run_context: RunContext) -> None:
    body = f"""
key = (x.data_ptr(), x.shape)
if key not in self.memo:
    self.memo[key] = (lambda: {RIGHT.removeprefix("return ")})()
return self.memo[key].clone()
"""
    outputs = [o for call in _calls(_observe(run_context, body)) for o in call.outputs]
    assert any(o.problem and o.matches_earlier_call is not None for o in outputs)


def test_weights_kept_from_the_start_are_old_weights(run_context: RunContext) -> None:
    body = """
if "scale" not in self.memo:
    self.memo["scale"] = self.scale.detach().clone()
return x.sum(-1) * self.memo["scale"]
"""
    outputs = [o for call in _calls(_observe(run_context, body)) for o in call.outputs]
    assert any(o.problem and o.matches_old_weights for o in outputs)


def test_one_buffer_for_all_results_is_seen(run_context: RunContext) -> None:
    body = f"""
out = self.memo.setdefault(x.shape[0], torch.zeros(x.shape[0]))
return out.copy_({RIGHT.removeprefix("return ")})
"""
    assert EvidenceKind.RESULT_OVERWRITTEN in _problems(_observe(run_context, body))


@pytest.mark.parametrize("offset", ["-4", "x.numel() * 4"])
def test_a_read_past_the_edge_is_told_from_a_crash(run_context: RunContext, offset: str) -> None:
    body = f"""
if x.is_contiguous() and x.numel():
    ctypes.c_float.from_address(x.data_ptr() + {offset}).value
{RIGHT}
"""
    (end,) = _ends(_observe(run_context, body))
    assert end.cause is EndCause.SIGNALLED and end.guard_page


def test_a_crash_of_its_own_is_a_crash(run_context: RunContext) -> None:
    body = f"""
self.calls += 1
if self.calls > 5:
    ctypes.string_at(0)
{RIGHT}
"""
    (end,) = _ends(_observe(run_context, body))
    assert end.cause is EndCause.SIGNALLED and not end.guard_page
    assert end.phase == "calls" and end.workload is not None


def test_a_child_left_alive_is_a_leftover(run_context: RunContext) -> None:
    body = f"""
self.calls += 1
if self.calls == 3 and os.fork() == 0:
    time.sleep(60)
{RIGHT}
"""
    assert any(isinstance(o, LeftoverSeen) for o in _observe(run_context, body))


def test_work_after_the_answer_is_wrong_now_and_right_later(run_context: RunContext) -> None:
    body = f"""
import threading
out = torch.zeros(x.shape[0])
value = {RIGHT.removeprefix("return ")}
threading.Thread(target=lambda: (time.sleep(0.02), out.copy_(value))).start()
return out
"""
    outputs = [o for call in _calls(_observe(run_context, body)) for o in call.outputs]
    assert any(o.problem and o.right_later for o in outputs)


def test_a_build_that_ends_the_process_is_an_end(run_context: RunContext) -> None:
    seen = _observe(run_context, "os._exit(5)")
    (end,) = _ends(seen)
    assert (end.cause, end.code, end.phase) == (EndCause.EXITED, 5, "build")
    assert _calls(seen) == []


def test_builds_are_kept_where_the_user_wants_them(run_context: RunContext) -> None:
    _observe(run_context, RIGHT)
    assert run_context.cache is None or list(Path(run_context.cache._folder).glob("*.tar"))


@pytest.mark.exhaustive
def test_a_stretched_size_that_does_not_fit_time_or_memory_is_left_out(
    run_context: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.exam.pace._STRETCHED_S", 0.5)
    sizes = ((16, 512), (3, 7), (16, 4097))
    workloads = [Workload(axes={"rows": r, "cols": c}, dtype="float32") for r, c in sizes]
    exam = make_exam(Level.QUICK, workloads=tuple(workloads))
    settings = SETTINGS.model_copy(update={"timeout_s": 8.0})
    stretched = RunContext.set_up(run_context.wall, exam, settings, DEVICE)
    late = _observe(stretched, f"time.sleep(60 * (x.shape[1] > 4096))\n{RIGHT}")
    assert [(end.cause, end.workload, end.optional) for end in _ends(late)] == [
        (EndCause.TIMED_OUT, 2, True)
    ]
    assert {call.workload for call in _calls(late)} == {0, 1} and _problems(late) == set()
    failed = "print('what():  std::bad_alloc', flush=True) or os.abort()"
    full = _observe(stretched, f"x.shape[1] <= 4096 or {failed}\n{RIGHT}")
    assert [(end.cause, end.workload, end.optional) for end in _ends(full)] == [
        (EndCause.OUT_OF_MEMORY, 2, True)
    ]
    slow = _observe(stretched, f"time.sleep(60 * (x.shape[1] == 7))\n{RIGHT}")
    assert [(end.cause, end.workload, end.optional) for end in _ends(slow)] == [
        (EndCause.TIMED_OUT, 1, False)
    ]


def test_a_check_and_an_accident_are_told_apart(run_context: RunContext) -> None:
    for body, own_check in (
        ("if x.shape[1] == 1: raise ValueError('too narrow')", True),
        ("if x.shape[1] != 32: x.view(5, 7, 11)", False),
        ("if x.shape[1] == 1: raise MemoryError", False),
    ):
        raised = [
            call
            for call in _calls(_observe(run_context, f"{body}\n{RIGHT}"))
            if call.outcome is CallOutcome.RAISED
        ]
        assert raised and all(call.own_check is own_check for call in raised)


def test_sizes_that_a_rehearsal_gave_up_are_left_out(
    run_context: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = next(batch for batch in run_context.script if batch.stretched).workloads
    monkeypatch.setattr(RunContext, "warmup", lambda *_: DeferredWarmup(lambda: far))
    seen = _observe(run_context, RIGHT)
    assert {end.workload for end in _ends(seen)} == far
    assert all(end.optional and end.cause is EndCause.TIMED_OUT for end in _ends(seen))
    assert far.isdisjoint({call.workload for call in _calls(seen)}) and _calls(seen)


@pytest.mark.parametrize(("body", "times"), [(RIGHT, 1), ("return x.sum(-1) + 1", 0)])
def test_who_is_wrong_on_the_own_shape_is_not_warmed_up(
    run_context: RunContext, monkeypatch: pytest.MonkeyPatch, body: str, times: int
) -> None:
    held: list[int] = []

    def warm_up() -> frozenset[int]:
        held.append(1)
        return frozenset()

    monkeypatch.setattr(RunContext, "warmup", lambda *_: DeferredWarmup(warm_up))
    calls = _calls(_observe(run_context, body))
    assert len(held) == times
    assert [call.workload for call in calls[:3]] == [0, 0, 0]
    assert {call.workload for call in calls} != {0}  # whatever it is, other shapes are asked too


def _judged(run_context: RunContext, *outside: Check) -> Verdict:
    """The verdict on a right candidate of the open track, with checks of others."""
    checks = (*run_context.checks, *outside)
    seen = _observe(replace(run_context, checks=checks), RIGHT)
    return judge(replace(case(*seen, track=Track.OPEN), plan=run_context.exam.plan))


def test_a_check_of_others_convicts(run_context: RunContext) -> None:
    assert _judged(run_context, check(acquit)).status is Status.ACCEPTED
    verdict = _judged(run_context, CONVICTING)
    assert (verdict.status, verdict.honest) == (Status.DISHONEST, Honest.NO)
    assert verdict.reason == "its answers name the judge"


def test_a_check_of_others_that_fails_is_never_accepted(run_context: RunContext) -> None:
    verdict = _judged(run_context, check(fail))
    assert (verdict.status, verdict.honest) == (Status.NOT_RUN, Honest.UNKNOWN)
    assert verdict.reason == "of others: LookupError: no such thing"


@pytest.mark.parametrize("stage", [CheckStage.BUILT, CheckStage.AMONG_CALLS, CheckStage.ENDED])
def test_a_check_runs_at_its_stage(run_context: RunContext, stage: CheckStage) -> None:
    at: list[tuple[CheckStage, int]] = []

    def note(context: CheckContext) -> Observations:
        at.append((context.stage, len(context.script_runner.observations)))
        return ()

    _judged(run_context, check(note, stage))
    assert {found for found, _ in at} == {stage}
    if stage is CheckStage.AMONG_CALLS:
        assert (
            len(run_context.script) // 2 < len(at) <= len(run_context.script)
        )  # load leaves some out
    else:
        assert len(at) == 1 and bool(at[0][1]) is (stage is CheckStage.ENDED)


IN_A_ROW = 200  # calls of the own shape; all others are a handful between other shapes
CHANGES_LATE = f"""self.calls = self.calls + 1 if x.shape == self.memo.get("last") else 1
self.memo["last"] = x.shape
if self.calls > {IN_A_ROW}:
    torch.set_num_threads(1)
    torch.nn.functional.gelu = abs
{RIGHT}"""


def test_what_timed_calls_alone_change_is_seen(run_context: RunContext) -> None:
    """It is changed in the process that is timed, which need not be the one that was examined."""
    settings = SETTINGS.model_copy(update={"timing": True, "level": Level.SMOKE})
    seen = _observe(replace(run_context, settings=settings), CHANGES_LATE)
    assert [bool(o.measurements) for o in seen if isinstance(o, TimesSeen)] == [True]
    assert {(o.when, o.name) for o in seen if isinstance(o, StateSeen)} == {
        ("after the timing", "torch.num_threads"),
        ("after the timing", "torch.nn.functional.gelu"),
    }


class _SharedProbe:
    """Of a device that a neighbour uses, until somebody asks whether it comes to rest."""

    usual_us, busy_before = 3.0, False

    def __init__(self, lease: DeviceLease, spins: bool) -> None:
        self.spins, self.looks = spins, 0  # a kernel on a stream of its own, until its process ends
        self._lease = lease
        self._came, self._goes = threading.Event(), threading.Event()
        threading.Thread(target=self._work, daemon=True).start()
        assert self._came.wait(10.0)

    def _work(self) -> None:
        with self._lease.shared():
            self._came.set()
            self._goes.wait(60.0)

    def surely_busy_us(self) -> float | None:
        self.looks += 1
        busy = self.spins or self._lease.has_company
        self._goes.set()
        return 900.0 if busy else None

    busy_us = surely_busy_us

    def others(self) -> tuple[()]:
        return ()


@pytest.mark.parametrize("spins", [False, True])
def test_beside_a_neighbour_a_device_left_at_work_is_looked_for_once_and_alone(
    run_context: RunContext, monkeypatch: pytest.MonkeyPatch, spins: bool
) -> None:
    lease = DeviceLease(builds_beside_timing=True)
    lease.at_once = 2
    probe, close = _SharedProbe(lease, spins), Session.close

    def closed(session: Session) -> None:
        close(session)
        probe.spins = False

    monkeypatch.setitem(run_context.wall.__dict__, "idle_probe", probe)
    monkeypatch.setattr(Session, "close", closed)
    with lease.shared():
        seen = _observe(replace(run_context, lease=lease), RIGHT)
    found = [o.when for o in seen if isinstance(o, LeftoverSeen)]
    assert found == (["with nobody else there"] if spins else [])
    assert probe.looks == (3 if spins else 2)  # beside the neighbour, alone, and after its end
    assert len(_calls(seen)) >= 32 and _problems(seen) == set()


@pytest.mark.parametrize(("number", "thorough"), [(0, False), (3, True), (3, False)])
@pytest.mark.parametrize("spins", [False, True])
def test_on_a_device_a_few_batches_are_looked_at_alone(
    number: int, thorough: bool, spins: bool
) -> None:
    """A kernel that ends before all calls are made is found too."""
    lease = DeviceLease(builds_beside_timing=True)
    lease.at_once = 2
    stood_still: list[str] = []
    process = SimpleNamespace(freeze=lambda: stood_still.append("frozen"), thaw=stood_still.clear)
    session = SimpleNamespace(process=process, idle_probe=_SharedProbe(lease, spins))
    script_runner = SimpleNamespace(observations=[], wrong=0, session=session)
    context = context_of(
        cast(Any, script_runner), stage=CheckStage.AMONG_CALLS, execution=Execution.DEVICE
    )
    shared = cast(Any, SimpleNamespace(lease=lease, script=[], checks=()))
    with lease.shared():
        run = CandidateRun(shared, context.candidate, lambda stage, share: None)
        found = run._look(context, number, thorough)
    looked = thorough or number == 0
    left = [o for o in found if isinstance(o, LeftoverSeen) and o.on_device]
    assert len(left) == int(spins and looked)
    assert stood_still == ["frozen"]
