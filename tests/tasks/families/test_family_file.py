"""A family file: functions to tasks, and mistakes in one line."""

from __future__ import annotations

import pytest
import torch

from assay.data.axis import AxisRole
from assay.data.task import Task
from assay.errors import UsageError
from assay.tasks.families.family_file import tasks_of_family
from assay.tasks.references.reference import Reference

HEAD = """
import math

import torch
from torch import Tensor

from assay.tasks.families.family_words import Code, Expression, Flag, Float, Index, Integer, task

AXES = {
    "rows": {"own": 24, "high": 64, "role": "batch"},
    "cols": {"own": 40, "high": 128},
    "words": {"own": 32, "low": 2, "high": 99, "multiple_of": 2},
}
SCALE = 3.0


def _scaled(x):
    return x * SCALE


def _unused(x):
    return math.pi
"""
SHARED = {"format": "native"}


def _tasks(text: str) -> dict[str, Task]:
    return {task.id: task for task in tasks_of_family(HEAD + text, "family.py", SHARED)}


TRIPLE = '''
@task(category="Math", kerneleval="elementwise", level="K1", backward=True,
      dtypes=("float32", "bfloat16"), own={"cols": 50})
def triple(
    x: Float["rows cols"],
    sign: float = 1.0,
) -> Tensor:
    """Three times x.

    More words.
    """
    return _scaled(x) * sign


def triple_vendor(x):
    return 3.0 * x
'''


def test_a_function_is_a_task_for_each_dtype_and_direction() -> None:
    tasks = _tasks(TRIPLE)
    assert list(tasks) == ["triple", "triple.backward", "triple_bf16", "triple_bf16.backward"]
    task = tasks["triple"]
    assert task.title == "Three times x." and task.format == "native"
    assert {"category:Math", "rubric:K1", "source:aten", "dtype:float32"} <= set(task.tags)
    assert [(axis.name, axis.own, axis.role) for axis in task.axes] == [
        ("rows", 24, AxisRole.BATCH),
        ("cols", 50, AxisRole.SIZE),
    ]


def test_its_module_has_what_it_needs_and_no_more() -> None:
    source = _tasks(TRIPLE)["triple"].source
    assert "def _scaled(x):" in source and "SCALE = 3.0" in source
    assert "_unused" not in source and "words = " not in source and "AXES" not in source
    assert "def triple(x, sign=1.0):" in source and "class Vendor(Model)" in source


def test_the_module_runs_at_any_size() -> None:
    for name, dtype in [("triple", torch.float32), ("triple_bf16", torch.bfloat16)]:
        reference = Reference(_tasks(TRIPLE)[name])
        assert reference.own_axes == {"rows": 24, "cols": 50}
        (x,) = reference._source.module({"rows": 3, "cols": 7}).inputs(1)
        assert x.shape == (3, 7) and x.dtype is dtype


ARGUMENTS = '''
@task(category="Index", kerneleval="elementwise", level="K2")
def gathered(
    table: Float["words 2*cols", "weight"],
    ids: Index["rows", "words"],
    counts: Integer["rows", "1", "cols+1"],
    codes: Code["rows"],
    keep: Flag["rows"],
    last: Expression["_scaled(torch.ones(rows))"],
) -> Tensor:
    """Rows of a table."""
    return table[ids] * (counts + codes + keep + last)[:, None]
'''


def test_arguments_are_drawn_from_their_domains() -> None:
    task = _tasks(ARGUMENTS)["gathered"]
    module = Reference(task)._source.module({"rows": 5, "cols": 3, "words": 8})
    table, ids, counts, codes, keep, last = module.inputs(2)
    assert table.shape == (8, 6) and ids.max() < 8 and counts.min() >= 1 and counts.max() <= 3
    assert codes.dtype is torch.int8 and keep.dtype is torch.bool
    assert last.tolist() == [3.0] * 5
    assert {axis.name: axis.multiple_of for axis in task.axes}["words"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('@task(category="Math")\ndef f(x: Float["rows"]): ...', "@task kerneleval"),
        ('@task(level=open("x"))\ndef f(x: Float["rows"]): ...', "literals only"),
        ("@task(category='A', kerneleval='b', level='K1')\ndef f(x: Float[3]): ...", "in quotes"),
        (
            "@task(category='A', kerneleval='b', level='K1')\ndef f(x: Float['rows', 'odd']): ...",
            "'odd' is none of",
        ),
        (
            "@task(category='A', kerneleval='b', level='K1')\ndef f(x: Text['rows']): ...",
            "'Text' is none of",
        ),
        ("@task(category='A', kerneleval='b', level='K1')\ndef f(x): ...", "needs a default"),
        (
            "@task(category='A', kerneleval='b', level='K1', dtypes=('int4',))\ndef f(): ...",
            "int4",
        ),
    ],
)
def test_a_mistake_is_told_with_its_function(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _tasks("\n\n" + text)
