"""template-search over the native tasks it covers: searched, confirmed, compared.

    python benchmarks/template_search.py --device cpu|cuda --out FILE.jsonl
        [--tasks ID ...] [--family Reduce ...] [--limit N] [--trials 6] [--at-once 3]
        [--minutes 8] [--share 0.6] [--level full] [--trial-level smoke] [--large]
        [--baselines eager compile compile-max] [--no-timing] [--judges 1] [--track kernel]
        [--generator template-search|inductor-triton|inductor-cpp|eager]
    python benchmarks/template_search.py --coverage [--device cpu|cuda] [--limit N]

For each task a small search with the judge at `--trial-level` against eager, `--at-once` points
side by side; then its winner is judged at `--level` on a fresh secret against `--baselines`. With
`--large` a memory-bound winner is judged once more with its batch made so large that its bytes are
several times the cache, and the share of the measured copy bandwidth is printed.

The categories of the suite come in turn. `--limit` counts tasks that are covered. Winners are
judged after all searches, or once `--share` of the `--minutes` is over. When the minutes are over,
and on SIGTERM, what is under way is dropped and the summary says what is recorded. Resumable:
what is recorded is not judged again. `--judges` processes judge side by side where nothing is
timed. `--coverage` judges nothing: it only says what is covered, and why the rest is not.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from template_coverage import CoverageRun, category, forward_tasks
from template_coverage import summary as coverage_summary
from template_record import TemplateRecord, summary
from template_trials import Asked, TaskSearch, winner_row
from warm_traces import WarmTraces

from assay import Judge
from assay.data.task import Task
from assay.generators.candidate_generator import CandidateGenerator, GenerationRequest, Proposal
from assay.generators.one_candidate_generator import (
    EagerGenerator,
    InductorCppGenerator,
    InductorTritonGenerator,
)
from assay.generators.templates.template_generator import TemplateGenerator

BASELINES = ("eager", "compile", "compile-max")
OTHERS = {one.name: one for one in (EagerGenerator, InductorCppGenerator, InductorTritonGenerator)}
IN_HAND = 2  # tasks in hand for each judge: the next is ready when one is through
SEED = 0


def main() -> int:
    """Search what is missing, then say what all records show."""
    flags = parsed_flags()
    with ExitStack() as held:
        traces = held.enter_context(WarmTraces(flags.plan_jobs))
        generator = _generator(flags.generator, traces)
        tasks = chosen_tasks(flags)
        if flags.coverage:
            asking = CoverageRun(generator, [flags.device], flags.plan_jobs)
            until = time.monotonic() + 60 * flags.minutes
            print(coverage_summary(asking.record(tasks[: flags.limit], [], until)))
            return 0
        record = TemplateRecord(flags.out)
        run = SearchRun(flags, record, generator, held)
        signal.signal(signal.SIGTERM, _stopped)
        try:
            run.search(tasks)
            run.confirm({one.id: one for one in tasks})
        finally:
            print(summary(record, len(tasks), flags.baselines), flush=True)
    return 0


def _stopped(*_: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)


def parsed_flags() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, help="the record; needed unless --coverage")
    parser.add_argument("--tasks", nargs="*", default=[])
    parser.add_argument("--family", nargs="*", default=[], help="categories of the suite")
    parser.add_argument("--limit", type=int, help="covered tasks, recorded ones among them")
    parser.add_argument("--trials", type=int, default=6, help="points of a task")
    parser.add_argument("--at-once", type=int, default=3, help="points judged side by side")
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--share", type=float, default=0.6, help="of the minutes, for searches")
    parser.add_argument("--level", default="full")
    parser.add_argument("--trial-level", default="smoke")
    parser.add_argument("--baselines", nargs="+", default=list(BASELINES))
    parser.add_argument("--no-timing", action="store_true")
    parser.add_argument("--track", default="kernel")
    names = [TemplateGenerator.name, *OTHERS]
    parser.add_argument("--generator", choices=names, default=TemplateGenerator.name)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--judges", type=int, default=1)
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--plan-jobs", type=int, default=max(2, cores // 2))
    parser.add_argument("--coverage", action="store_true", help="judge nothing")
    flags = parser.parse_args()
    if flags.out is None and not flags.coverage:
        parser.error("--out FILE.jsonl is needed")
    if flags.judges > 1 and not flags.no_timing:
        parser.error("several --judges disturb each other's times: add --no-timing")
    return flags


def _generator(name: str, traces: WarmTraces) -> CandidateGenerator:
    return OTHERS[name]() if name in OTHERS else TemplateGenerator(plan=traces.plan)


def chosen_tasks(flags: argparse.Namespace) -> list[Task]:
    """Forward tasks, shuffled by a fixed seed, one of each category after the other."""
    tasks = forward_tasks()
    if flags.tasks:
        named = {one.id: one for one in tasks}
        return [named[name] for name in flags.tasks]
    groups: dict[str, list[Task]] = {}
    for one in tasks:
        groups.setdefault(category(one), []).append(one)
    chosen = [found for name, found in sorted(groups.items()) if name in (flags.family or groups)]
    for found in chosen:
        random.Random(SEED).shuffle(found)
    return [one for one in chain.from_iterable(zip_longest(*chosen)) if one is not None]


class SearchRun:
    """All searches, then all winners, until the time is over."""

    def __init__(
        self,
        flags: argparse.Namespace,
        record: TemplateRecord,
        generator: CandidateGenerator,
        held: ExitStack,
    ) -> None:
        now = time.monotonic()
        self._flags, self._record, self._generator = flags, record, generator
        self._ends = now + 60 * flags.minutes
        self._trials_end = now + 60 * flags.minutes * flags.share
        self._asked = Asked(
            device=flags.device,
            trials=flags.trials,
            at_once=flags.at_once,
            trial_level=flags.trial_level,
            level=flags.level,
            baselines=tuple(flags.baselines),
            timing=not flags.no_timing,
            large=flags.large,
        )
        in_hand = IN_HAND * flags.judges
        self._planning = held.enter_context(ThreadPoolExecutor(flags.plan_jobs))
        self._working = held.enter_context(ThreadPoolExecutor(in_hand))
        self._judges = deque(
            held.enter_context(Judge(flags.device, jobs=self._jobs(), track=flags.track))
            for _ in range(flags.judges)
        )  # closed before the threads that wait for them

    def _jobs(self) -> int:
        """Candidates that one judge has side by side."""
        return self._asked.at_once if self._asked.timing else 1

    def search(self, tasks: Sequence[Task]) -> None:
        """Every task that has no row, as far as the time goes."""
        waiting = [one for one in tasks if one.id not in self._record.trials]
        left = len(tasks) if self._flags.limit is None else self._flags.limit
        left -= len(self._record.covered)
        if left <= 0:
            return
        busy: set[Future[None]] = set()
        for task, first in self._planned(waiting):
            if not isinstance(first, Proposal):
                self._leave_out(task, getattr(first, "reason", first))
                continue
            if time.monotonic() > self._trials_end:
                break
            left -= 1
            busy.add(self._working.submit(self._search_one, task, first))
            if left <= 0:
                break
            if len(busy) >= IN_HAND * len(self._judges):
                done, busy = wait(busy, return_when=FIRST_COMPLETED)
                _raise_errors(done)
        _raise_errors(wait(busy).done)

    def confirm(self, tasks: dict[str, Task]) -> None:
        """Every accepted best that is not confirmed, as far as the time goes."""
        rows = [row for row in self._record.unconfirmed if row["task"] in tasks]
        futures = [self._working.submit(self._confirm_one, tasks[r["task"]], r) for r in rows]
        _raise_errors(wait(futures).done)
        left = len(self._record.unconfirmed)
        if left:
            print(f"the time is up: {left} winners are not judged anew", flush=True)

    def _search_one(self, task: Task, first: Proposal) -> None:
        search = TaskSearch(task, self._generator, self._judge(), self._asked, self._trials_end)
        with _told(task):
            row = search.row(first)
            if row is not None:
                self._record.add(row)

    def _confirm_one(self, task: Task, trials: dict[str, Any]) -> None:
        if time.monotonic() < self._ends:
            with _told(task):
                row = winner_row(task, trials, self._judge(), self._asked, self._ends)
                if row is not None:
                    self._record.add(row)

    def _judge(self) -> Judge:
        """Each in its turn."""
        self._judges.rotate(1)
        return self._judges[0]

    def _leave_out(self, task: Task, reason: str) -> None:
        row = {"kind": "trials", "task": task.id, "device": self._flags.device, "covered": False}
        self._record.add({**row, "tags": list(task.tags), "reason": reason})

    def _planned(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Any]]:
        """Tasks with their first proposals, which are begun before they are needed.

        Where the processors themselves are timed, all of them are made before anything is judged.
        """
        limit = self._flags.limit or len(tasks)
        first = self._asked.timing and self._flags.device == "cpu"
        most = 2 * limit if first else 2 * self._flags.plan_jobs
        started: deque[tuple[Task, Future[Any]]] = deque()
        left = deque(tasks)
        try:
            while left or started:
                while left and len(started) < most:
                    task = left.popleft()
                    started.append((task, self._planning.submit(self._first, task)))
                if first:
                    wait([future for _, future in started])
                for _ in range(len(started) if first else 1):
                    task, future = started.popleft()
                    yield task, future.result()
        finally:
            for _, future in started:
                future.cancel()

    def _first(self, task: Task) -> Any:
        try:
            request = GenerationRequest(task, self._flags.device)
            return self._generator.propose(request, lambda _: None)
        except Exception as problem:  # a defect of a template is a row, not the end of the run
            return f"{type(problem).__name__}: {problem}"


@contextmanager
def _told(task: Task) -> Iterator[None]:
    """A fault of ours costs one task, not the run; the next call asks for it again."""
    try:
        yield
    except Exception as problem:
        print(f"{task.id}: not judged: {type(problem).__name__}: {problem}", flush=True)


def _raise_errors(done: set[Future[None]]) -> None:
    for one in done:
        one.result()


if __name__ == "__main__":
    sys.exit(main())
