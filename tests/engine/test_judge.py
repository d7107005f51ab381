"""A Judge with real judge processes: what stays, what a broken task costs, what is left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay import Judge, Status

TASK = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * {factor}
N = 64
def get_inputs():
    {inputs}
    return [torch.randn(N, 8)]
def get_init_inputs():
    return []
"""
KERNEL = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * {factor}
"""
OPTIONS = {"level": "smoke", "timing": False, "track": "open", "timeout_s": 20.0}


def task(factor: float = 2, inputs: str = "pass") -> str:
    return TASK.format(factor=factor, inputs=inputs)


def kernel(factor: float = 2) -> str:
    return KERNEL.format(factor=factor)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(jobs=2, **OPTIONS) as made:
        yield made


def test_the_second_job_of_a_task_does_not_draw_again_and_a_replay_does(judge: Judge) -> None:
    before = judge.counts()
    plans = []
    for factor, status in [(2, Status.ACCEPTED), (2.001, Status.INCORRECT)]:
        verdict = judge.evaluate(task(), kernel(factor))
        assert verdict.status is status, verdict.reason
        assert verdict.plan is not None
        plans.append(verdict.plan)
    assert judge.counts().exams == before.exams + 1
    assert len({plan.secret for plan in plans}) == 1
    judge.evaluate(task(), kernel(), first_fault=True)
    assert judge.counts().exams == before.exams + 2
    assert judge.counts().processes == max(1, before.processes)
    plan = plans[0].model_copy(update={"secret": "0" * len(plans[0].secret)})
    (replayed,) = judge.evaluate_many(task(), [kernel()], replay=plan)
    assert replayed.verdict.status is Status.ACCEPTED
    assert replayed.verdict.plan is not None and replayed.verdict.plan.secret == plan.secret
    assert judge.counts().exams == before.exams + 3


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ("import os; os._exit(3)", "ended the process: exit code 3"),
        pytest.param(
            "while True: pass",
            "did not come back within 1 s (line 8, in get_inputs)",
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_a_task_that_breaks_is_invalid_and_the_next_is_fine(
    judge: Judge, inputs: str, told: str
) -> None:
    verdict = judge.evaluate(task(2, inputs), kernel(), timeout_s=1.0)
    assert verdict.status is Status.INVALID_TASK
    assert told in verdict.reason
    assert judge.evaluate(task(), kernel()).status is Status.ACCEPTED


@pytest.mark.exhaustive
def test_eight_threads_get_each_its_own_verdict(judge: Judge) -> None:
    def ask(number: int) -> tuple[Status, str]:
        factor = 2 + number % 2
        wrong = 0.001 * (number % 3 == 0)
        verdict = judge.evaluate(task(factor), kernel(factor + wrong))
        expected = Status.INCORRECT if wrong else Status.ACCEPTED
        return (verdict.status, "") if verdict.status is expected else (expected, verdict.reason)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(8)))
    assert [reason for _, reason in found if reason] == []
    assert {status for status, _ in found} == {Status.ACCEPTED, Status.INCORRECT}


CALLER = f"""
import contextlib, glob, json, os, signal, sys, threading
from assay import Judge

def children():
    found = ""
    for path in glob.glob("/proc/self/task/*/children"):
        with contextlib.suppress(OSError):  # a thread may end meanwhile
            found += open(path).read()
    return found

def state():
    return dict(
        descriptors=sorted(os.listdir("/proc/self/fd")),
        threads=threading.active_count(),
        handlers=[str(signal.getsignal(n)) for n in signal.valid_signals()],
        children=children(),
        torch="torch" in sys.modules,
    )

before = state()
judge = Judge(jobs=2, **{OPTIONS!r})
first = judge.evaluate({task()!r}, {kernel()!r}).status.value
stream = judge.evaluate_many({task()!r}, [{kernel()!r}, {kernel(5)!r}] * 10)
second = next(stream).verdict.status.value
left = [judge.submit({task(4)!r}, {kernel(4)!r}) for _ in range(20)]
warm = bool(children())
judge.close()
print(json.dumps([before, state(), [first, second], warm, all(f.cancelled() for f in left)]))
"""


def test_closing_in_the_middle_leaves_the_caller_as_it_was() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CALLER], capture_output=True, text=True, check=True
    )
    before, after, statuses, warm, cancelled = json.loads(done.stdout)
    assert statuses == ["accepted", "accepted"] and warm and cancelled
    assert after == before and before["torch"] is False
