"""Tasks on a terminal: a list, and one in full."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from assay.data.axis import Axis
from assay.data.task import Task
from assay.report.terminal_layout import Columns


def task_list(tasks: Sequence[Task]) -> Columns:
    """One line a task."""
    table = Columns()
    for task in tasks:
        table.add_row(Text(task.id, style="bold"), task.title, Text(", ".join(task.tags), "dim"))
    return table


def task_page(task: Task, drawn: Sequence[tuple[str, str]]) -> Group:
    """What to compute, on which sizes, where it comes from, and the reference itself.

    `drawn` are the arguments of one call, each with the expression that draws it.
    """
    heading = Text.assemble((task.id, "bold"), f"  {task.title}".rstrip())
    facts = Columns()
    for name, value in (
        ("format", task.format),
        ("entry", task.entry),
        ("direction", task.direction.value),
        ("tags", ", ".join(task.tags)),
        ("origin", task.origin),
        ("licence", task.licence),
        ("content", task.content_id),
        *((f"axis {axis.name}", _axis(axis)) for axis in task.axes),
        *((f"input {name}", expression) for name, expression in drawn),
    ):
        if value:
            facts.add_row(Text(name, style="dim"), value)
    from rich.syntax import Syntax  # brings pygments, which a list of tasks does not need

    return Group(heading, facts, Text(), Syntax(task.source.strip(), "python", theme="ansi_dark"))


def _axis(axis: Axis) -> str:
    step = f" in steps of {axis.multiple_of}" if axis.multiple_of > 1 else ""
    return f"{axis.role.value}, own {axis.own}, from {axis.low} to {axis.high}{step}"
