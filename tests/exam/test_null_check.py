"""A degenerate task is found from the truths of its exam, and an ordinary one is not."""

from __future__ import annotations

import pytest

from assay.data.settings import Level
from assay.data.task import Task
from assay.exam import null_check
from assay.exam.exam import ContentKey
from assay.exam.null_check import nulls_passed
from assay.tasks.catalog import resolve
from support.small_exam import STATELESS, TASK, make_exam

SUM = "x.sum(dim=-1)"


def _task(expression: str) -> Task:
    return STATELESS.model_copy(update={"source": STATELESS.source.replace(SUM, expression)})


@pytest.mark.parametrize("task", [TASK, STATELESS, _task("x.softmax(dim=-1)"), _task("-x")])
def test_an_ordinary_task_refuses_every_null(task: Task) -> None:
    assert nulls_passed(make_exam(Level.QUICK, task)) == []


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("(m := x.amax(-1, keepdim=True)) - m.mean(-1, keepdim=True)", "zeros everywhere"),
        ("x.sum(-1) * 0 + 1", "ones everywhere"),
        ("x + 0", "a copy of input 0"),
    ],
)
def test_what_computes_nothing_and_passes_everywhere_is_named(expression: str, words: str) -> None:
    (found,) = nulls_passed(make_exam(Level.QUICK, _task(expression)))
    assert found.null == words and found.workloads > 5


def test_only_the_first_workload_of_an_ordinary_task_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    plain = null_check._survivors
    monkeypatch.setattr(
        null_check, "_survivors", lambda *given: asked.append(given[1]) or plain(*given)
    )
    nulls_passed(make_exam(Level.QUICK))
    assert len(asked) <= 2


def test_what_the_time_does_not_allow_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(null_check, "_MOST_S", -1.0)
    assert nulls_passed(make_exam(Level.QUICK, _task("x.sum(-1) * 0"))) == []


def test_zeros_are_compared_with_known_truths_whatever_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(null_check, "_MOST_S", -1.0)
    exam = make_exam(Level.QUICK, _task("x.sum(-1) * 0"))
    exam.expectation(ContentKey(1))
    (found,) = nulls_passed(exam)
    assert (found.null, found.workloads) == ("zeros everywhere", 1)


def test_an_earlier_draw_of_a_random_task_is_no_null() -> None:
    assert nulls_passed(make_exam(Level.QUICK, resolve("dropout"))) == []
