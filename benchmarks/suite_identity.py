"""Soundness of a suite on a device: every reference judged as a candidate of its own task.

    python benchmarks/suite_identity.py --device cuda --out FILE.jsonl [--jobs 8] [--minutes 8]
    python benchmarks/suite_identity.py --tasks FOLDER --out FILE.jsonl

Judged is the native suite, another one (`--suite`), or every task file of a folder, such as those
that `assay synthesise` writes (`--tasks`). The track is `open`, the level `quick`, nothing is
timed. `--jobs` processes, each with a warm Judge and its share of the cores, take tasks from one
list, in which the categories of the suite come in turn: a part of it covers them all. A reference
that is not accepted beside others is asked once more alone, because kernels of other processes on
one device may look like work left behind. One JSON object a task is added to FILE; the same command
goes on where it was stopped. Printed at the end: what is not accepted, with the reason, and tasks a
minute.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import queue
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from assay.data.task import Task
from assay.engine.candidate_list import reference_candidate
from assay.engine.judge import Judge
from assay.errors import AssayError
from assay.tasks.catalog import tasks_of

ACCEPTED = "accepted"
SEED = 0
PATIENCE_S = 45.0  # for what is being judged when the time is over
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Asked:
    """How every reference is judged; a process of its own is told all of it."""

    device: str
    level: str
    suite: str
    timeout_s: float
    until: float  # seconds since 1970, the same clock for all processes


@dataclass(frozen=True)
class Row:
    """What came of one task."""

    task: str
    content_id: str
    category: str
    level: str
    status: str
    reason: str
    alone: bool
    seconds: float


def category(task: Task) -> str:
    """The KernelBench-X category; of a suite without tags none."""
    return next((tag.partition(":")[2] for tag in task.tags if tag.startswith("category:")), "")


def in_turns(tasks: Iterable[Task]) -> list[Task]:
    """Shuffled by a fixed seed, one of each category after the other."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(category(task), []).append(task)
    for _, group in sorted(groups.items()):
        random.Random(SEED).shuffle(group)
    turns = zip_longest(*(group for _, group in sorted(groups.items())))
    return [task for task in chain.from_iterable(turns) if task is not None]


def judged(judge: Judge, task: Task, asked: Asked, alone: bool) -> Row:
    """One reference as its own candidate."""
    began_s = time.monotonic()
    try:
        verdict = judge.evaluate(task, reference_candidate(task))
        status, reason = verdict.status.value, verdict.reason
    except AssayError as error:
        status, reason = "unusable", str(error)
    seconds = round(time.monotonic() - began_s, 2)
    told = (task.id, task.content_id, category(task), asked.level, status, reason)
    return Row(*told, alone=alone, seconds=seconds)


def judge_of(asked: Asked) -> Judge:
    """Warm from its first task on."""
    options: dict[str, Any] = {"level": asked.level, "track": "open", "timing": False}
    return Judge(asked.device, jobs=1, timeout_s=asked.timeout_s, **options)


def work(asked: Asked, cores: Sequence[int], waiting: Any, found: Any) -> None:
    """In a process of its own: tasks from the list until it is empty or the time is over."""
    os.sched_setaffinity(0, cores)
    tasks = {task.id: task for task in tasks_of(asked.suite)}
    with judge_of(asked) as judge:
        while time.time() < asked.until:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                break
            found.put(judged(judge, tasks[name], asked, alone=False))
    found.put(None)


def shares(cores: Sequence[int], jobs: int) -> list[list[int]]:
    """The cores of each process, none without one."""
    parts = [list(cores[number::jobs]) for number in range(jobs)]
    return [part or [cores[number % len(cores)]] for number, part in enumerate(parts)]


def beside_others(asked: Asked, tasks: Sequence[Task], jobs: int) -> Iterator[Row]:
    """Rows as they come."""
    waiting, found = SPAWN.Queue(), SPAWN.Queue()
    for task in tasks:
        waiting.put(task.id)
    parts = shares(sorted(os.sched_getaffinity(0)), jobs)
    workers = [SPAWN.Process(target=work, args=(asked, part, waiting, found)) for part in parts]
    for one in workers:
        one.start()
    try:
        yield from arrived(workers, found, asked.until + PATIENCE_S)
    finally:
        waiting.cancel_join_thread()
        for one in workers:
            one.join(1.0)
            if one.is_alive():
                one.terminate()


def arrived(workers: Sequence[BaseProcess], found: Any, until: float) -> Iterator[Row]:
    """Until every process is through, or gone, or the patience is."""
    left = len(workers)
    while left and time.time() < until:
        try:
            row = found.get(timeout=1.0)
        except queue.Empty:
            if not any(one.is_alive() for one in workers):
                return
            continue
        if row is None:
            left -= 1
        else:
            yield row


def once_more(asked: Asked, tasks: Sequence[Task]) -> Iterator[Row]:
    """Alone on the device."""
    with judge_of(asked) as judge:
        for task in tasks:
            if time.time() > asked.until:
                return
            yield judged(judge, task, asked, alone=True)


class Results:
    """The file of rows: what it says of a task last counts."""

    def __init__(self, path: Path, level: str) -> None:
        self._path, self._level = path, level
        self.rows: dict[str, Row] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            row = Row(**json.loads(line))
            self.rows[row.task] = row

    def add(self, row: Row) -> None:
        """One more, written at once."""
        self.rows[row.task] = row
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(row)) + "\n")
        how = " (alone)" if row.alone else ""
        print(f"{row.seconds:7.1f} s  {row.task}  {row.status}{how}", flush=True)

    def row_of(self, task: Task) -> Row | None:
        """Of this source at this level."""
        row = self.rows.get(task.id)
        known = row and (row.content_id, row.level) == (task.content_id, self._level)
        return row if known else None

    def doubtful(self, tasks: Iterable[Task]) -> list[Task]:
        """Not accepted, and never asked alone."""
        rows = ((task, self.row_of(task)) for task in tasks)
        return [task for task, row in rows if row and row.status != ACCEPTED and not row.alone]


def told(tasks: Sequence[Task], results: Results, spent_s: float, new: int) -> None:
    """The summary."""
    rows = [row for task in tasks if (row := results.row_of(task))]
    print(f"\n{len(rows)} of {len(tasks)} tasks judged: {dict(Counter(r.status for r in rows))}")
    for row in sorted(rows, key=lambda row: (row.status, row.task)):
        if row.status != ACCEPTED:
            how = "alone" if row.alone else "beside others"
            print(f"  {row.task} [{row.category}] {row.status} ({how}): {row.reason}")
    seen = {row.category for row in rows}
    print(f"categories: {len(seen)} of {len({category(task) for task in tasks})}")
    if new:
        each = sorted(row.seconds for row in rows)[len(rows) // 2]
        print(
            f"this call: {new} in {spent_s:.0f} s, {60 * new / spent_s:.1f} a minute; "
            f"median of one {each:.1f} s"
        )
    if len(rows) < len(tasks):
        print(f"{len(tasks) - len(rows)} are left: the same command goes on")


def main() -> None:
    """Judges, and adds to the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked_of = parser.add_mutually_exclusive_group()
    asked_of.add_argument("--suite", default="native")
    asked_of.add_argument("--tasks", type=Path, help="a folder of task files, instead of a suite")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--level", default="quick")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=8, help="processes that judge side by side")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--timeout-s", type=float, default=60.0)
    flags = parser.parse_args()
    suite = f"kernelbench:{flags.tasks}" if flags.tasks else flags.suite
    flags.out.parent.mkdir(parents=True, exist_ok=True)
    began_s = time.monotonic()
    until = time.time() + 60 * flags.minutes
    asked = Asked(flags.device, flags.level, suite, flags.timeout_s, until)
    chosen = [task for task in tasks_of(suite) if not flags.only or task.id in flags.only]
    tasks, results = in_turns(chosen), Results(flags.out, flags.level)
    unknown = [task for task in tasks if results.row_of(task) is None]
    new = 0
    for row in beside_others(asked, unknown, min(flags.jobs, max(1, len(unknown)))):
        results.add(row)
        new += 1
    for row in once_more(asked, results.doubtful(tasks)):
        results.add(row)
    told(tasks, results, time.monotonic() - began_s, new)


if __name__ == "__main__":
    main()
