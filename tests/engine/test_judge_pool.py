"""Which requests go to which process, when, and as one job; judge processes are scripted here."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait

import pytest

from assay.data.candidate import Candidate
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.engine import judge_lane, judge_pool
from assay.engine.judge import Judge
from assay.engine.judge_pool import JudgePool
from assay.engine.judge_request import LaneKind
from assay.errors import UsageError
from support.scripted_judge import Script, kernel, until


def test_a_process_stays_and_the_exam_is_drawn_once(script: Script) -> None:
    with Judge(jobs=2, timing=False) as judge:
        for number in range(5):
            verdict = judge.evaluate("softmax", kernel("accepted", number))
            assert verdict.status is Status.ACCEPTED
        assert judge.counts() == type(judge.counts())(processes=1, exams=1)
        judge.evaluate("gelu", kernel("accepted"))
        judge.evaluate("softmax", kernel("accepted"), level="quick")
        assert judge.counts() == type(judge.counts())(processes=1, exams=3)
    assert [process.closed for process in script.processes] == [1]


def test_requests_that_wait_go_as_one_job_to_the_process_that_holds_their_exam(
    script: Script,
) -> None:
    with Judge(jobs=2, timing=False) as judge:
        first = judge.submit("softmax", kernel("wait"))
        until(lambda: script.jobs)
        others = [judge.submit("softmax", kernel("incorrect", n)) for n in range(6)]
        gelu = judge.submit("gelu", kernel("accepted"))
        assert gelu.result(10).verdict.status is Status.ACCEPTED  # by another process
        script.go.set()
        assert [one.result(10).verdict.status.value for one in others] == ["incorrect"] * 6
        assert first.result(10).candidate == kernel("wait")
    assert [len(job.candidates) for job in script.processes[0].jobs] == [1, 6]
    assert script.processes[0].jobs[1].at_once == 2
    assert [job.task.id for job in script.processes[1].jobs] == ["gelu"]


def test_a_burst_of_requests_begins_as_one_job(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of them would be judged alone, while a process starts for seconds."""
    monkeypatch.setattr(judge_pool, "_GATHER_S", 2.0)  # a busy machine submits slowly
    monkeypatch.setattr(judge_pool, "_MOST_GATHER_S", 20.0)
    with Judge(jobs=2, timing=True) as judge:
        done = [judge.submit("softmax", kernel("accepted", n)) for n in range(6)]
        assert wait(done, 60).not_done == set()
    assert [len(job.candidates) for job in script.jobs] == [6]


def test_a_burst_of_several_tasks_has_a_process_for_each_processor(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it came in before the first lane was at work, so no request found it busy."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor has one process")
    monkeypatch.setattr(judge_pool, "_GATHER_S", 2.0)  # a busy machine submits slowly
    monkeypatch.setattr(judge_pool, "_MOST_GATHER_S", 20.0)
    with Judge(jobs=2, timing=False) as judge:
        done = [judge.submit(task, kernel("wait")) for task in ("softmax", "gelu")]
        until(lambda: len(script.jobs) == 2)  # both at work, and neither is through
        script.go.set()
        assert wait(done, 10).not_done == set()
    assert len(script.processes) == 2


def test_of_the_last_group_few_are_taken_while_another_lane_is_at_work(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of it is judged with the slots of the other, once that is through."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor has one process")
    monkeypatch.setattr(judge_pool, "_GATHER_S", 2.0)  # a busy machine submits slowly
    monkeypatch.setattr(judge_pool, "_MOST_GATHER_S", 20.0)
    with Judge(jobs=2, timing=False) as judge:
        tasks = ["softmax"] * 2 + ["gelu"] * 12
        done = [judge.submit(task, kernel("wait", n)) for n, task in enumerate(tasks)]
        until(lambda: len(script.jobs) == 2)  # both at work, and neither is through
        assert sorted(len(job.candidates) for job in script.jobs) == [2, 3]
        script.go.set()
        assert wait(done, 10).not_done == set()


def test_a_pool_that_closes_while_a_burst_gathers_leaves_no_thread(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    gathering = threading.Event()

    gather = JudgePool._gather

    def slowly(pool: JudgePool) -> bool:
        gathering.set()
        while not pool.closed:
            pool._changed.wait(0.01)
        return gather(pool)

    monkeypatch.setattr(JudgePool, "_gather", slowly)
    judge = Judge(jobs=1, timing=False)
    asked = judge.submit("softmax", kernel("accepted"))
    assert gathering.wait(60)
    closing = threading.Thread(target=judge.close, daemon=True)
    closing.start()
    closing.join(10)
    assert not closing.is_alive() and asked.cancelled()


def test_many_that_wait_make_another_process_draw_their_exam(script: Script) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor has one process")
    with Judge(jobs=2, timing=False) as judge:
        slow = judge.submit("softmax", kernel("wait"))
        until(lambda: script.jobs)
        others = [judge.submit("softmax", kernel("accepted", n)) for n in range(20)]
        wait(others, 60)
        assert not slow.done() and len(script.processes) == 2
        script.go.set()


@pytest.mark.parametrize("options", [{"timing": True}, {"timing": True, "level": "quick"}])
def test_where_candidates_are_timed_one_process_has_them_side_by_side(
    script: Script, options: dict[str, object]
) -> None:
    with Judge(jobs=3, **options) as judge:
        done = [judge.submit(name, kernel("accepted")) for name in ("softmax", "gelu", "layernorm")]
        wait(done, 60)
    assert len(script.processes) == 1
    assert {job.at_once for job in script.jobs} == {3}


def test_timing_waits_for_all_others_and_is_waited_for(script: Script) -> None:
    with Judge(jobs=2, timing=False) as judge:
        slow = judge.submit("softmax", kernel("wait"))
        until(lambda: script.jobs)
        timed = judge.submit("softmax", kernel("accepted"), timing=True)
        younger = judge.submit("gelu", kernel("accepted"))
        time.sleep(0.1)
        assert not timed.done() and not younger.done()
        script.go.set()
        assert wait([slow, timed, younger], 60).not_done == set()
    order = [job.settings.timing for process in script.processes for job in process.jobs]
    assert sorted(order) == [False, False, True]


def test_a_process_that_dies_costs_the_candidate_it_was_at(script: Script) -> None:
    words = ["accepted", "die", "incorrect"]
    with Judge(jobs=1, timing=False) as judge:
        given = [kernel(word, number) for number, word in enumerate(words)]
        found = [j.verdict.status.value for j in judge.evaluate_many("softmax", given)]
        assert found == ["accepted", "not_run", "incorrect"]
        assert judge.evaluate("gelu", kernel("accepted")).status is Status.ACCEPTED


def test_a_task_that_hangs_is_invalid_and_the_next_is_fine(script: Script) -> None:
    with Judge(jobs=1, timing=False) as judge:
        assert judge.evaluate("softmax", kernel("hang")).status is Status.INVALID_TASK
        assert judge.evaluate("gelu", kernel("accepted")).status is Status.ACCEPTED
    assert all(process.closed for process in script.processes)


def test_an_error_of_ours_is_that_of_the_one_who_asked(script: Script) -> None:
    with Judge(jobs=1, timing=False) as judge:
        with pytest.raises(UsageError, match="wrong device"):
            judge.evaluate("softmax", kernel("usage"))
        assert judge.evaluate("softmax", kernel("accepted")).status is Status.ACCEPTED
        with pytest.raises(UsageError, match="unknown setting"):
            judge.submit("softmax", kernel("accepted"), levle="quick")


def test_eight_threads_get_each_its_own_verdict(script: Script) -> None:
    words = ["accepted", "incorrect", "dishonest", "suspicious"]
    with Judge(jobs=2, timing=False) as judge, ThreadPoolExecutor(8) as threads:

        def ask(number: int) -> bool:
            word = words[number % 4]
            verdict = judge.evaluate(("softmax", "gelu")[number % 2], kernel(word, number))
            return verdict.status.value == word

        assert all(threads.map(ask, range(200)))


def test_closing_the_generator_stops_the_work_and_keeps_the_process(script: Script) -> None:
    with Judge(jobs=1, timing=False) as judge:
        stream = judge.evaluate_many("softmax", [kernel("accepted", n) for n in range(50)])
        next(stream)
        stream.close()
        assert judge.evaluate("gelu", kernel("accepted")).status is Status.ACCEPTED
    asked = sum(len(job.candidates) for job in script.jobs)
    assert asked < 10 and len(script.processes) == 1


def test_a_request_cancelled_while_a_process_picks_it_stops_nobody(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A future is cancelled without the pool's lock, so also between two of its looks."""
    by_age = judge_pool._Groups.by_age
    cancelled: list[str] = []

    def cancel_after_the_look(groups: judge_pool._Groups) -> list[str]:
        found = by_age(groups)
        for group in found[:1] if not cancelled else []:
            groups.waiting[group][0].future.cancel()
            cancelled.append(group)
        return found

    monkeypatch.setattr(judge_pool._Groups, "by_age", cancel_after_the_look)
    with Judge(jobs=1, timing=False) as judge:
        unlucky = judge.submit("softmax", kernel("accepted"))
        with pytest.raises(CancelledError):
            unlucky.result(timeout=60)
        lucky = judge.submit("gelu", kernel("accepted"))
        assert lucky.result(timeout=60).verdict.status is Status.ACCEPTED


def test_what_nobody_wants_is_given_up(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_lane, "_GRACE_S", 0.05)
    with Judge(jobs=1, timing=False) as judge:
        unwanted = judge.submit("softmax", kernel("wait"))
        until(lambda: script.jobs)
        assert unwanted.cancel()
        assert judge.evaluate("gelu", kernel("accepted")).status is Status.ACCEPTED
    assert len(script.processes) == 2


def test_closing_cancels_what_is_left_and_leaves_no_thread(script: Script) -> None:
    before = threading.active_count()
    judge = Judge(jobs=1, timing=False)
    futures = [judge.submit("softmax", kernel("wait", n)) for n in range(3)]
    until(lambda: script.jobs)
    judge.close()
    assert all(one.cancelled() for one in futures)
    with pytest.raises(CancelledError):
        futures[0].result()
    assert wait(futures, 60).not_done == set()
    assert threading.active_count() == before
    with pytest.raises(UsageError, match="closed"):
        judge.submit("softmax", kernel("accepted"))


def test_a_judge_that_is_forgotten_ends_its_processes(script: Script) -> None:
    judge = Judge(jobs=1, timing=False)
    judge.evaluate("softmax", kernel("accepted"))
    del judge
    gc.collect()
    assert script.processes[0].closed == 1


def test_a_forked_copy_neither_uses_nor_ends_it(script: Script) -> None:
    with Judge(jobs=1, timing=False) as judge:
        judge.evaluate("softmax", kernel("accepted"))
        child = os.fork()
        if child == 0:
            try:
                judge.submit("softmax", kernel("accepted"))
            except UsageError:
                judge.close()
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert judge.evaluate("softmax", kernel("accepted")).status is Status.ACCEPTED


def test_a_stream_is_in_order_and_takes_only_a_few_ahead(script: Script) -> None:
    taken: list[int] = []

    def pairs() -> Iterator[tuple[str, Candidate]]:
        for number in range(30):
            taken.append(number)
            yield ("softmax", "gelu")[number % 2], kernel("accepted", number)

    async def run(judge: Judge) -> list[str]:
        found = []
        async for one in judge.stream(pairs()):
            found.append(one.candidate.main.text.split()[2])
            assert len(taken) - len(found) <= 4
        return found

    with Judge(jobs=2, timing=False) as judge:
        assert asyncio.run(run(judge)) == [str(number) for number in range(30)]


def test_settings_and_progress_are_those_of_the_call(script: Script) -> None:
    seen: list[tuple[str, int, int, str]] = []
    with Judge(timing=False, level="quick", jobs=1) as judge:
        given = [kernel("accepted", n) for n in range(2)]
        show = lambda p: seen.append((p.candidate, p.index, p.total, p.stage))  # noqa: E731
        one, _ = judge.evaluate_many("softmax", given, None, show, track="open")
        (other,) = judge.evaluate_many("softmax", given[:1], Settings(timing=False))
    assert one.settings == Settings(timing=False, level="quick", track="open")
    assert other.settings == Settings(timing=False)
    assert [index for _, index, total, stage in seen if stage == "drawing"] == [0, 1]


def test_no_process_serves_for_ever(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_lane, "_MOST_JOBS", 3)
    with Judge(jobs=1, timing=False) as judge:
        for number in range(7):
            judge.evaluate("softmax", kernel("accepted", number))
        assert judge.counts().processes == 3


def test_the_processes_of_a_device_share_the_memory_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judge_pool, "_machine_bytes", lambda: 24 << 30)
    monkeypatch.setattr(judge_pool.os, "sched_getaffinity", lambda _: set(range(16)))
    pool = JudgePool(8, share=False)
    assert pool.keep(LaneKind("cuda", timed=False)).resident_bytes == 3 << 30
    few = JudgePool(2, share=False)
    assert few.keep(LaneKind("cuda", timed=False)).resident_bytes == 6 << 30
    assert pool.keep(LaneKind("cpu", timed=True)).resident_bytes == 6 << 30
    assert pool.keep(LaneKind("cpu", timed=False)).resident_bytes == 3 << 29  # never less
