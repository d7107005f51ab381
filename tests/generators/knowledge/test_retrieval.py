"""Past attempts that are like a task, a kernel or a failure."""

from __future__ import annotations

import pytest

from assay.data.generation.search_state import TaskState
from assay.generators.knowledge.attempt_features import (
    error_features,
    error_signature,
    likeness,
    source_features,
    task_features,
)
from assay.generators.knowledge.retrieval import AttemptIndex
from searched_state import repaired, several, tried

NEW = TaskState(task="softmax_wide", title="softmax of long rows", tags=("family:softmax",))


def test_what_a_source_is_about() -> None:
    source = "BLOCK = 1024\ny = torch.softmax(x.to(torch.float16)); tl.load(p)"
    assert source_features(source) == {
        *("op:softmax", "op:float16", "op:load", "dtype:float16", "size:10"),
    }
    assert task_features(NEW) == {"tag:family:softmax"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Traceback\nRuntimeError: size mismatch at dim 3 (128 vs 64)",
            "RuntimeError: size mismatch at dim 1 (7 vs 9)",
        ),
        ("error: /tmp/a/k.cu:12: expected ';'", "error: /scratch/b/x.cu:99: expected ';'"),
    ],
)
def test_signatures_leave_out_what_changes_from_run_to_run(one: str, other: str) -> None:
    assert error_signature(one) == error_signature(other) != ""


def test_different_errors_have_different_signatures() -> None:
    assert error_signature("TypeError: x") != error_signature("IndexError: x")
    assert error_features(tried(0)) == frozenset()
    assert "status:crashed" in error_features(tried(0, "crashed"))


def test_likeness_is_the_share_in_common() -> None:
    assert likeness(frozenset("abc"), frozenset("bcd")) == 0.5
    assert likeness(frozenset(), frozenset()) == 0.0


def test_the_task_that_is_alike_comes_first() -> None:
    state = several(
        conv_one=(tried(0, source="torch.conv2d(x)"),),
        softmax_one=(tried(1, source="torch.softmax(x)"),),
        scan_one=(tried(2, source="torch.cumsum(x)"),),
    )
    found = AttemptIndex.of_state(state).similar(NEW, count=3)
    assert found[0].attempt.candidate == "c1"
    assert all(0 < one.score <= 1 for one in found)


def test_a_failure_finds_what_cured_a_like_one() -> None:
    failure = tried(9, "build_failed", feedback="CompilationError: tl.dot needs K >= 16")
    cured = repaired(1, "c0", "accepted", source="tl.dot(a, b)  # K padded to 16", speedup=1.0)
    state = several(matmul_old=(cured,), conv_old=(tried(2, source="torch.conv2d(x)"),))
    asked = TaskState(task="bmm_new")
    found = AttemptIndex.of_state(state).similar(asked, failure, 1)
    assert [one.attempt.candidate for one in found] == ["c1"]


def test_nothing_is_found_that_was_not_accepted() -> None:
    state = several(
        softmax_old=(
            tried(0, "incorrect"),
            tried(1, "dishonest", speedup=9.0),
            tried(2, speedup=9.0, below_limit=True),
        )
    )
    assert AttemptIndex(state.attempts(), state.tasks).similar(NEW) == ()


def test_the_parent_itself_is_not_its_own_example() -> None:
    parent = tried(0, task="softmax_old")
    state = several(softmax_old=(parent,))
    assert AttemptIndex.of_state(state).similar(state.tasks[0], parent) == ()
