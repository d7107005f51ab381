"""What readers make of a benchmark: every reference judged as a candidate of its own task.

    python benchmarks/reader_identity.py SUITE --count 20 --out FILE.jsonl [--limit-s 120]

One JSON object a task: axes tried, what of the text was reduced, status, reason. The track is
`open`, the level `smoke`: a reference that is not accepted as its own answer is a fault of
the reader, of the task or of the judge. The order has a fixed seed; a second run goes on.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from concurrent.futures import TimeoutError as NoAnswer
from pathlib import Path
from typing import Any

from reduced_task import ReducedTask, reduced

from assay.data.task import Task
from assay.engine.judge import Judge
from assay.errors import AssayError
from assay.tasks.catalog import reader, tasks_of
from assay.tasks.readers.split_files.split_file import read_split
from assay.tasks.readers.split_files.split_file_reader import SplitFileReader

SEED = 0


def own_answer(task: Task) -> str:
    """The reference's text as a candidate in the task's own format."""
    text = Path(task.origin).read_text(encoding="utf-8")
    if isinstance(reader(task.format), SplitFileReader):
        return read_split(Path(task.origin)).reference + "\n"
    if task.format == "kernelbench_hard":
        return task.source  # with what was reduced in it: constants of the text are no arguments
    if task.format == "robust_kbench" and task.entry == "Model":
        return f"{text}\nforward = forward_fn\n"
    return f"{task.source}\nModelNew = {task.entry}\n"


def judged(judge: Judge, task: Task, limit_s: float) -> dict[str, Any]:
    """What came of one task."""
    began_s = time.monotonic()
    small = ReducedTask(task, {})
    try:
        small = reduced(task)
        status, reason = verdict_of(judge, small.task, limit_s)
    except AssayError as error:
        status, reason = "unusable", str(error)
    seconds = round(time.monotonic() - began_s, 1)
    found = {"axes": small.axes, "text": small.words, "status": status, "reason": reason}
    return {"task": task.id, **found, "seconds": seconds}


def verdict_of(judge: Judge, task: Task, limit_s: float) -> tuple[str, str]:
    """Status and reason; a judgement that takes longer than the limit is stopped."""
    waiting = judge.submit(task, own_answer(task))
    try:
        verdict = waiting.result(limit_s).verdict
    except NoAnswer:
        waiting.cancel()
        return "over_time", f"the judgement took more than {limit_s:g} s"
    return verdict.status.value, verdict.reason


def open_tasks(suite: str, known: set[str], count: int) -> Iterator[Task]:
    """Tasks that are not known yet, in a fixed random order."""
    tasks = list(tasks_of(suite))
    random.Random(SEED).shuffle(tasks)
    yield from [task for task in tasks if task.id not in known][: max(0, count - len(known))]


def main() -> None:
    """Judges, and adds to the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--device", default="cpu", help="references of tritonbench_g need cuda")
    parser.add_argument("--limit-s", type=float, default=600, help="for one judgement")
    parser.add_argument("--allow-package", action="append", default=[])
    parser.add_argument("--only", help="a part of the id: only tasks that have it")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    lines = asked.out.read_text().splitlines() if asked.out.exists() else []
    known = {json.loads(line)["task"] for line in lines}
    settings = {"level": "smoke", "track": "open", "timeout_s": 60, "timing": False}
    settings["allow_packages"] = tuple(asked.allow_package)
    judge = Judge(asked.device, jobs=1, **settings)
    with asked.out.open("a", encoding="utf-8") as out, judge:
        for task in open_tasks(asked.suite, known, asked.count):
            if asked.only and asked.only not in task.id:
                continue
            row = judged(judge, task, asked.limit_s)
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(row["task"], row["status"], row["reason"], flush=True)


if __name__ == "__main__":
    main()
