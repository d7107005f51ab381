"""SearchResults: what a search found of each task, read from its events and verdicts."""

from __future__ import annotations

from assay.data.generation.budget import Spend
from assay.data.generation.search_event import DecisionMade, SearchEvent
from assay.data.generation.search_result import SearchResult
from assay.data.generation.search_state import TaskState
from assay.data.verdict import Status
from assay.scores.rewards import milestone
from assay.workbench.confirmation import NO_WINNER, WINNER
from assay.workbench.search_log import SearchLog
from assay.workbench.state_reader import STOP

_UNTRUSTED = (Status.DISHONEST.value, Status.SUSPICIOUS.value)


def search_results(log: SearchLog) -> tuple[SearchResult, ...]:
    """One result a task."""
    return tuple(_result(task, log) for task in log.state().tasks)


def _result(task: TaskState, log: SearchLog) -> SearchResult:
    events: list[SearchEvent] = log.events
    told = [one for one in events if isinstance(one, DecisionMade)]
    ends = [one for one in told if one.task == task.task and one.decision in (WINNER, NO_WINNER)]
    stops = [one.reason for one in told if one.decision == STOP and one.task in ("", task.task)]
    last = ends[-1] if ends else None
    winner = last is not None and last.decision == WINNER
    return SearchResult(
        task=task.task,
        winner=last.candidate if last is not None and winner else "",
        reason=last.reason if last is not None else "nothing was confirmed: that was not asked for",
        best=task.best,
        milestone=_milestone(task, log),
        attempts=len(task.attempts),
        accepted=len(task.accepted),
        below_limit=sum(one.below_limit for one in task.attempts),
        untrusted=sum(one.status in _UNTRUSTED for one in task.attempts),
        spent=sum((one.spent for one in task.attempts), Spend()),
        stopped=task.stopped or (stops[-1] if stops else ""),
    )


def _milestone(task: TaskState, log: SearchLog) -> float | None:
    """By the verdict of the best; where none was accepted, by that of the last that was judged."""
    shown = [task.best] if task.best else [one for one in task.attempts if one.status][-1:]
    found = log.judged(task.task, shown[0].candidate) if shown else None
    return milestone(found.verdict) if found is not None and found.verdict is not None else None
