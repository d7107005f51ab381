"""Confirmation: the best candidate of a task, judged once more before it is called the winner.

The rule: a winner was accepted at the level of confirmation, on a secret that is younger than it,
and its interval there lies above 1. The figure of the search itself is never enough: it is the
largest of many, so it is too large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import DecisionMade
from assay.data.generation.search_state import TaskState
from assay.data.record import content_id
from assay.data.run import Entry, Run
from assay.data.settings import Level
from assay.data.verdict import Status, Verdict
from assay.store.run_store import RunStore
from assay.workbench.feedback import speed_text
from assay.workbench.search_log import SearchLog
from assay.workbench.state_reader import is_below_limit

CONFIRM, WINNER, NOT_CONFIRMED, NO_WINNER = "confirm", "winner", "not_confirmed", "no_winner"
CONFIRM_PREFIX = "confirm-"  # of the id of a run that confirms
_TRIED = 2  # the best, and the next where it fails

JudgeRun = Callable[[Run], None]  # judges what is open in a run


def confirming_run(run: Run, level: Level) -> Run:
    """The run in which a search's winners are judged again; its secret is drawn when it begins."""
    changes = {"level": level, "confirms": True, "timing": True}
    return Run(
        id=CONFIRM_PREFIX + content_id("confirm", run.id, level.value),
        suite=run.suite,
        settings=run.settings.model_copy(update=changes),
        assay=run.assay,
        started_at=run.started_at,
    )


@dataclass
class Confirmation:
    """Confirms the winners of one search."""

    log: SearchLog
    judge: JudgeRun

    def confirm(self, state: TaskState) -> None:
        """Judge the best of a task again, and say whether it is the winner."""
        level = self.log.plan.confirm_level
        if level is None:
            return
        leading = _leading(state)
        if not leading:
            self._decide(state.task, NO_WINNER, "", _none_reason(state))
            return
        for attempt in leading[:_TRIED]:
            verdict = self._judged_again(attempt, level)
            why_not = _why_not(verdict)
            if not why_not:
                self._decide(state.task, WINNER, attempt.candidate, _praise(verdict))
                return
            self._decide(state.task, NOT_CONFIRMED, attempt.candidate, why_not)
        self._decide(state.task, NO_WINNER, "", "no candidate was confirmed")

    def _judged_again(self, attempt: Attempt, level: Level) -> Verdict | None:
        store = self.log.store
        run = store.begin(confirming_run(self.log.run, level))
        found = self.log.judged(attempt.task, attempt.candidate)
        assert found is not None
        if not _has(store, run, attempt):
            reason = f"it is judged again at {level.value} on a fresh secret"
            self._decide(attempt.task, CONFIRM, attempt.candidate, reason)
            task = next(one for one in self.log.plan.tasks if one.id == attempt.task)
            store.add(run, [Entry(number=0, task=task, candidate=found.candidate)])
        self.judge(run)
        return _verdict_of(store, run, attempt)

    def _decide(self, task: str, decision: str, candidate: str, reason: str) -> None:
        self.log.decide(
            DecisionMade(task=task, decision=decision, candidate=candidate, reason=reason)
        )


def _has(store: RunStore, run: Run, attempt: Attempt) -> bool:
    return any(True for _ in _entries(store, run, attempt))


def _entries(store: RunStore, run: Run, attempt: Attempt) -> list[Entry]:
    return [
        entry
        for entry in store.entries(run)
        if entry.task.id == attempt.task and entry.candidate.id == attempt.candidate
    ]


def _verdict_of(store: RunStore, run: Run, attempt: Attempt) -> Verdict | None:
    for entry in _entries(store, run, attempt):
        found = store.judgement(entry.key(run.settings, run.assay))
        return found.verdict if found else None
    return None


def _leading(state: TaskState) -> list[Attempt]:
    """Accepted candidates that may be faster than the baseline, the best first, each once."""
    able = {
        one.candidate: one
        for one in state.accepted
        if one.speedup_high is None or one.speedup_high > 1
    }
    return sorted(able.values(), key=lambda one: one.speedup_low or 0.0, reverse=True)


def _none_reason(state: TaskState) -> str:
    if not state.accepted:
        return f"none of {len(state.attempts)} attempts was accepted"
    return "every accepted candidate is slower than the baseline"


def _why_not(verdict: Verdict | None) -> str:
    """Why a candidate is no winner; empty where it is one."""
    if verdict is None:
        return "it was not judged again"
    if verdict.status is not Status.ACCEPTED:
        return f"judged again it is {verdict.status.value}: {verdict.reason}"
    if is_below_limit(verdict):
        return "it was measured faster than any kernel can be"
    if not verdict.timing:
        return f"its speed was not measured: {verdict.timing_reason}"
    if verdict.timing[0].speedup_low <= 1:
        return f"it is not shown to be faster: {speed_text(verdict)}"
    return ""


def _praise(verdict: Verdict | None) -> str:
    assert verdict is not None
    return f"accepted at {verdict.level.value} on a fresh secret; {speed_text(verdict)}"
