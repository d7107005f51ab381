"""Search: generators and a strategy on tasks, until the budget is spent or nothing is left to ask.

    state <- events and verdicts of the store
    strategy.propose(state) -> asks, decisions, stops
    each ask: a candidate is stored; what is open is judged; and again

The rule: what is stored decides. The same search begun again goes on where it was stopped. What is
dishonest, suspicious or faster than the limit is never a gain: it is not `accepted` in the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile

from assay.data.generation.action import Action, Ask, Decide, StopTask
from assay.data.generation.budget import Spend
from assay.data.generation.search_event import AskStarted, BudgetSpent, DecisionMade
from assay.data.generation.search_plan import SearchPlan
from assay.data.generation.search_state import SearchState
from assay.data.run import Entry, Run
from assay.data.verdict import Verdict
from assay.engine.judge import Judge
from assay.engine.suite_run import SuiteRun
from assay.errors import UsageError
from assay.generators.candidate_generator import CandidateGenerator
from assay.generators.strategies.strategy import Strategy
from assay.store.run_store import RunStore
from assay.workbench.asking import Asking
from assay.workbench.budget_gate import refused
from assay.workbench.confirmation import Confirmation
from assay.workbench.search_lease import SearchLease
from assay.workbench.search_log import SearchLog
from assay.workbench.state_reader import STOP, is_below_limit, spent_in

QUARANTINE = "quarantine"


@dataclass(frozen=True)
class SearchView:
    """Who is shown what while a search goes on; each may be left out."""

    state: Callable[[SearchState], None] = lambda state: None
    asking: Callable[[AskStarted], None] = lambda started: None
    judging: Callable[[Entry, str], None] = lambda entry, stage: None
    judged: Callable[[Entry, Verdict], None] = lambda entry, verdict: None


@dataclass(frozen=True)
class SearchParts:
    """What a search is made of beside its plan, ready to be used."""

    generators: Mapping[str, CandidateGenerator]  # by what the plan calls them
    strategy: Strategy
    judge: Judge
    view: SearchView = SearchView()


def carry_on(store: RunStore, run: Run, plan: SearchPlan, parts: SearchParts) -> SearchLog:
    """Begin a search or go on with it, until it ends; its log says what was found."""
    with SearchLease(store, run):
        search = Search(SearchLog(store, run, plan), parts)
        search.carry_on()
        return search.log


class Search:
    """One search of a store, by the process that has its lease."""

    def __init__(self, log: SearchLog, parts: SearchParts) -> None:
        self.log, self._parts = log, parts
        self._asking = Asking(log, parts.generators)

    def carry_on(self) -> None:
        """Until it ends, and confirm what won; what was done before is not done again."""
        self.log.begin()
        for record in self.log.asks().values():
            if record.ended is None:  # it was cut off
                self._ask(record.started)
        self._judge_open(self.log.run, failed_too=True)
        why = self._steps()
        self.log.tell(DecisionMade(decision=STOP, reason=why))
        self.log.tell(BudgetSpent(budget=self.log.plan.budget, spent=self.log.state().spent))
        confirmation = Confirmation(self.log, self._judge_open)
        for task in self.log.state().tasks:
            confirmation.confirm(task)
        self._parts.view.state(self.log.state())

    def _steps(self) -> str:
        """Step by step; why there is no further one."""
        while True:
            state = self.log.state()
            self._parts.view.state(state)
            if why := refused(state.budget, state.spent, Spend()):
                return why
            if not state.open_tasks:
                return "every task is stopped"
            actions = self._parts.strategy.propose(state)
            asked, why = self._take(actions, state)
            stopped = self._stop_tasks(actions)
            self._judge_open(self.log.run)
            if why:
                return why
            if not asked and not stopped:
                return "the strategy asks for nothing more"

    def _take(self, actions: Iterable[Action], state: SearchState) -> tuple[int, str]:
        """Make the asks and store the decisions; how many asks, and why no more may be made."""
        asked, known = 0, self._next_ask()
        open_tasks = {one.task for one in state.open_tasks}
        for action in actions:
            if isinstance(action, Decide):
                self.log.decide(DecisionMade(**action.model_dump()))
            elif isinstance(action, Ask) and action.task in open_tasks:
                started = self._started(action, known)
                if why := refused(state.budget, self._spent(), self._asking.expected(started)):
                    return asked, why
                self._ask(started)
                asked += 1
        return asked, ""

    def _stop_tasks(self, actions: Iterable[Action]) -> bool:
        """Whether the strategy stops a task that was not stopped."""
        told = [
            self.log.decide(DecisionMade(task=one.task, decision=STOP, reason=one.reason))
            for one in actions
            if isinstance(one, StopTask)
        ]
        return any(told)

    def _started(self, action: Ask, known: int) -> AskStarted:
        name = action.generator or self.log.plan.generators[0].called
        if name not in self._parts.generators:
            listed = ", ".join(self._parts.generators)
            raise UsageError(f"the strategy asks for the generator '{name}'; there are: {listed}")
        return AskStarted(
            ask=self._next_ask(),
            task=action.task,
            move=action.move,
            parents=action.parents,
            generator=name,
            strategy=self.log.plan.strategy,
            note=action.note,
            labels=action.labels,
            context=action.context,
            shown=action.shown,
            known=known,
            left=self.log.plan.budget.left(self._spent()),
        )

    def _ask(self, started: AskStarted) -> None:
        self._parts.view.asking(started)
        self._asking.ask(started)
        barren = self._barren(started.task)
        if barren >= self.log.plan.patience:
            reason = f"{barren} asks in a row brought nothing new"
            self.log.decide(DecisionMade(task=started.task, decision=STOP, reason=reason))

    def _barren(self, task: str) -> int:
        """Asks of a task, counted from the last, that brought no new candidate."""
        ended = [one.ended for one in self.log.asks().values() if one.started.task == task]
        return sum(1 for _ in takewhile(lambda one: one and not one.spent.trials, reversed(ended)))

    def _next_ask(self) -> int:
        return max(self.log.asks(), default=-1) + 1

    def _spent(self) -> Spend:
        return spent_in(self.log.asks().values())

    def _judge_open(self, run: Run, failed_too: bool = False) -> None:
        """Judge what is open in a run, and set apart what is faster than the limit.

        What we failed to judge is tried again where a search goes on, not at every step.
        """
        store = self.log.store
        if not (store.open_keys(run) if failed_too else store.counts(run).get("open")):
            return
        view, jobs = self._parts.view, run.settings.jobs
        plain = run.model_copy(update={"settings": run.settings.model_copy(update={"jobs": 1})})
        work = SuiteRun(store, plain, jobs, view.judging, judge=self._parts.judge)
        with closing(work.answers()) as answers:
            for answer in answers:
                view.judged(answer.entry, answer.judgement.verdict)
                if run.id == self.log.run.id and is_below_limit(answer.judgement.verdict):
                    self._set_apart(answer.entry)

    def _set_apart(self, entry: Entry) -> None:
        reason = "it was measured faster than any kernel can be"
        self.log.decide(
            DecisionMade(
                task=entry.task.id,
                decision=QUARANTINE,
                candidate=entry.candidate.id,
                reason=reason,
            )
        )
