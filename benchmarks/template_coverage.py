"""Which forward tasks of the native suite `template-search` covers, and why it leaves others out.

    python benchmarks/template_coverage.py [--device cpu cuda] [--jobs 2] [--record FILE.json]
        [--stop-after-s 600]
    python benchmarks/template_coverage.py --page

Nothing is judged, and no GPU is needed: candidates are written, not run. The first command proposes
for every task and writes the record; tasks that are recorded with the same content are not asked
again, unless `--anew`. The second writes the table of docs/templates.md from the record.

The rule: covered means that a candidate is written. Whether it is right is the judge's to say.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warm_traces import WarmTraces

from assay.data.task import Task
from assay.data.workload import Direction
from assay.generators.candidate_generator import CandidateGenerator, GenerationRequest, Proposal
from assay.generators.templates.template_generator import TemplateGenerator
from assay.tasks.catalog import tasks_of

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "benchmarks/results/template_coverage.json"
PAGE = ROOT / "docs/templates.md"
BEGIN, END = "<!-- coverage -->", "<!-- end of coverage -->"
Record = dict[str, Any]
_PREFIX = "no template covers the task: "


def main() -> int:
    """Propose, print, record; or write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", nargs="+", default=["cpu", "cuda"])
    parser.add_argument("--jobs", type=int, default=2, help="references traced at a time")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument("--stop-after-s", type=float, default=1e6)
    parser.add_argument("--anew", action="store_true", help="ask for what is recorded, too")
    parser.add_argument("--page", action="store_true", help="write the table from the record")
    flags = parser.parse_args()
    if flags.page:
        write_page(json.loads(flags.record.read_text(encoding="utf-8")))
        return 0
    tasks = forward_tasks()[: flags.limit]
    known = [] if flags.anew or not flags.record.exists() else _known(flags.record, flags.device)
    with WarmTraces(flags.jobs) as traces:
        asking = CoverageRun(TemplateGenerator(plan=traces.plan), flags.device, flags.jobs)
        record = asking.record(tasks, known, time.monotonic() + flags.stop_after_s)
    flags.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(summary(record))
    return 0


def forward_tasks() -> list[Task]:
    """Of the native suite."""
    return [one for one in tasks_of("native") if one.direction is Direction.FORWARD]


def category(task: Task) -> str:
    """The category among its tags."""
    return next((t.partition(":")[2] for t in task.tags if t.startswith("category:")), "none")


def _known(path: Path, devices: Sequence[str]) -> list[Record]:
    record = json.loads(path.read_text(encoding="utf-8"))
    return record["tasks"] if record["devices"] == list(devices) else []


@dataclass(frozen=True)
class CoverageRun:
    """Asks for every task."""

    generator: CandidateGenerator
    devices: Sequence[str]
    jobs: int

    def record(self, tasks: Sequence[Task], known: Sequence[Record], until: float) -> Record:
        """For every task and device an empty text, or the reason; tasks in their order."""
        rows = {(one["task"], one["content"]): one for one in known}

        def asked(task: Task) -> Record | None:
            found = rows.get((task.id, task.content_id))
            return found or (self._asked(task) if time.monotonic() < until else None)

        with ThreadPoolExecutor(self.jobs) as pool:
            found = [one for one in pool.map(asked, tasks) if one is not None]
        import torch

        return {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "torch": torch.__version__,
            "devices": list(self.devices),
            "not_asked": len(tasks) - len(found),
            "tasks": found,
        }

    def _asked(self, task: Task) -> Record:
        reasons = {device: why_not(self.generator, task, device) for device in self.devices}
        said = " ".join(f"{device}: {why or 'covered'}" for device, why in reasons.items())
        print(f"{task.id:40} {said[:160]}", flush=True)
        names = {"task": task.id, "content": task.content_id, "category": category(task)}
        return {**names, "reasons": reasons}


def why_not(generator: CandidateGenerator, task: Task, device: str) -> str:
    """Empty where there is a candidate."""
    try:
        found = generator.propose(GenerationRequest(task, device), lambda _: None)
    except Exception as problem:  # a defect of a template is a row, not the end of the run
        return f"defect: {type(problem).__name__}: {problem}"
    return "" if isinstance(found, Proposal) else found.reason.removeprefix(_PREFIX)


def kind_of(reason: str) -> str:
    """A reason without what differs from task to task: free numbers, what follows a colon."""
    text = re.sub(r"\b\d+", "N", reason)
    return text if text.startswith("defect") else ": ".join(text.split(": ")[:2])


def counts(record: Record, device: str) -> dict[str, tuple[int, int]]:
    """By category: covered, all."""
    found: dict[str, tuple[int, int]] = {}
    for row in record["tasks"]:
        done, whole = found.get(row["category"], (0, 0))
        found[row["category"]] = (done + (not row["reasons"][device]), whole + 1)
    return dict(sorted(found.items()))


def reasons(record: Record, device: str) -> list[tuple[str, int, str]]:
    """Why tasks are left out: the reason, how many, an example; the most frequent first."""
    kinds: Counter[str] = Counter()
    example: dict[str, str] = {}
    for row in record["tasks"]:
        if row["reasons"][device]:
            kind = kind_of(row["reasons"][device])
            kinds[kind] += 1
            example.setdefault(kind, row["task"])
    return [(kind, count, example[kind]) for kind, count in kinds.most_common()]


def summary(record: Record) -> str:
    """What is printed."""
    lines = []
    for device in record["devices"]:
        found = counts(record, device)
        left = f", {record['not_asked']} not asked" if record["not_asked"] else ""
        lines.append(f"{device}: {_total(found)} forward tasks covered{left}")
        lines += [f"  {name:20} {done} of {whole}" for name, (done, whole) in found.items()]
        lines += [f"  {n:3} {kind} ({one})" for kind, n, one in reasons(record, device)]
    return "\n".join(lines)


def _total(found: dict[str, tuple[int, int]]) -> str:
    return f"{sum(a for a, _ in found.values())} of {sum(b for _, b in found.values())}"


def section(record: Record) -> str:
    """The part of docs/templates.md that is made from the record."""
    devices = record["devices"]
    found = {device: counts(record, device) for device in devices}
    totals = ", ".join(f"{_total(found[one])} for `{one}`" for one in devices)
    lines = [
        f"{record['date']}, torch {record['torch']}, forward tasks of the native suite: {totals}.",
        *([f"{record['not_asked']} more were not asked."] if record["not_asked"] else []),
        "A task is covered where a candidate is written; the judge says whether it is right.",
        "`benchmarks/template_coverage.py` makes the record, and with `--page` this section.",
        "",
        "| category | " + " | ".join(devices) + " | tasks |",
        "|---" * (len(devices) + 2) + "|",
    ]
    for name, (_, whole) in found[devices[0]].items():
        cells = " | ".join(str(found[one][name][0]) for one in devices)
        lines.append(f"| {name} | {cells} | {whole} |")
    return "\n".join([*lines, "", "Why tasks are left out:", "", *_reason_lines(record)])


def _reason_lines(record: Record) -> list[str]:
    """Reasons of several tasks as a table; the others by the tasks that have them."""
    devices = record["devices"]
    found = {device: reasons(record, device) for device in devices}
    example = {kind: one for device in devices for kind, _, one in found[device]}
    count = {device: {kind: n for kind, n, _ in found[device]} for device in devices}
    shared = [kind for kind in example if any(count[one].get(kind, 0) > 1 for one in devices)]
    lines = ["| reason | " + " | ".join(devices) + " | for instance |"]
    lines.append("|---" * (len(devices) + 2) + "|")
    for kind in shared:
        cells = " | ".join(str(count[one].get(kind, 0)) for one in devices)
        said = kind.replace("|", "\\|")
        lines.append(f"| {said} | {cells} | `{example[kind]}` |")
    alone = sorted({one for kind, one in example.items() if kind not in shared})
    if alone:
        named = textwrap.fill(", ".join(f"`{one}`" for one in alone) + ".", 100)
        lines += ["", "A reason of their own, which the record says, have:", named]
    return lines


def write_page(record: Record) -> None:
    """Put the section between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{section(record)}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    sys.exit(main())
