"""The two lanes of a device of its own: when there are two, and who judges what."""

from __future__ import annotations

from concurrent.futures import Future, wait
from pathlib import Path

import pytest

from assay.data.run import Judgement
from assay.data.task import Task
from assay.engine import judge_pool
from assay.engine.judge_pool import JudgePool
from assay.engine.judge_request import JudgeRequest, LaneKind
from assay.judge_process.messages import Job
from assay.pipeline import job_of, settings_of
from support.scripted_judge import Script, kernel, until

GPU = LaneKind("cuda", timed=False)
Futures = list[Future[Judgement]]


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 16 processors, where a burst comes in as one."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(judge_pool.os, "sched_getaffinity", lambda _: set(range(16)))
    monkeypatch.setattr(judge_pool, "_GATHER_S", 0.2)
    monkeypatch.setattr(judge_pool, "_MOST_GATHER_S", 2.0)


def ask(pool: JudgePool, task: str, count: int, word: str = "accepted") -> Futures:
    """Candidates of one task, timed on a device of its own."""
    settings = settings_of(None, {"device": "cuda", "timing": True})
    found = []
    for number in range(count):
        request = JudgeRequest(job_of(task, [kernel(word, number)], settings))
        pool.submit(request)
        found.append(request.future)
    return found


def tasks(jobs: list[Job]) -> list[tuple[str, int]]:
    return [(job.task.id, len(job.candidates)) for job in jobs]


@pytest.mark.parametrize(
    ("processors", "jobs", "turns", "lanes"),
    [(16, 16, True, 2), (8, 4, True, 2), (7, 16, True, 1), (16, 3, True, 1), (16, 16, False, 1)],
)
def test_a_device_has_two_lanes_where_processors_and_jobs_are_there_for_them(
    monkeypatch: pytest.MonkeyPatch, processors: int, jobs: int, turns: bool, lanes: int
) -> None:
    monkeypatch.setattr(judge_pool.os, "sched_getaffinity", lambda _: set(range(processors)))
    monkeypatch.setattr(judge_pool, "turns_can_be_taken", lambda: turns)
    pool = JudgePool(jobs, share=False)
    assert pool._most_lanes(GPU) == lanes
    assert pool._most_lanes(LaneKind("cpu", timed=True)) == 1
    assert pool._most_lanes(LaneKind("cpu", timed=False)) == min(jobs, processors)


def test_lanes_divide_jobs_and_memory_and_each_keeps_its_tasks(script: Script) -> None:
    pool = JudgePool(16, share=True)
    try:
        first = [*ask(pool, "softmax", 6, "wait"), *ask(pool, "gelu", 6, "wait")]
        until(lambda: len(script.jobs) == 2)  # both are at work
        again = [*ask(pool, "gelu", 3), *ask(pool, "softmax", 3)]
        script.go.set()
        assert wait([*first, *again], 60).not_done == set()
    finally:
        pool.close()
    assert {(job.at_once, job.lanes) for job in script.jobs} == {(8, 2)}
    one, other = sorted(script.processes, key=lambda process: process.jobs[0].task.id)
    assert tasks(one.jobs) == [("gelu", 6), ("gelu", 3)]
    assert tasks(other.jobs) == [("softmax", 6), ("softmax", 3)]


def test_a_lane_takes_a_task_that_nobody_has_before_one_of_the_other_lane(script: Script) -> None:
    pool = JudgePool(16, share=True)
    try:
        first = ask(pool, "softmax", 1, "wait")
        until(lambda: len(script.jobs) == 1)
        later = [*ask(pool, "softmax", 12), *ask(pool, "gelu", 2), *ask(pool, "layernorm", 2)]
        assert wait(later, 60).not_done == set()  # the other lane takes it in the end
        script.go.set()
        assert wait(first, 60).not_done == set()
    finally:
        pool.close()
    names = [job.task.id for job in script.processes[1].jobs]
    assert names[:2] == ["gelu", "layernorm"] and set(names[2:]) == {"softmax"}


def test_a_few_of_a_task_wait_for_the_lane_that_has_it(script: Script) -> None:
    pool = JudgePool(16, share=True)
    try:
        first = ask(pool, "softmax", 1, "wait")
        until(lambda: len(script.jobs) == 1)
        few, others = ask(pool, "softmax", 4), ask(pool, "gelu", 1)
        assert wait(others, 60).not_done == set() and not any(one.done() for one in few)
        script.go.set()
        assert wait([*first, *few], 60).not_done == set()
    finally:
        pool.close()
    assert tasks(script.processes[0].jobs) == [("softmax", 1), ("softmax", 4)]


@pytest.mark.parametrize(("jobs", "asked"), [(16, 20), (4, 8)])
def test_one_task_with_many_candidates_is_divided(script: Script, jobs: int, asked: int) -> None:
    """Eight are ahead of one that asks for a run with four jobs."""
    pool = JudgePool(jobs, share=True)
    try:
        futures = ask(pool, "softmax", asked, "wait")
        until(lambda: len(script.jobs) == 2)
        assert tasks(script.jobs) == [("softmax", asked // 2)] * 2
        script.go.set()
        assert wait(futures, 60).not_done == set()
    finally:
        pool.close()


def test_a_few_candidates_of_one_task_have_the_slots_of_both_lanes(script: Script) -> None:
    pool = JudgePool(16, share=True)
    try:
        assert wait(ask(pool, "softmax", 12), 60).not_done == set()
    finally:
        pool.close()
    assert [(job.at_once, job.lanes) for job in script.jobs] == [(12, 2)]


def test_one_lane_has_all_jobs_of_a_device(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_pool, "turns_can_be_taken", lambda: False)
    pool = JudgePool(16, share=True)
    try:
        futures = [*ask(pool, "softmax", 3), *ask(pool, "gelu", 3)]
        assert wait(futures, 60).not_done == set()
    finally:
        pool.close()
    assert len(script.processes) == 1
    assert {(job.at_once, job.lanes) for job in script.jobs} == {(16, 1)}


def test_lanes_are_no_part_of_what_an_exam_is_known_by() -> None:
    settings = settings_of(None, {"device": "cuda"})
    job = job_of("softmax", [kernel("accepted")], settings)
    assert isinstance(job.task, Task)
    shared = job.model_copy(update={"lanes": 2})
    assert JudgeRequest(job).group == JudgeRequest(shared).group
