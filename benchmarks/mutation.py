"""The mutation score: honest kernels with one fault each, and how many of them Assay turns away.

    python benchmarks/mutation.py [--levels naive quick standard full] [--record out/mutation.jsonl]

Resumable: what stands in the record is not judged again. `--shard 0/2` and `--shard 1/2` share the
tasks between two processes, each with a record of its own. `--kinds`, `--tasks` and `--limit` take
a part; `--survivors` asks a level only about mutants that the level before it let live. Ends with a
table by kind beside the naive check (one shape, five seeds, allclose at 1e-4), and every mutant
that lived. A mutant that does not build makes the run fail: it says nothing about the judge.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from mutants.equivalents import REASONS
from mutants.mutant import Mutant
from mutants.record import NAIVE, Finding, Record
from mutants.selection import PER_KIND, choose, every_mutant
from mutants.table import Table
from naive_trial import NaiveTrial

from assay.data.settings import Level, Settings, Track
from assay.pipeline import evaluate_many

LEVELS = [NAIVE, *(level.value for level in Level)]


def main() -> int:
    flags = parse()
    record = Record(flags.record)
    chosen = part(choose(every_mutant(), flags.per_kind), flags)
    for number, level in enumerate(flags.levels):
        asked = [m for m in chosen if record.of(m.id, level) is None and m.id not in REASONS]
        if flags.survivors and number and flags.levels[number - 1] != NAIVE:
            asked = [m for m in asked if lived(record, m, flags.levels[number - 1])]
        print(f"{level}: {len(asked)} of {len(chosen)} mutants to judge", flush=True)
        judge(asked, level, record)
    table = Table(chosen, flags.levels, record)
    print(*table.lines(), sep="\n")
    return 1 if table.broken() else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=LEVELS)
    parser.add_argument("--record", type=Path, default=Path("out/mutation.jsonl"))
    parser.add_argument("--shard", default="0/1", help="every n-th task, beginning with the k-th")
    parser.add_argument("--kinds", nargs="+", help="only these kinds of faults")
    parser.add_argument("--tasks", nargs="+", help="only tasks whose name holds one of these")
    parser.add_argument("--limit", type=int, help="at most so many mutants, spread over the tasks")
    parser.add_argument("--per-kind", type=int, default=PER_KIND)
    parser.add_argument("--survivors", action="store_true")
    return parser.parse_args()


def part(chosen: list[Mutant], flags: argparse.Namespace) -> list[Mutant]:
    if flags.kinds:
        chosen = [m for m in chosen if m.kind in flags.kinds]
    if flags.tasks:
        chosen = [m for m in chosen if any(name in m.kernel.path for name in flags.tasks)]
    if flags.limit and flags.limit < len(chosen):
        step = len(chosen) / flags.limit
        chosen = [chosen[int(i * step)] for i in range(flags.limit)]
    first, every = map(int, flags.shard.split("/"))
    tasks = sorted({m.kernel.task for m in chosen})[first::every]
    return [m for m in chosen if m.kernel.task in tasks]


def lived(record: Record, mutant: Mutant, level: str) -> bool:
    finding = record.of(mutant.id, level)
    return finding is not None and not finding.killed


def judge(asked: Iterable[Mutant], level: str, record: Record) -> None:
    by_task: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in asked:
        by_task[mutant.kernel.task].append(mutant)
    for task, group in by_task.items():
        findings = naive(group) if level == NAIVE else assay(task, group, Level(level))
        for finding in findings:
            record.add(finding)
            if not finding.killed and level != NAIVE:
                print(f"survives {level}: {finding.mutant}", flush=True)


def assay(task: str, group: list[Mutant], level: Level) -> Iterable[Finding]:
    settings = Settings(level=level, track=Track.KERNEL, timing=False, first_fault=True)
    judged = evaluate_many(task, [m.candidate for m in group], settings)
    for mutant, one in zip(group, judged, strict=True):
        verdict = one.verdict
        yield Finding(
            mutant=mutant.id,
            kind=mutant.kind,
            level=level.value,
            status=verdict.status.value,
            elapsed_s=verdict.elapsed_s,
            reason=verdict.reason[:300],
        )


def naive(group: list[Mutant]) -> Iterable[Finding]:
    with NaiveTrial(expected=len(group)) as trial:
        for mutant in group:
            began_s = time.monotonic()
            good = trial.accepts_candidate(mutant.candidate, mutant.kernel.task)
            yield Finding(
                mutant=mutant.id,
                kind=mutant.kind,
                level=NAIVE,
                status="accepted" if good else "incorrect",
                elapsed_s=time.monotonic() - began_s,
            )


if __name__ == "__main__":
    sys.exit(main())
