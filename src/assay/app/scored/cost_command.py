"""`assay cost`: what a budget would buy of a run's generators."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from assay.app.scored.graded_runs import graded_runs
from assay.app.scored.score_flags import CostFlags
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.scored.analysis_text import forecast_text

if TYPE_CHECKING:
    from assay.scores.analysis.cost_forecast import TasksAhead


def run(flags: CostFlags) -> int:
    """One forecast for each generator and device of the run."""
    from assay.scores.analysis.cost_forecast import RESOURCES, cost_forecast
    from assay.scores.grouped import groups

    budget = parsed_budget(flags.budget, RESOURCES)
    read = graded_runs([flags.run])
    found = groups(read.tasks, read.entries)
    if not found:
        raise UsageError("the run holds no candidate of a task that counts")
    ahead = tasks_ahead(flags)
    for group in found:
        forecast = cost_forecast(group, budget, ahead)
        if flags.json:
            sys.stdout.write(forecast.model_dump_json() + "\n")
        else:
            result_console().print(forecast_text(forecast))
    return 0


def tasks_ahead(flags: CostFlags) -> TasksAhead:
    """The tasks of the suite that is named; else as many as the run has."""
    from assay.scores.analysis.cost_forecast import TasksAhead
    from assay.scores.graded import graded_task
    from assay.tasks.catalog import tasks_of

    if flags.suite is None:
        return TasksAhead(flags.tasks)
    tasks = tuple(graded_task(task) for task in tasks_of(flags.suite))
    return TasksAhead(flags.tasks, flags.suite, tasks)


def parsed_budget(text: str, known: tuple[str, ...]) -> dict[str, float]:
    """`dollars=10,tokens=1e6` as numbers; anything else is the user's mistake."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, amount = part.strip().partition("=")
        try:
            value = float(amount)
        except ValueError:
            value = -1.0
        if name not in known or not 0 < value < float("inf"):
            names = ", ".join(f"{one}=NUMBER" for one in known)
            raise UsageError(f"--budget '{part}' is none of {names}")
        found[name] = value
    return found
