"""Whose fault it is when a task's code does not come to its end."""

from __future__ import annotations

import pytest

from assay.errors import TaskError, Terminated
from assay.tasks.references.task_source import user_code


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(0), AssertionError()])
def test_what_its_code_raises_is_the_tasks(error: BaseException) -> None:
    with pytest.raises(TaskError, match=type(error).__name__), user_code("mine", "loading"):
        raise error


@pytest.mark.parametrize("error", [Terminated(15), KeyboardInterrupt()])
def test_a_signal_while_it_runs_is_not(error: BaseException) -> None:
    with pytest.raises(type(error)), user_code("mine", "loading"):
        raise error
