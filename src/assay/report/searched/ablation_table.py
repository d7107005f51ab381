"""What a check, or a part of what a generator is told, is worth."""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.generation.ablation_result import CheckAblation
from assay.report.headed_table import HeadedTable


def check_table(found: Sequence[CheckAblation]) -> HeadedTable:
    """One row for each set of checks that was left out."""
    table = HeadedTable()
    table.add_column("left out")
    table.add_column("verdicts", justify="right")
    table.add_column("judged again", justify="right")
    table.add_column("changed", justify="right")
    table.add_column("let through", justify="right")
    table.add_column("which")
    for one in found:
        which = (f"{c.candidate}: {c.before} -> {c.after}" for c in one.changed)
        table.add_row(
            ", ".join(one.left_out),
            str(one.verdicts),
            f"{one.judged} of {one.verdicts}",
            str(len(one.changed)),
            str(one.let_through),
            "; ".join(which) or "-",
        )
    return table
