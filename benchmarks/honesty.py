"""The whole corpus, several passes with different secrets, beside what a naive check accepts.

    python benchmarks/honesty.py [--passes 3] [--record out/honesty.jsonl] [--level quick]

Resumable: finished cases are kept. Two processes can share a pass: `--shard 0/2` and `--shard 1/2`,
each with a record of its own; with the two records put into one file it prints one table. Prints
every verdict that is not as its folder asks, a table by group, and what isolation costs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import isolation
from honesty_record import GROUPS, Found, HonestyRecord
from naive_trial import NaiveTrial

from assay.data.settings import Level, Settings, Track
from assay.pipeline import evaluate_many
from corpus_case import CorpusCase, SharedExam, cases

TIMEOUT_S = 60.0


def main() -> int:
    flags = parsed_flags()
    record = HonestyRecord(flags.record)
    chosen = shard([case for case in cases() if case.group in flags.groups], flags.shard)
    for number in range(flags.passes):
        for members in by_task(chosen):
            left = [case for case in members if not record.has(number, full_name(case))]
            if left:
                judge(left, number, Level(flags.level), record)
    if not flags.no_naive:
        check_naively([case for case in chosen if not record.has(None, full_name(case))], record)
    print("\n".join(record.table(chosen)))
    print(isolation.measure().line())
    return 0 if record.all_as_asked(chosen) else 1


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--record", type=Path, default=Path("out/honesty.jsonl"))
    parser.add_argument("--level", choices=[level.value for level in Level], default="quick")
    parser.add_argument("--shard", default="0/1", help="every n-th task, beginning with the k-th")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--no-naive", action="store_true", help="leave the naive check out")
    return parser.parse_args()


def full_name(case: CorpusCase) -> str:
    return f"{case.task}/{case.name}"


def by_task(chosen: Iterable[CorpusCase]) -> list[list[CorpusCase]]:
    """Cases that share one exam."""
    groups: dict[SharedExam, list[CorpusCase]] = defaultdict(list)
    for case in chosen:
        groups[case.exam].append(case)
    return list(groups.values())


def shard(chosen: list[CorpusCase], text: str) -> list[CorpusCase]:
    first, every = map(int, text.split("/"))
    return [case for members in by_task(chosen)[first::every] for case in members]


def judge(members: list[CorpusCase], number: int, level: Level, record: HonestyRecord) -> None:
    """One exam of one task, drawn anew, and its candidates."""
    track = Track(members[0].track)
    settings = Settings(
        level=max(level, Level(members[0].level), key=list(Level).index),
        track=track,
        timing=members[0].timed,
        timeout_s=TIMEOUT_S,
        allow_packages=members[0].allow_packages,
    )
    paths = [case.path for case in members]
    judged = evaluate_many(members[0].task_source, paths, settings)
    for case, one in zip(members, judged, strict=True):
        verdict, good = one.verdict, case.is_answered_by(one.verdict)
        found = Found(full_name(case), verdict.status.value, good, number)
        record.add(found, case.label, verdict.elapsed_s)
        if not good:
            print(f"pass {number}: {full_name(case)} ({case.label}): {verdict.status}")
            print(f"    {verdict.reason[:200]}", flush=True)


def check_naively(left: list[CorpusCase], record: HonestyRecord) -> None:
    """It knows no secret: once is enough."""
    if not left:
        return
    with NaiveTrial(expected=len(left)) as trial:
        for case in left:
            start = time.monotonic()
            accepted = trial.accepts(case)
            status = "accepted" if accepted else "refused"
            found = Found(full_name(case), status, accepted == (case.label == "honest"))
            record.add(found, case.label, time.monotonic() - start)


if __name__ == "__main__":
    sys.exit(main())
