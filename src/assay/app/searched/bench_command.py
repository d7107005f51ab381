"""`assay bench`: a generator over a suite, judged and scored in every metric.

The rule: every task counts. One without a candidate, and an answer that holds no candidate, are
failures in the scores.
"""

from __future__ import annotations

from assay.app.flag_settings import settings_from
from assay.app.scored import score_command
from assay.app.scored.score_flags import ScoreFlags
from assay.app.searched.asked_search import AskedSearch, budget_of, choices_of, pairs_of
from assay.app.searched.search_flags import BenchFlags
from assay.app.stored.judged_run import RunOutput
from assay.app.suite.asked_tasks import asked_tasks
from assay.app.suite.tasks_command import is_suite, tagged
from assay.data.generation.budget import Budget
from assay.data.generation.search_plan import SearchPlan
from assay.data.task import Task
from assay.devices import device_registry
from assay.errors import UsageError
from assay.store.run_store import RunStore


def run(flags: BenchFlags) -> int:
    """Ask for the samples of every task, judge them, and print the scores."""
    name = carried_on(asked_bench(flags), flags)
    return score_command.run(ScoreFlags(runs=[name], json=flags.json))


def carried_on(asked: AskedSearch, flags: BenchFlags) -> str:
    """Carry a bench on until it ends; the name of its run."""
    if flags.out is None:
        raise UsageError("--out RUN is needed: it says where the run is kept")
    asked.made()  # options that nobody knows are said before a store is made
    with RunStore(flags.out, create=True) as store:
        begins = asked.run_in(store)
        asked.carried_on(store, begins, RunOutput(flags.quiet, flags.json).is_quiet)
    return f"{flags.out}#{begins.id}"


def asked_bench(flags: BenchFlags) -> AskedSearch:
    """The plan of a bench: independent samples, unless another strategy is named."""
    settings = settings_from(flags, None)
    device_registry.backend(settings.device)
    tasks = _tasks(flags)
    strategy = flags.strategy or "best-of-n"
    chosen = pairs_of(flags.set or (), "--set")
    if flags.strategy is None:
        chosen = {"n": str(flags.samples)} | chosen
    plan = SearchPlan(
        tasks=tasks,
        generators=choices_of([flags.generator], flags.option or ()),
        strategy=strategy,
        strategy_settings=chosen,
        budget=Budget() if flags.budget is None else budget_of(flags.budget, len(tasks)),
        seed=flags.seed,
        patience=max(12, flags.samples + 1),  # every sample is asked for
        count_missing=True,
    )
    whole = not flags.tag and not flags.tasks
    suite = flags.suite if whole else " ".join(task.id for task in tasks)
    return AskedSearch(suite, plan, settings)


def _tasks(flags: BenchFlags) -> tuple[Task, ...]:
    if not is_suite(flags.suite):
        raise UsageError(f"--suite takes a suite, not '{flags.suite}'; see assay tasks")
    found = tagged(list(asked_tasks(flags.suite)), flags.tag or [])
    if flags.tasks is None:
        return tuple(found)
    by_id = {task.id: task for task in found}
    wanted = [one.strip() for one in flags.tasks.split(",") if one.strip()]
    for name in wanted:
        if name not in by_id:
            raise UsageError(f"no task '{name}' there; known: {', '.join(by_id)}")
    return tuple(by_id[name] for name in dict.fromkeys(wanted))
