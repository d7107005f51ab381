"""SearchSection: what the page of a search shows: its curves, its lineage, its cost, its decisions.

The rule: only what the judge found is a result here. Claims are on no curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import AskEnded, DecisionMade, SearchEvent
from assay.data.generation.search_plan import SearchPlan
from assay.data.generation.search_result import SearchResult
from assay.data.generation.search_state import SearchState
from assay.data.record import Record


class ReportAttempt(Record):
    """One attempt, as a row and as a dot."""

    number: int
    task: str
    entry: int | None = None  # number of the verdict; None: no candidate
    made_from: tuple[int, ...] = ()  # numbers of attempts
    move: str
    generator: str
    status: str  # of the verdict; `no candidate`, `open`
    reason: str = ""
    speedup: float | None = None
    low: float | None = None
    high: float | None = None
    below_limit: bool = False
    limit_share: float | None = None  # least time / its time
    best: float | None = None  # lower end of the best interval of the task so far
    spent: Spend = Spend()


class ReportDecision(Record):
    """One decision of the search."""

    task: str
    decision: str
    attempt: int | None = None
    reason: str


class ReportSearch(Record):
    """A search, as its page shows it."""

    strategy: str
    generators: tuple[str, ...]
    budget: Budget
    spent: Spend
    seed: int
    attempts: tuple[ReportAttempt, ...]
    decisions: tuple[ReportDecision, ...]
    results: tuple[SearchResult, ...]


def search_section(
    plan: SearchPlan,
    state: SearchState,
    events: Sequence[SearchEvent],
    results: Iterable[SearchResult],
) -> ReportSearch:
    """The page of one search."""
    entries = {one.ask: one.entry for one in events if isinstance(one, AskEnded)}
    attempts = sorted(state.attempts(), key=lambda one: one.number)
    numbers = {one.candidate: one.number for one in reversed(attempts) if one.candidate}
    best: dict[str, float] = {}
    rows = []
    for one in attempts:
        if one.accepted and one.speedup_low is not None:
            best[one.task] = max(best.get(one.task, 0.0), one.speedup_low)
        row = _row(one, entries.get(one.number), numbers)
        rows.append(row.model_copy(update={"best": best.get(one.task)}))
    return ReportSearch(
        strategy=plan.strategy,
        generators=tuple(one.called for one in plan.generators),
        budget=plan.budget,
        spent=state.spent,
        seed=plan.seed,
        attempts=tuple(rows),
        decisions=tuple(_decisions(events, numbers)),
        results=tuple(_brief(one) for one in results),
    )


def _row(one: Attempt, entry: int | None, numbers: dict[str, int]) -> ReportAttempt:
    return ReportAttempt(
        number=one.number,
        task=one.task,
        entry=entry,
        made_from=tuple(numbers[name] for name in one.parents if name in numbers),
        move=one.move.value,
        generator=one.generator,
        status=one.status or ("open" if one.candidate else "no candidate"),
        reason=one.reason,
        speedup=one.speedup,
        low=one.speedup_low,
        high=one.speedup_high,
        below_limit=one.below_limit,
        limit_share=1 / one.headroom if one.headroom else None,
        spent=one.spent,
    )


def _decisions(events: Iterable[SearchEvent], numbers: dict[str, int]) -> Iterable[ReportDecision]:
    for one in events:
        if isinstance(one, DecisionMade):
            yield ReportDecision(
                task=one.task,
                decision=one.decision,
                attempt=numbers.get(one.candidate),
                reason=one.reason,
            )


def _brief(one: SearchResult) -> SearchResult:
    """Without the source of the best: its verdict has it."""
    if one.best is None:
        return one
    return one.model_copy(update={"best": one.best.model_copy(update={"source": ""})})
