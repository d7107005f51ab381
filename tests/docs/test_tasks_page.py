"""The page of the suite says what the suite holds, and no cell of it is empty."""

from __future__ import annotations

from collections import Counter

from assay.data.workload import Direction
from assay.tasks.catalog import tasks_of
from assay.tasks.families.argument_draw import DOMAINS
from docs.tasks_page import (
    BEYOND_KERNELEVAL,
    KERNELBENCH_X,
    KERNELEVAL,
    OTHERS,
    PAGE,
    counted,
    page,
    tag,
)


def test_the_page_is_what_the_suite_says() -> None:
    assert PAGE.read_text() == page(), "run: python tests/docs/tasks_page.py"


def test_every_tag_is_one_of_the_page_and_none_is_without_a_task() -> None:
    tasks = tasks_of("native")
    assert set(counted(tasks, "category")) == set(KERNELBENCH_X)
    assert set(counted(tasks, "kerneleval")) == {*KERNELEVAL, BEYOND_KERNELEVAL}
    for kind, values in OTHERS.items():
        assert set(counted(tasks, kind)) == set(values)


def test_every_operator_category_is_asked_in_both_directions() -> None:
    found = Counter((tag(task, "kerneleval"), task.direction) for task in tasks_of("native"))
    assert [(n, d) for n in KERNELEVAL for d in Direction if not found[n, d]] == []


def test_every_domain_is_on_the_page() -> None:
    assert [name for name in DOMAINS if f"`{name}`" not in PAGE.read_text()] == []
