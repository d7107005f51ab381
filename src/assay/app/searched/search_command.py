"""`assay search`: ask generators for candidates of tasks, judge them, and confirm what won.

The rule: the same command goes on where it was stopped. Only a confirmed candidate is a winner.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from assay.app.flag_settings import settings_from
from assay.app.searched.asked_search import (
    AskedSearch,
    budget_of,
    choices_of,
    named_tasks,
    pairs_of,
)
from assay.app.searched.search_flags import SearchFlags
from assay.app.stored.judged_run import RunOutput
from assay.data.generation.search_plan import SearchPlan
from assay.data.generation.search_result import SearchResult
from assay.data.settings import Level
from assay.devices import device_registry
from assay.report.console import result_console
from assay.report.searched.search_table import search_table
from assay.store.run_store import RunStore
from assay.workbench.search_results import search_results


def run(flags: SearchFlags) -> int:
    """Search, and print what was found of each task."""
    asked = _asked(flags)
    asked.made()  # options that nobody knows are said before a store is made
    with RunStore(flags.out, create=True) as store:
        begins = asked.run_in(store)
        log = asked.carried_on(store, begins, RunOutput(flags.quiet, flags.json).is_quiet)
        results = search_results(log)
    _print(results, flags.json)
    return 0 if all(one.winner for one in results) else 1


def _asked(flags: SearchFlags) -> AskedSearch:
    settings = settings_from(replace(flags, level=flags.level or Level.QUICK.value), None)
    device_registry.backend(settings.device)
    tasks = named_tasks(flags.tasks)
    plan = SearchPlan(
        tasks=tasks,
        generators=choices_of(flags.generator, flags.option or ()),
        strategy=flags.strategy,
        strategy_settings=pairs_of(flags.set or (), "--set"),
        budget=budget_of(flags.budget, len(tasks)),
        seed=flags.seed,
        confirm_level=None if flags.confirm_level == "none" else Level(flags.confirm_level),
    )
    return AskedSearch(" ".join(flags.tasks), plan, settings)


def _print(results: tuple[SearchResult, ...], json: bool) -> None:
    if json:
        for one in results:
            sys.stdout.write(one.model_dump_json() + "\n")
    else:
        result_console().print(search_table(results))
