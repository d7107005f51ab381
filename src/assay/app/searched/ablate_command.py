"""`assay bench --ablate`: what a check, or a part of what a generator is told, is worth.

The rule: what is left out is recorded in every verdict and every plan; nothing is left out unasked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing

from assay.app.scored.graded_runs import graded_runs
from assay.app.searched.asked_search import AskedSearch
from assay.app.searched.bench_command import asked_bench, carried_on
from assay.app.searched.search_flags import BenchFlags
from assay.app.stored.stored_run import stored_run
from assay.data.generation.ablation_result import CheckAblation
from assay.data.run import Run
from assay.engine.judge import Judge
from assay.engine.suite_run import SuiteRun
from assay.report.console import result_console
from assay.report.searched.ablation_table import check_table
from assay.scores.graded import Graded, graded_task
from assay.store.run_store import RunStore
from assay.workbench.ablations.ablation_request import AblationRequest, ablation_request
from assay.workbench.ablations.check_ablation import check_ablation, known_checks
from assay.workbench.ablations.context_ablation import context_ablation


def run(flags: BenchFlags) -> int:
    """Leave things out, one at a time, and print what changes."""
    request = ablation_request(flags.ablate or "")
    return _checks(flags, request) if request.checks else _context(flags, request)


def _checks(flags: BenchFlags, request: AblationRequest) -> int:
    """Each check alone, and all of them together where there are several."""
    names = known_checks(request.checks)
    sets = [(name,) for name in names] + ([names] if len(names) > 1 else [])
    store, one = stored_run(flags.generator)
    with store, Judge(one.settings.device, flags.jobs) as judge:
        found = [check_ablation(store, one, names, _judging(store, judge)) for names in sets]
    _print_checks(found, flags.json)
    return 0


def _judging(store: RunStore, judge: Judge) -> Callable[[Run], None]:
    """What judges all that is open in a run of the store."""

    def judge_open(run: Run) -> None:
        plain = run.model_copy(update={"settings": run.settings.model_copy(update={"jobs": 1})})
        with closing(SuiteRun(store, plain, run.settings.jobs, judge=judge).answers()) as answers:
            for _ in answers:
                pass  # each is stored before it is given

    return judge_open


def _context(flags: BenchFlags, request: AblationRequest) -> int:
    """The bench as it is, then with one thing left out at a time."""
    asked = asked_bench(flags)
    told = _graded(asked, flags)
    tasks = [graded_task(task) for task in asked.plan.tasks]
    for one in request.variants(asked.plan):
        variant = AskedSearch(asked.suite, one.plan, asked.settings)
        found = context_ablation(one.words, tasks, told, _graded(variant, flags))
        if flags.json:
            sys.stdout.write(found.model_dump_json() + "\n")
        else:
            result_console().print(found.sentence)
            result_console().print(f"  {found.paired.sentence}")
    return 0


def _graded(asked: AskedSearch, flags: BenchFlags) -> tuple[Graded, ...]:
    """The candidates of one side, as scores see them."""
    return graded_runs([carried_on(asked, flags)], attempted_only=True).entries


def _print_checks(found: list[CheckAblation], json: bool) -> None:
    if json:
        for one in found:
            sys.stdout.write(one.model_dump_json() + "\n")
    else:
        result_console().print(check_table(found))
