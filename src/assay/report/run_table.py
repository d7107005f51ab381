"""A run as a table: by task and status, with denominators."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from assay.data.run import Run
from assay.data.verdict import Status
from assay.report.headed_table import HeadedTable

_ORDER = [*(status.value for status in reversed(Status)), "open"]


def run_table(rows: Sequence[dict[str, Any]]) -> HeadedTable:
    """One row a task, one column a status that occurs, and the sum below."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row["task"]][row["status"] or "open"] += 1
    total = sum(counts.values(), Counter[str]())
    shown = [status for status in _ORDER if total[status]]
    table = HeadedTable(show_footer=len(counts) > 1)
    table.add_column("task", footer="all")
    table.add_column("candidates", footer=str(len(rows)), justify="right")
    for status in shown:
        footer = f"{total[status]} of {len(rows)}"
        table.add_column(status, footer=footer, justify="right")
    for task in sorted(counts):
        cells = [str(counts[task][status] or "-") for status in shown]
        table.add_row(task, str(counts[task].total()), *cells)
    return table


def runs_table(rows: Sequence[tuple[str, Run, dict[str, int]]]) -> HeadedTable:
    """One row a run."""
    table = HeadedTable.of("run", "where", "suite", "level", "device", "started", "judged")
    for place, run, counts in rows:
        started = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started_at))
        total, left = sum(counts.values()), counts.get("open", 0)
        judged = f"{total - left} of {total}"
        settings = run.settings
        table.add_row(
            run.id, place, run.suite, settings.level.value, settings.device, started, judged
        )
    return table
