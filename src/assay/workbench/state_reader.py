"""StateReader: events and verdicts of a search become the state that a strategy decides by.

The rule: pure. The same events and verdicts give the same state. Only what the judge found is read;
a generator's claims are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from assay.data.candidate import Candidate
from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Spend
from assay.data.generation.search_event import (
    AskEnded,
    AskStarted,
    DecisionMade,
    LlmCall,
    SearchEvent,
)
from assay.data.generation.search_plan import SearchPlan
from assay.data.generation.search_state import SearchState, TaskState
from assay.data.observations.measurement import Timing
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.workbench.feedback import feedback_of

STOP = "stop"  # the decision that ends a task, or, without a task, the search


@dataclass(frozen=True)
class JudgedEntry:
    """An entry of the search's run, and what was found of it; None: it is open."""

    number: int
    task: str
    candidate: Candidate
    verdict: Verdict | None = None


@dataclass
class AskRecord:
    """One ask, from its events."""

    started: AskStarted
    ended: AskEnded | None = None
    calls: list[LlmCall] = field(default_factory=list)

    @property
    def spent(self) -> Spend:
        """All that it cost; of one that was cut off, the calls that were answered."""
        return self.ended.spent if self.ended is not None else spent_on(self.calls)


def asks_of(events: Iterable[SearchEvent]) -> dict[int, AskRecord]:
    """Every ask by its number, in order."""
    found: dict[int, AskRecord] = {}
    for event in events:
        match event:
            case AskStarted():
                found.setdefault(event.ask, AskRecord(event))
            case AskEnded() if event.ask in found:
                found[event.ask].ended = event
            case LlmCall(ask=int(number)) if number in found:
                found[number].calls.append(event)
    return found


def spent_on(calls: Iterable[LlmCall]) -> Spend:
    """What calls cost; one that was answered from a record costs nothing."""
    paid = [one for one in calls if not one.replayed]
    return Spend(
        tokens=sum((one.tokens_in or 0) + (one.tokens_out or 0) for one in paid),
        dollars=sum(one.dollars or 0.0 for one in paid),
        seconds=sum(one.seconds for one in paid),
    )


def spent_in(asks: Iterable[AskRecord]) -> Spend:
    """What asks cost together."""
    return sum((one.spent for one in asks), Spend())


def read_state(
    plan: SearchPlan,
    device: str,
    events: Sequence[SearchEvent],
    found: Mapping[int, JudgedEntry],
    before: int | None = None,
) -> SearchState:
    """The state after all events; with `before`, as it was when that many asks had been made."""
    asks = [one for number, one in asks_of(events).items() if before is None or number < before]
    attempts = [_attempt(one, one.ended, found, plan) for one in asks if one.ended is not None]
    stopped = {
        one.task: one.reason
        for one in events
        if isinstance(one, DecisionMade) and one.decision == STOP and one.task
    }
    return SearchState(
        tasks=tuple(_task_state(task, attempts, found, stopped) for task in plan.tasks),
        budget=plan.budget,
        spent=spent_in(asks),
        seed=plan.seed,
        generators=tuple(one.called for one in plan.generators),
        device=device,
    )


def _task_state(
    task: Task,
    attempts: Sequence[Attempt],
    found: Mapping[int, JudgedEntry],
    stopped: Mapping[str, str],
) -> TaskState:
    own = tuple(one for one in attempts if one.task == task.id)
    floors = [one.sol_us for one in own if one.sol_us is not None]
    baselines = [time.baseline_us for time in _timings(task, found)]
    return TaskState(
        task=task.id,
        title=task.title,
        tags=task.tags,
        sol_us=floors[0] if floors else None,
        baseline_us=median(baselines) if baselines else None,
        attempts=own,
        stopped=stopped.get(task.id, ""),
    )


def _timings(task: Task, found: Mapping[int, JudgedEntry]) -> Iterator[Timing]:
    for one in found.values():
        if one.task == task.id and one.verdict is not None and one.verdict.timing:
            yield one.verdict.timing[0]


def _attempt(
    ask: AskRecord,
    ended: AskEnded,
    found: Mapping[int, JudgedEntry],
    plan: SearchPlan,
) -> Attempt:
    started = ask.started
    plain = Attempt(
        number=started.ask,
        task=started.task,
        candidate=ended.candidate,
        parents=started.parents,
        move=started.move,
        generator=started.generator,
        labels=started.labels,
        choices=ended.choices,
        reason=ended.reason,
        spent=ended.spent,
    )
    judged = found.get(ended.entry) if ended.entry is not None else None
    if judged is None:
        return plain
    update: dict[str, object] = {"source": judged.candidate.main.text}
    if judged.verdict is not None:
        update |= _findings(judged.verdict, plan)
    return plain.model_copy(update=update)


def _findings(verdict: Verdict, plan: SearchPlan) -> dict[str, object]:
    """What the judge found. A speed counts only where the candidate is accepted."""
    limits, timing = verdict.limits, verdict.timing[0] if verdict.timing else None
    accepted = verdict.status is Status.ACCEPTED
    found: dict[str, object] = {
        "status": verdict.status.value,
        "reason": verdict.reason,
        "feedback": feedback_of(verdict, plan.feedback),
        "sol_us": limits.sol_us if limits else None,
        "bottleneck": limits.bound if limits else "",
        "below_limit": is_below_limit(verdict),
    }
    if timing is not None and accepted:
        found |= {
            "speedup": timing.speedup,
            "speedup_low": timing.speedup_low,
            "speedup_high": timing.speedup_high,
            "latency_us": timing.candidate_us,
        }
    return found


def is_below_limit(verdict: Verdict) -> bool:
    """Whether it was measured faster than any kernel can be."""
    limits = verdict.limits
    if limits is None:
        return False
    if limits.violation is not None:
        return limits.violation
    return bool(verdict.timing) and verdict.timing[0].candidate_us < limits.sol_us  # type: ignore[index]
