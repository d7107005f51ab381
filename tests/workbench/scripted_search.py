"""A generator, a strategy and a judge that do what a script says: no model, no kernel is run.

The first line of a candidate is what the fake judge finds: a status and, for one that is accepted,
the speedup. A script is a list of such lines; `none` is an answer without a candidate, `fail` is a
generator that raises.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate, ClaimedResult
from assay.data.generation.action import Action, Ask, StopTask
from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import LlmCall, Move
from assay.data.generation.search_plan import GeneratorChoice, SearchPlan
from assay.data.generation.search_state import SearchState
from assay.data.observations.measurement import Difference
from assay.data.plan import Plan
from assay.data.run import Judgement, Run
from assay.data.settings import Level, Settings
from assay.data.task import Task
from assay.data.verdict import Limits, Status
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate
from assay.generators.strategies.strategy import Strategy
from assay.store.run_store import RunStore
from assay.workbench.search import SearchParts, carry_on
from assay.workbench.search_log import SearchLog
from sample_records import TIMING, WRONG, candidate, judgement

SOFTMAX = Task(id="softmax", title="Softmax", format="made", source="class Model: ...")
GELU = Task(id="gelu", title="GELU", format="made", source="class Model: ...")
RUN = Run(id="r", suite="softmax", settings=Settings(level=Level.QUICK), assay="0", started_at=1.0)
TOKENS = 100  # of a call of the scripted generator


class ScriptedGenerator(CandidateGenerator):
    """Answers one line of its script after the other, by the number of the ask."""

    name = "scripted"

    def __init__(self, script: Sequence[str], cost: Spend | None = None) -> None:
        self._script, self._cost = script, cost
        self.requests: list[GenerationRequest] = []
        self.paid_keys: list[str] = []

    def expected(self, request: GenerationRequest) -> Spend:
        return self._cost or Spend()

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        self.requests.append(request)
        key = f"call-{request.sample}"
        if key not in request.paid:
            self.paid_keys.append(key)
            tell(LlmCall(key=key, model="m", tokens_in=40, tokens_out=60, dollars=0.5, text="x"))
        line = self._script[request.sample % len(self._script)]
        if line == "none":
            return NoCandidate("the answer holds no code")
        if line == "fail":
            raise RuntimeError("the endpoint is gone")
        made = candidate(text=f"# {line}\nclass ModelNew: ...")
        claim = ClaimedResult(source="scripted", speedup=99.0, correct=True)
        return Proposal(made, claimed=claim, rationale="because", choices={"line": line})


@dataclass
class OneByOne(Strategy):
    """Asks for one candidate at a time, of every task in turn, built on the best so far."""

    name = "one-by-one"
    asks: int = 1_000_000  # of each task
    batch: int = 1
    seen: list[SearchState] = field(default_factory=list)

    def propose(self, state: SearchState) -> tuple[Action, ...]:
        self.seen.append(state)
        actions: list[Action] = []
        for task in state.open_tasks:
            if len(task.attempts) >= self.asks:
                actions.append(StopTask(task=task.task, reason="asked often enough"))
                continue
            best = task.best
            parents = (best.candidate,) if best else ()
            move = Move.OPTIMISE if best else Move.DRAFT
            actions += itertools.repeat(Ask(task=task.task, move=move, parents=parents), self.batch)
        return tuple(actions)


class ScriptedJudge:
    """Finds what the first line of a candidate says; at a confirmation what follows `/`."""

    def __init__(self) -> None:
        self.judged: list[str] = []
        self.plans: list[Plan | None] = []

    def close(self) -> None: ...

    def evaluate_many(
        self, task: Task, given: Iterable[Candidate], settings: Settings, show: Any, plan: Any
    ) -> Generator[Judgement, None, None]:
        self.plans.append(plan)
        for one in given:
            self.judged.append(one.name)
            yield _found(task, one, settings, plan)


def _found(task: Task, one: Candidate, settings: Settings, plan: Plan | None) -> Judgement:
    first = one.main.text.splitlines()[0].removeprefix("# ")
    first = "build_failed" if "no candidate" in first else first
    parts = first.split("/")
    status, _, speed = (parts[-1] if settings.confirms else parts[0]).partition(" ")
    made = judgement(one, settings, Status(status))
    update: dict[str, Any] = {"task": task.id, "plan": plan, "level": settings.level}
    if status not in ("accepted", "dishonest", "suspicious"):
        update["evidence"] = (WRONG,)
    if speed:
        x = float(speed)
        faster = Difference.FASTER if x * 0.95 > 1 else Difference.NOT_SHOWN
        times = {"speedup": x, "speedup_low": x * 0.95, "speedup_high": x * 1.05}
        times |= {"candidate_us": 240.0 / x, "difference": faster}
        update["timing"] = (TIMING.model_copy(update=times),)
        update["limits"] = Limits(
            bytes=1000,
            flops=10,
            sol_us=24.0,
            sol_fraction=24.0 * x / 240.0,
            bound="memory",
            violation=240.0 / x < 24.0,
        )
    verdict = made.verdict.model_copy(update=update)
    return made.model_copy(update={"task": task, "verdict": verdict})


def plan_of(*tasks: Task, budget: Budget | None = None, **changes: Any) -> SearchPlan:
    """A plan of the scripted generator."""
    plain = SearchPlan(
        tasks=tasks or (SOFTMAX,),
        generators=(GeneratorChoice(name="scripted"),),
        strategy="one-by-one",
        budget=budget or Budget(trials=6),
        confirm_level=Level.FULL,
    )
    return plain.model_copy(update=changes)


@dataclass
class ScriptedSearch:
    """A whole search on a store in a folder; `log` says what became of it."""

    folder: Path
    script: Sequence[str]
    plan: SearchPlan = field(default_factory=plan_of)
    strategy: Strategy = field(default_factory=OneByOne)
    cost: Spend | None = None
    judge: ScriptedJudge = field(default_factory=ScriptedJudge)

    def __post_init__(self) -> None:
        self.generator = ScriptedGenerator(self.script, self.cost)

    def go(self) -> SearchLog:
        with RunStore(self.folder, create=True) as store:
            run = store.begin(RUN)
            parts = SearchParts({"scripted": self.generator}, self.strategy, self.judge)  # type: ignore[arg-type]
            log = carry_on(store, run, self.plan, parts)
            log.found()
            return log
