"""template-search over the native tasks it covers: searched, confirmed, compared.

    python benchmarks/template_search.py --device cpu|cuda --out FILE.jsonl
        [--tasks ID ...] [--family Reduce ...] [--limit N] [--trials 6] [--at-once 3]
        [--minutes 8] [--level full] [--trial-level smoke] [--large]
        [--baselines eager compile compile-max] [--no-timing] [--judges 1] [--track kernel]
        [--generator template-search|inductor-triton|inductor-cpp|eager]
    python benchmarks/template_search.py --coverage [--device cpu|cuda] [--limit N]

For each task a small search with the judge at `--trial-level` against eager, `--at-once` points
side by side; then its winner is judged at `--level` on a fresh secret against `--baselines`. With
`--large` a memory-bound winner is judged once more with its batch made so large that its bytes are
several times the cache, and the share of the measured copy bandwidth is printed.

The categories of the suite come in turn. `--limit` counts tasks that are covered. Two tasks are in
hand at a time. A row is written after each batch of points, and each winner is judged as soon as
its search is over. When the minutes are over, and on SIGTERM, what is under way is dropped, and the
summary says what is recorded; the process ends some seconds later, whatever it waits for.
Resumable: what is recorded is not judged again; a search that was cut off begins anew, and so does
what could not be timed, for instance on a busy machine.
`--judges` processes judge side by side where nothing is timed. `--coverage` judges nothing: it only
says what is covered, and why the rest is not.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from run_end import RunEnd, TimeIsUpError
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
MOST_PLANNED = 16  # tasks traced before the first of them is judged
CLOSING_S = 6.0  # of the minutes, for the summary and the end of all processes
SEED = 0


def main() -> None:
    """Search what is missing, then say what all records show."""
    flags = parsed_flags()
    if flags.coverage:
        with WarmTraces(flags.plan_jobs) as traces:
            asking = CoverageRun(
                _generator(flags.generator, traces), [flags.device], flags.plan_jobs
            )
            until = time.monotonic() + 60 * flags.minutes
            chosen = chosen_tasks(flags)[: flags.limit]
            print(coverage_summary(asking.record(chosen, [], until)))
        return
    record, tasks = TemplateRecord(flags.out, not flags.no_timing), chosen_tasks(flags)
    end = RunEnd(60 * flags.minutes - CLOSING_S, CLOSING_S)
    try:
        with ExitStack() as held:
            try:
                SearchRun(flags, record, held).search(tasks)
            finally:
                record.close()
                print(summary(record, len(tasks), flags.baselines), flush=True)
    except TimeIsUpError as problem:
        print(f"{problem}: what was under way is dropped", flush=True)
    end.leave(0)


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
    """Searches and their winners, until the time is over."""

    def __init__(self, flags: argparse.Namespace, record: TemplateRecord, held: ExitStack) -> None:
        self._flags, self._record = flags, record
        self._began = time.monotonic()
        self._ends = self._began + 60 * flags.minutes - 1.5 * CLOSING_S
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
        traces = held.enter_context(WarmTraces(flags.plan_jobs))
        self._generator = _generator(flags.generator, traces)
        self._planning = held.enter_context(ThreadPoolExecutor(flags.plan_jobs))
        self._working = held.enter_context(ThreadPoolExecutor(IN_HAND * flags.judges))
        self._judges = deque(
            held.enter_context(Judge(flags.device, jobs=self._jobs(), track=flags.track))
            for _ in range(flags.judges)
        )  # closed before the threads that wait for them
        self._busy: set[Future[None]] = set()

    def _jobs(self) -> int:
        """Candidates that one judge has side by side."""
        return self._asked.at_once if self._asked.timing else 1

    def search(self, tasks: Sequence[Task]) -> None:
        """Tasks that have no row and winners that are not confirmed, while there is time."""
        named = {one.id: one for one in tasks}
        waiting = [one for one in tasks if one.id not in self._record.searched]
        left = len(tasks) if self._flags.limit is None else self._flags.limit
        left -= sum(one["task"] in self._record.searched for one in self._record.covered)
        if waiting and left > 0:
            self._warm_up(waiting[0])
        for row in self._record.unconfirmed:
            if row["task"] in named:
                self._submit(self._confirm_one, named[row["task"]], row)
        for task, first in self._planned(waiting) if left > 0 else ():
            if time.monotonic() > self._ends:
                break
            if not isinstance(first, Proposal):
                self._leave_out(task, getattr(first, "reason", first))
                continue
            left -= 1
            self._submit(self._search_one, task, first)
            if left <= 0:
                break
        self._settle(0)

    def _warm_up(self, task: Task) -> None:
        """Let the judges' processes start while references are traced; no verdict is kept."""
        plain = EagerGenerator().propose(
            GenerationRequest(task, self._flags.device), lambda _: None
        )
        if not isinstance(plain, Proposal):
            return
        options: dict[str, Any] = {"level": "smoke", "timing": self._asked.timing, "track": "open"}
        for judge in self._judges:
            future = judge.submit(task, plain.candidate, **options)
            future.add_done_callback(lambda _: self._say("a judge is warm"))

    def _say(self, text: str) -> None:
        print(f"{time.monotonic() - self._began:.0f} s: {text}", flush=True)

    def _submit(self, work: Callable[..., None], *about: Any) -> None:
        """Have it done; wait where as much is in hand as may be."""
        self._busy.add(self._working.submit(work, *about))
        self._settle(IN_HAND * len(self._judges) - 1)

    def _settle(self, most: int) -> None:
        """Wait until no more than that are in hand; an error of ours is raised."""
        while len(self._busy) > most:
            done, self._busy = wait(self._busy, return_when=FIRST_COMPLETED)
            for one in done:
                one.result()

    def _search_one(self, task: Task, first: Proposal) -> None:
        search = TaskSearch(task, self._generator, self._judge(), self._asked, self._ends)
        with _told(task):
            for row in search.rows(first):
                self._record.add(row)
                if row["complete"] and row["source"]:
                    self._confirm_one(task, row)

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
        self._record.add({**row, "complete": True, "tags": list(task.tags), "reason": reason})

    def _planned(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Any]]:
        """Tasks with their first proposals, which are begun before they are needed.

        Where the processors themselves are timed, nothing is traced while anything is judged.
        """
        limit = self._flags.limit or len(tasks)
        apart = self._asked.timing and self._flags.device == "cpu"
        most = min(2 * limit, MOST_PLANNED) if apart else 2 * self._flags.plan_jobs
        started: deque[tuple[Task, Future[Any]]] = deque()
        left = deque(tasks)
        try:
            while left or started:
                if apart:
                    self._settle(0)
                while left and len(started) < most:
                    task = left.popleft()
                    started.append((task, self._planning.submit(self._first, task)))
                if apart:
                    wait([future for _, future in started], max(0.0, self._ends - time.monotonic()))
                    self._say(f"{len(started)} more tasks are traced")
                for _ in range(len(started) if apart else 1):
                    task, future = started.popleft()
                    yield task, future.result(max(0.0, self._ends - time.monotonic()))
        except TimeoutError:
            return
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


if __name__ == "__main__":
    main()
