"""AskedSearch: flags of a command resolved into a plan and what carries it on.

The rule: what the user could have got wrong is found before a store is made.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import assay
from assay.app.scored.cost_command import parsed_budget
from assay.app.searched.replayed_run import configured
from assay.app.stored.judged_run import run_key
from assay.app.suite.asked_tasks import asked_tasks
from assay.data.generation.budget import Budget
from assay.data.generation.search_plan import GeneratorChoice, SearchPlan
from assay.data.run import Run
from assay.data.settings import Settings
from assay.data.task import Task
from assay.engine.judge import Judge
from assay.engine.suite_run import begun
from assay.errors import UsageError
from assay.generators.candidate_generator import CandidateGenerator
from assay.generators.strategies.strategy import Strategy
from assay.generators.strategies.strategy_registry import strategy
from assay.report.console import progress_console
from assay.report.searched.search_progress import SearchProgress
from assay.store.run_store import RunStore
from assay.workbench.search import SearchParts, SearchView, carry_on
from assay.workbench.search_log import SearchLog

_RESOURCES = ("tokens", "dollars", "seconds", "trials")
_WHOLE = ("tokens", "trials")
TRIALS_A_TASK = 20  # where no budget is given


@dataclass(frozen=True)
class AskedSearch:
    """A plan with the settings of its verdicts, checked."""

    suite: str
    plan: SearchPlan
    settings: Settings

    def made(self) -> tuple[dict[str, CandidateGenerator], Strategy]:
        """Generators and strategy with their options; a UsageError for what they do not know."""
        made = {one.called: configured(one) for one in self.plan.generators}
        chosen = strategy(self.plan.strategy).configured(self.plan.strategy_settings)
        return made, chosen

    def run_in(self, store: RunStore) -> Run:
        """The run that this search began before, or a new one."""
        now = time.time()
        key = run_key(self.suite, self.settings, self.plan.identity())
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
        new = Run(
            id=f"{stamp}-{key}",
            suite=self.suite,
            settings=self.settings,
            assay=assay.__version__,
            started_at=now,
        )
        return begun(store, new, like=key).model_copy(update={"settings": self.settings})

    def carried_on(self, store: RunStore, run: Run, quiet: bool) -> SearchLog:
        """Carry it on until it ends, and show how."""
        generators, chosen = self.made()
        progress = SearchProgress(progress_console(), quiet)
        view = SearchView(progress.state, progress.asking, progress.judging, progress.judged)
        with progress, Judge(self.settings.device, self.settings.jobs) as judge:
            parts = SearchParts(generators, chosen, judge, view)
            return carry_on(store, run, self.plan, parts)


def named_tasks(names: Sequence[str]) -> tuple[Task, ...]:
    """The tasks of names, files and suites, each once."""
    found: dict[str, Task] = {}
    for name in names:
        for task in asked_tasks(name):
            found.setdefault(task.id, task)
    return tuple(found.values())


def choices_of(names: Sequence[str], options: Sequence[str]) -> tuple[GeneratorChoice, ...]:
    """`NAME` or `NAME@LABEL`, each with the options that are its own or everyone's."""
    given = pairs_of(options, "--option")
    made = []
    for one in names:
        name, _, label = one.partition("@")
        called = label or name
        labels = {other.partition("@")[2] or other.partition("@")[0] for other in names}
        own = {}
        for key, value in given.items():
            head, dot, rest = key.partition(".")
            if not dot or head not in labels:
                own[key] = value
            elif head == called:
                own[rest] = value
        made.append(GeneratorChoice(name=name, label=label, options=own))
    if len({one.called for one in made}) != len(made):
        raise UsageError("two generators have one name: give them labels, --generator NAME@LABEL")
    return tuple(made)


def pairs_of(given: Sequence[str], flag: str) -> dict[str, str]:
    """`NAME=VALUE`s by name."""
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise UsageError(f"{flag} takes NAME=VALUE, not '{one}'")
        found[name.strip()] = value
    return found


def budget_of(text: str | None, tasks: int) -> Budget:
    """`tokens=1e6,trials=50` as a budget; without one, some trials a task."""
    if text is None:
        return Budget(trials=TRIALS_A_TASK * tasks)
    found = parsed_budget(text, _RESOURCES)
    whole = {name: int(value) if name in _WHOLE else value for name, value in found.items()}
    return Budget.model_validate(whole)
