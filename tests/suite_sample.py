"""The native tasks that `make test` looks at one by one: those with a file, and a few others.

The rule: the sample changes with the commit; `make corpus` looks at all of them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet

from assay.data.task import Task
from assay.tasks.readers.native_suite import native_ids
from corpus_sample import commit_seed

OF_FAMILIES = 12


def sampled(
    tasks: Sequence[Task], count: int = OF_FAMILIES, with_file: bool = True
) -> list[ParameterSet]:
    """A parameter for each; those out of the sample are marked as exhaustive.

    `with_file`: tasks with a file are looked at always, beside the sample of the others.
    """
    alone = set(native_ids()) if with_file else set()
    others = [task.id for task in tasks if task.id.partition(".")[0] not in alone]
    seed = commit_seed()
    chosen = set(random.Random(seed).sample(others, min(count, len(others))))
    left_out = set(others) - chosen
    marks = pytest.mark.exhaustive
    return [
        pytest.param(task, id=task.id, marks=marks if task.id in left_out else ()) for task in tasks
    ]
