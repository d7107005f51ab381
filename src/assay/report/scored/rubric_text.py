"""Rubrics as text: one kernel with the evidence of each level, one generator with its cells.

The rule: a level is never shown without what it rests on, nor a set of levels without its kernel.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from assay.data.scoring.rubric import KernelRubric, RubricCell, RubricProfile
from assay.report.headed_table import HeadedTable

_MOST_CELLS = 12
_LEGEND = (
    "rate: accepted kernels with these levels or more, of all candidates of tasks of this K "
    "[95 %]; * on the frontier: no other set is as high on every axis; ? unknown"
)


def kernel_rubric_text(found: KernelRubric) -> RenderableType:
    """The line, then the evidence of each axis."""
    words = [found.task, found.status, found.device]
    told = ", ".join(word for word in words if word)
    heading = Text.assemble((found.rubric.line, "bold"), f"  {found.candidate}")
    heading.append(f"  {told}" if told else "", "dim")
    lines = [Text(f"  {reason}") for reason in found.rubric.reasons]
    remarks = [Text(f"  {remark}", "yellow") for remark in found.rubric.remarks]
    return Group(heading, *lines, *remarks)


def rubric_profile_text(profile: RubricProfile) -> RenderableType:
    """The summary, then a row for each set of levels that some kernel reached."""
    name = profile.generator or "unnamed"
    heading = f"{name} on {profile.device or 'no device yet'}: {profile.summary}"
    counts = f"  {profile.accepted} of {profile.candidates} candidates are accepted"
    parts: list[RenderableType] = [Text(heading), Text(counts, "dim")]
    if profile.cells:
        parts += [_table(profile.cells[:_MOST_CELLS]), Text(_LEGEND, "dim")]
    left = len(profile.cells) - _MOST_CELLS
    if left > 0:
        parts.append(Text(f"{left} more sets with --json", "dim"))
    return Group(*parts)


def _table(cells: tuple[RubricCell, ...]) -> HeadedTable:
    table = HeadedTable()
    for name in ("", "levels", "rate", "tasks", "kernel", "task"):
        table.add_column(name, justify="right" if name in ("rate", "tasks") else "left")
    for one in cells:
        rate = f"{one.kernels} of {one.candidates} [{one.rate_low:.2f} {one.rate_high:.2f}]"
        row = ("*" if one.on_frontier else "", one.line, rate, f"{one.solved} of {one.tasks}")
        table.add_row(*(Text(cell) for cell in (*row, one.kernel, one.task)))
    return table
