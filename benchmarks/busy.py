"""Corpus cases judged beside a stress program, or beside each other: which change their status?

    python benchmarks/busy.py [--cases 120] [--stress 2] [--jobs 1] [--record out/busy.jsonl]
    python benchmarks/busy.py --cases 2000 --slow --stress 0 --jobs 2 --time-every 0

One `Judge` has them all, `--jobs` at a time; a case that needs more threads than each then has is
left out. A few chosen cases already cover every family. Cases
whose reason is a clock are timed, and so is every sixth of the others (`--time-every`). Spinning
processes, `--stress` for every processor, run all the while and end with the benchmark. Resumable:
finished cases are kept. Prints every case whose verdict is not what its folder asks for.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import Future, as_completed
from itertools import zip_longest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from assay.data.run import Judgement
from assay.data.settings import Level, Track
from assay.data.verdict import Verdict
from assay.engine.judge import Judge
from corpus_case import CorpusCase, cases

TIMEOUT_S = 120.0
SPIN = "while True: pass"


def main() -> int:
    flags = parsed_flags()
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    done = read(flags.record)
    threads = max(1, (os.cpu_count() or 1) // flags.jobs)
    picked = [
        case
        for case in chosen(flags.cases, flags.slow)
        if case.threads <= threads and (not flags.labels or case.label in flags.labels)
    ]
    with stressed(flags.stress * (os.cpu_count() or 1)), Judge(jobs=flags.jobs) as judge:
        asked = {
            submitted(judge, case, timed): (case, timed)
            for number, case in enumerate(picked)
            if case.full_name not in done
            for timed in [is_timed(case, number, flags.time_every)]
        }
        for future in as_completed(asked):
            found = finding(*asked.pop(future), future.result().verdict)
            done[found["case"]] = found
            append(flags.record, found)
    print("\n".join(table([done[case.full_name] for case in picked])))
    return 0 if all(done[case.full_name]["as_asked"] for case in picked) else 1


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--stress", type=int, default=2, help="spinning processes a processor")
    parser.add_argument("--jobs", type=int, default=1, help="cases judged at a time")
    parser.add_argument("--labels", nargs="+", help="only cases of these labels")
    parser.add_argument("--slow", action="store_true", help="those that take a minute too")
    parser.add_argument("--time-every", type=int, default=6, help="every n-th case; 0: none more")
    parser.add_argument("--record", type=Path, default=Path("out/busy.jsonl"))
    return parser.parse_args()


def chosen(count: int, slow: bool) -> list[CorpusCase]:
    """In turns from each label and family, so that a few already cover all of them."""
    groups: dict[tuple[str, str], list[CorpusCase]] = defaultdict(list)
    for case in cases():
        if slow or not case.slow:
            groups[case.label, case.family].append(case)
    in_turns = [case for row in zip_longest(*groups.values()) for case in row if case is not None]
    return in_turns[:count]


@contextlib.contextmanager
def stressed(processes: int) -> Iterator[None]:
    """So many processes that only compute."""
    command = [sys.executable, "-c", SPIN]
    spinning = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def is_timed(case: CorpusCase, number: int, every: int) -> bool:
    return case.timed or "clock" in case.kinds or (bool(every) and number % every == 0)


def submitted(judge: Judge, case: CorpusCase, timed: bool) -> Future[Judgement]:
    return judge.submit(
        case.task_source,
        case.candidate,
        level=Level(case.level),
        track=Track(case.track),
        timing=timed,
        allow_packages=case.allow_packages,
        timeout_s=TIMEOUT_S,
    )


def finding(case: CorpusCase, timed: bool, verdict: Verdict) -> dict[str, Any]:
    """One case; what differs from its folder is printed at once."""
    found = {
        "case": case.full_name,
        "label": case.label,
        "family": case.family,
        "timed": timed,
        "status": verdict.status.value,
        "asked": list(case.statuses),
        "as_asked": case.is_answered_by(verdict),
        "reason": verdict.reason,
        "timing_reason": verdict.timing_reason,
        "seconds": round(verdict.elapsed_s, 1),
    }
    print(
        f"{'' if found['as_asked'] else 'CHANGED '}{case.full_name}: {found['status']}", flush=True
    )
    return found


def read(path: Path) -> dict[str, dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return {one["case"]: one for one in map(json.loads, lines)}


def append(path: Path, found: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(found) + "\n")


def table(found: list[dict[str, Any]]) -> list[str]:
    """By label and family, and every case that is not as asked."""
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in found:
        counts[one["label"], one["family"]].append(one["as_asked"])
    rows = [f"{a:8} {b:16} {sum(c):3} of {len(c)}" for (a, b), c in sorted(counts.items())]
    changed = [f"{one['case']}: {one['status']} ({one['reason']})" for one in found]
    kept = [text for text, one in zip(changed, found, strict=True) if not one["as_asked"]]
    total = f"{sum(one['as_asked'] for one in found)} of {len(found)} keep their verdict"
    return ["", *rows, total, *kept]


if __name__ == "__main__":
    sys.exit(main())
