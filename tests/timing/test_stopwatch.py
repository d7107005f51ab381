"""A candidate timed on a CPU against several baselines, some of which are lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import pytest

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen
from assay.data.observations.observation import LeftoverSeen, Observation, TimesSeen
from assay.data.settings import Cache, Level, Settings
from assay.data.task import Task
from assay.exam.candidate_build import Builder
from assay.exam.replica import ReplicaFactory
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.session import Session
from assay.timing.baseline import baseline
from assay.timing.round_sampling import MakeRoundSampler
from assay.timing.stopwatch import Stopwatch
from sample_records import DEVICE
from support.small_exam import STATELESS, TASK, make_exam
from support.walls import Room, forced

LEAVES = """
import os, torch
class ModelNew(torch.nn.Module):
    calls = 0
    def forward(self, x):
        self.calls += 1
        if self.calls > 20:
            os._exit(3)
        return x.sum(-1)
"""
EXAMINER = cast(Any, SimpleNamespace(instances=SimpleNamespace(version=lambda _: FIRST_WEIGHTS)))


RING = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ring, self.turn = [torch.empty(16) for _ in range(12)], 0
    def forward(self, x):
        self.turn += 1
        return torch.sum(x, -1, out=self.ring[self.turn % 12])
"""


def _observe(
    room: Room,
    settings: Settings,
    sampler: MakeRoundSampler | None = None,
    candidate: str = "eager",
    task: Task = TASK,
) -> list[Observation]:
    exam = make_exam(Level.QUICK, task)
    session = Session(room.wall)
    try:
        built = baseline(candidate, exam.reference.task)
        assert Builder(exam, None).build(session, built, settings).seen.ok
        if state := exam.state(0):
            session.load_state(0, state, Deadline.after(60.0))
        stopwatch = Stopwatch(room.wall, None, exam, settings, DEVICE)
        if sampler is not None:
            stopwatch.sampled_by(sampler)
        return stopwatch.time(session, EXAMINER, lambda stage, share: None)
    finally:
        session.close()


def test_the_timed_process_is_not_the_examined_one(best_room: Room) -> None:
    settings = Settings(level=Level.SMOKE, timeout_s=60.0)
    with forced(best_room.road):
        exam = make_exam(Level.QUICK)
        script_run = Session(best_room.wall)
        script_run.close()  # whoever times it fails
        eager = baseline("eager", exam.reference.task)
        replicas = ReplicaFactory(best_room.wall, exam, None, eager, settings)
        stopwatch = Stopwatch(best_room.wall, replicas, exam, settings, DEVICE)
        seen = stopwatch.time(script_run, EXAMINER, lambda stage, share: None)
        (timed,) = replicas.sessions
        assert timed.survey(Deadline.after(60.0)) == []  # it lives until the twins are closed
        replicas.close()
        assert not replicas.sessions
        with pytest.raises(OSError):  # its channel is closed
            timed.survey(Deadline.after(60.0))
    (times,) = [one for one in seen if isinstance(one, TimesSeen)]
    assert [m.subject for m in times.measurements] == ["candidate", "eager"]


@pytest.mark.exhaustive
def test_whoever_is_lost_costs_itself_alone(best_room: Room, tmp_path: Path) -> None:
    path = tmp_path / "leaves.py"
    path.write_text(LEAVES)
    settings = Settings(
        level=Level.QUICK,
        baselines=("vendor", str(path), "eager"),
        cache=Cache.BOTH,
        timeout_s=20.0,
    )
    with forced(best_room.road):
        seen = _observe(best_room, settings)
    times = [one for one in seen if isinstance(one, TimesSeen)]
    assert [[m.subject for m in one.measurements] for one in times] == [["candidate", "eager"]] * 2
    assert times[0].measurements[0].method != times[1].measurements[0].method
    assert {m.cache for m in times[1].measurements} == {"warm"}
    for one in times:
        assert one.lost[0] == "vendor: no vendor call is known for this task"
        assert one.lost[1].startswith(str(path))
    judged = [call for call in seen if isinstance(call, CallSeen)]
    assert judged and not any(call.wrong for call in judged)


def test_without_any_baseline_there_is_no_time(best_room: Room) -> None:
    settings = Settings(level=Level.QUICK, baselines=("vendor",), timeout_s=20.0)
    with forced(best_room.road):
        (seen,) = _observe(best_room, settings)
    assert isinstance(seen, TimesSeen) and seen.reason == "no baseline could be run"


class _CountingSampler:
    """Sees nothing; says how many batches it was to look at."""

    made: ClassVar[list[_CountingSampler]] = []

    def __init__(self, session: Session) -> None:
        self.session, self.batches, self.attributed, self.total = session, 0, 0, 0
        self.made.append(self)

    @contextmanager
    def sampling(self) -> Iterator[None]:
        self.batches += 1
        yield
        self.attributed += 20
        self.total += 20

    def look_for_leftovers(self, number: int) -> None:
        assert number == 1

    def observations(self, call_us: float, ran_us: float) -> list[Observation]:
        text = f"{self.batches} batches"
        return [LeftoverSeen(when="timed", processes=0, text=text)]


def test_sampled_rounds_are_left_out_and_the_last_round_is_judged(best_room: Room) -> None:
    settings = Settings(level=Level.SMOKE, timeout_s=60.0)
    _CountingSampler.made.clear()
    with forced(best_room.road):
        seen = _observe(best_room, settings, _CountingSampler)
    (sampler,) = _CountingSampler.made
    (told,) = [one for one in seen if isinstance(one, LeftoverSeen)]
    (times,) = [one for one in seen if isinstance(one, TimesSeen)]
    assert told.text == f"{sampler.batches} batches" and sampler.batches >= 2
    rounds = len(times.measurements[0].samples_us)
    assert {len(one.samples_us) for one in times.measurements} == {rounds}
    judged = [one for one in seen if isinstance(one, CallSeen)]
    assert len(judged) == 3 and not any(o.problem for one in judged for o in one.outputs)


def test_results_in_a_ring_are_found_however_short_a_batch_is(
    best_room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.timing.stopwatch._BATCH_S", 1e-9)  # as on a busy machine: two calls
    path, settings = tmp_path / "ring.py", Settings(level=Level.SMOKE, timeout_s=60.0)
    path.write_text(RING)
    with forced(best_room.road):
        seen = _observe(best_room, settings, candidate=str(path), task=STATELESS)
    problems = [o.problem for one in seen if isinstance(one, CallSeen) for o in one.outputs]
    assert EvidenceKind.RESULT_OVERWRITTEN in problems
