"""What readers make of a benchmark: every reference judged as a candidate of its own task.

    python benchmarks/reader_identity.py SUITE --count 20 --out FILE.jsonl [--device cuda]

One JSON object a task: axes tried, status, reason. Sizes are reduced, the track is `open`, the
level `smoke`: a reference that is not accepted as its own answer is a fault of
the reader, of the task or of the judge. The order has a fixed seed; a second run goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.data.axis import Axis
from assay.data.task import Task
from assay.engine.judge import Judge
from assay.errors import AssayError, TaskError
from assay.tasks.catalog import reader, tasks_of
from assay.tasks.readers.split_files.split_file import read_split
from assay.tasks.readers.split_files.split_file_reader import SplitFileReader
from assay.tasks.references.reference import Reference

ELEMENTS = 1 << 13  # of all inputs together, where the sizes allow it
SEED = 0
REDUCING_S = 20


def reduced(task: Task) -> tuple[Task, dict[str, int]]:
    """The task with smaller sizes, where they are names of its module, and its axes."""
    reference = Reference(task)
    steps = {axis.name: axis for axis in reference.axes}
    axes = reference.own_axes
    for _ in range(60):
        shapes = [s for s in reference.input_shapes(axes) if s is not None]
        if not axes or sum(map(math.prod, shapes)) <= ELEMENTS:
            break
        largest = max(axes, key=lambda n: axes[n] / steps[n].multiple_of)
        alike = [name for name in axes if axes[name] == axes[largest]]
        tried = (halved(axes, names, steps) for names in ([largest], alike))
        smaller = next((one for one in tried if reference.footprint(one) is not None), None)
        if smaller is None:
            break
        axes = smaller
    sizes = reference.sizes(axes)
    lines = "".join(f"{assignment(key, value)}\n" for key, value in sizes.items())
    return task.model_copy(update={"source": f"{task.source}\n{lines}"}), axes


def reduced_in_time(task: Task) -> tuple[Task, dict[str, int]]:
    """As it is where that takes too long: a size may be one that a loop of the task waits for."""

    def end(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, REDUCING_S, REDUCING_S)
    try:
        return reduced(task)
    except (TimeoutError, TaskError):
        return task, {}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def halved(axes: dict[str, int], names: Sequence[str], steps: Mapping[str, Axis]) -> dict[str, int]:
    """These axes at half their size, or at their smallest."""
    found = dict(axes)
    for name in names:
        axis = steps[name]
        found[name] = max(axis.low, axes[name] // 2 // axis.multiple_of * axis.multiple_of)
    return found


def assignment(name: str, size: int) -> str:
    """The line that gives a size of the module another value: a name, or a place in a tuple."""
    whole, bracket, place = name.partition("[")
    if not bracket:
        return f"{name} = {size}" if name.isidentifier() else ""
    number = int(place.removesuffix("]"))
    return f"{whole} = (*{whole}[:{number}], {size}, *{whole}[{number + 1}:])"


def own_answer(task: Task) -> str:
    """The reference's text as a candidate in the task's own format."""
    text = Path(task.origin).read_text(encoding="utf-8")
    if isinstance(reader(task.format), SplitFileReader):
        return read_split(Path(task.origin)).reference + "\n"
    if task.format == "kernelbench_hard":
        return text
    if task.format == "robust_kbench" and task.entry == "Model":
        return f"{text}\nforward = forward_fn\n"
    return f"{task.source}\nModelNew = {task.entry}\n"


def judged(judge: Judge, task: Task) -> dict[str, Any]:
    """What came of one task."""
    began_s = time.monotonic()
    try:
        small, axes = reduced_in_time(task)
        verdict = judge.evaluate(small, own_answer(task))
        found = {"axes": axes, "status": verdict.status.value, "reason": verdict.reason}
    except AssayError as error:
        found = {"axes": {}, "status": "unusable", "reason": str(error)}
    return {"task": task.id, **found, "seconds": round(time.monotonic() - began_s, 1)}


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
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    lines = asked.out.read_text().splitlines() if asked.out.exists() else []
    known = {json.loads(line)["task"] for line in lines}
    settings = {"level": "smoke", "track": "open", "timeout_s": 60, "timing": False}
    judge = Judge(asked.device, jobs=1, **settings)
    with asked.out.open("a", encoding="utf-8") as out, judge:
        for task in open_tasks(asked.suite, known, asked.count):
            row = judged(judge, task)
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(row["task"], row["status"], row["reason"], flush=True)


if __name__ == "__main__":
    main()
