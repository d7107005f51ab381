"""What a search found, task by task."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from assay.data.generation.search_result import SearchResult
from assay.report.headed_table import HeadedTable
from assay.report.searched.search_words import limit_text, speed_text


def search_table(results: Sequence[SearchResult]) -> HeadedTable:
    """One row a task. Only a confirmed winner is green."""
    table = HeadedTable()
    table.add_column("task")
    table.add_column("attempts", justify="right")
    table.add_column("accepted", justify="right")
    table.add_column("not trusted", justify="right")
    table.add_column("best in the search")
    table.add_column("winner")
    table.add_column("why")
    for one in results:
        best = one.best
        said = ", ".join(filter(None, (speed_text(best), limit_text(best)))) if best else "-"
        winner = Text(one.winner or "none", style="green" if one.winner else "dim")
        table.add_row(
            one.task,
            str(one.attempts),
            f"{one.accepted} of {one.attempts}",
            str(one.untrusted + one.below_limit or "-"),
            said,
            winner,
            one.reason,
        )
    return table
