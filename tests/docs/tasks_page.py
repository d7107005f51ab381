# ruff: noqa: E501 - lines of a page are as long as on every other page
"""The page `docs/tasks.md`: how to write a task, and what the native suite covers.

    python tests/docs/tasks_page.py    writes the page

The rule: the tables are counted from the suite, so the page cannot differ from it; a category
that nothing covers is a zero there, and a test refuses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from assay.data.task import Task
from assay.data.workload import Direction
from assay.tasks.catalog import tasks_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tasks.md"

KERNELBENCH_X = (
    "Activation Convolution Fusion Index LinearAlgebra Loss Math MatrixMultiply Normalization "
    "Optimizer Pooling Quantization Random Reduce SpatialOps"
).split()
KERNELEVAL = ("elementwise", "reduction", "normalisation", "GEMM", "convolution", "attention")
KERNELEVAL += ("fused",)
BEYOND_KERNELEVAL = "decomposition"
OTHERS = {
    "source": ("aten", "serving", "blas", "model"),
    "rubric": ("K1", "K2", "K3", "K4"),
    "dtype": ("float32", "float16", "bfloat16"),
    "difficulty": ("easy", "medium", "hard"),
}

HEAD = '''# Tasks

Made by `tests/docs/tasks_page.py`; a test compares it with the suite. What a task is: [task](task.md). All that a
task file may declare: [write a task](howto/write_a_task.md).

## A task in ten minutes

`assay new task` writes a file that works; `assay audit` says whether an answer of no computation passes it;
`assay new candidate` writes a candidate with the task's constructor, arguments and dtypes.

```console
$ assay new task my_task
wrote my_task.py
next: assay audit my_task.py
$ assay audit my_task.py --level quick
1 sound of 1
$ assay new candidate my_task.py --language python
wrote my_task__python.py
next: assay eval my_task.py my_task__python.py --level smoke --track open
$ assay eval my_task.py my_task__python.py --level smoke --track open
accepted  right yes, honest yes. ... (N s)
```

The Python template is the reference itself, so the last command shows that the task judges at all. The templates
in `cpp`, `triton` and `cuda` build and write zeros: replace the body of the kernel.

## One file, one task

A native task is a file in `src/assay/tasks/native` in KernelBench format with two more literals. `AXES` gives each
size its range and its role (`batch`, `size`, or `config` where the constructor takes it); `TAGS` gives its places in
the tables below, in this order.

```python
AXES = {
    "rows": {"low": 1, "high": 4096, "role": "batch"},
    "cols": {"low": 1, "high": 16384, "role": "size"},
}
TAGS = ("category:Math", "kerneleval:elementwise", "rubric:K1", "source:aten", "difficulty:easy")
BACKWARD = True  # its gradients are a task too

rows = 512
cols = 2048
```

`Model`, `get_inputs` and `get_init_inputs` follow. A file that names no `dtype:` draws float32.

## A family: many tasks in one file

A file in a folder of `src/assay/tasks/native` holds functions. The annotation of an argument says its dimensions and
its domain; `FAMILY` says what holds for all of them; `@task` says what differs. Each function becomes an ordinary
task file, which `assay tasks ID` shows.

```python
AXES = {
    "rows": {"own": 512, "high": 4096, "role": "batch"},
    "cols": {"own": 2048, "low": 2, "high": 16384},
}
FAMILY = {"category": "Activation", "kerneleval": "elementwise", "level": "K1"}


@task(backward=True, dtypes=("float32", "bfloat16"))
def silu(x: Float["rows cols"]) -> Tensor:
    """x times its own sigmoid."""
    return F.silu(x)
```

| word | what is drawn |
|---|---|
| `Float["rows cols", "positive"]` | the task's dtype; domains: `normal` (the default), `positive`, `unit`, `signed unit`, `probability`, `log probability`, `weight`, `spread` |
| `Half`, `BFloat`, `Complex` | that dtype, normal |
| `Index["picks", "rows"]` | int64 from 0 up to the second text |
| `Integer["rows", "low", "high"]` | int64 between two bounds |
| `Code`, `Flag` | int8 from -127 to 127; bool |
| `Expression["helper(rows, cols)"]` | what a helper of the file makes |

An argument without such a word keeps its default. `NAME_vendor` beside a function is the library's own call.

## Many more, by a seed

`assay synthesise` composes tasks from operators of the suite and keeps those that the audit finds sound
([synthesis](synthesis.md)).

## What the native suite covers
'''


def tag(task: Task, kind: str) -> str:
    """The value of its tag of that kind."""
    found = [one.partition(":")[2] for one in task.tags if one.startswith(f"{kind}:")]
    return found[0] if found else ""


def counted(tasks: Sequence[Task], kind: str) -> Counter[str]:
    return Counter(tag(task, kind) for task in tasks)


def categories(tasks: Sequence[Task]) -> str:
    """KernelBench-X's."""
    counts = counted(tasks, "category")
    lines = ["| category (KernelBench-X) | tasks |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {counts[name]} |" for name in KERNELBENCH_X), ""])


def directions(tasks: Sequence[Task]) -> str:
    """KernelEval's categories, forward and backward."""
    counts = Counter((tag(task, "kerneleval"), task.direction) for task in tasks)
    lines = ["| operator category (KernelEval) | forward | backward |", "|---|---|---|"]
    for name in (*KERNELEVAL, BEYOND_KERNELEVAL):
        backward = counts[name, Direction.BACKWARD]
        shown = str(backward) if name in KERNELEVAL else str(backward or "-")
        lines.append(f"| {name} | {counts[name, Direction.FORWARD]} | {shown} |")
    return "\n".join([*lines, ""])


def others(tasks: Sequence[Task]) -> str:
    """Source, level of the rubric, dtype and difficulty."""
    lines = ["| tag | value | tasks |", "|---|---|---|"]
    for kind, values in OTHERS.items():
        counts = counted(tasks, kind)
        lines += [f"| `{kind}` | {value} | {counts[value]} |" for value in values]
    return "\n".join([*lines, ""])


def page() -> str:
    """The whole page."""
    tasks = tasks_of("native")
    backward = sum(task.direction is Direction.BACKWARD for task in tasks)
    count = (
        f"{len(tasks)} tasks, {backward} of them gradients of another.\n"
        "`assay tasks native --tag category:Fusion` lists those with a tag; with several `--tag`,\n"
        "those that have all of them.\n"
    )
    beyond = (
        f"`{BEYOND_KERNELEVAL}` (factorisations, solvers and what is made of them) is none of\n"
        "KernelEval's seven, and is kept: factors are judged by the equation they solve\n"
        "([contract](contract.md)). Their gradients are not asked.\n"
    )
    tables = [categories(tasks), directions(tasks), beyond, others(tasks)]
    return "\n".join([HEAD, count, *tables])


if __name__ == "__main__":
    PAGE.write_text(page())
