"""Corpus cases judged beside a stress program: which of them change their status?

    python benchmarks/busy.py [--cases 120] [--stress 2] [--jobs 1] [--record out/busy.jsonl]

The chosen cases cover every family. Cases whose reason is a clock are timed, and so is every sixth
of the others. Spinning processes, `--stress` for every processor, run all the while and end with
the benchmark. Resumable: finished cases are kept. Prints every case whose verdict is not what its
folder asks for.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import zip_longest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from assay.data.settings import Level, Settings, Track
from assay.pipeline import evaluate_many
from corpus_case import CorpusCase, cases

TIMEOUT_S = 120.0
TIMED_EVERY = 6
SPIN = "while True: pass"


def main() -> int:
    flags = parsed_flags()
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    done = read(flags.record)
    picked = chosen(flags.cases)
    with stressed(flags.stress * (os.cpu_count() or 1)):
        left = [(case, n) for n, case in enumerate(picked) if case.full_name not in done]
        with ThreadPoolExecutor(flags.jobs) as pool:
            for future in as_completed([pool.submit(judged, *one) for one in left]):
                found = future.result()
                done[found["case"]] = found
                append(flags.record, found)
    print("\n".join(table([done[case.full_name] for case in picked])))
    return 0 if all(done[case.full_name]["as_asked"] for case in picked) else 1


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--stress", type=int, default=2, help="spinning processes a processor")
    parser.add_argument("--jobs", type=int, default=1, help="cases judged at a time")
    parser.add_argument("--record", type=Path, default=Path("out/busy.jsonl"))
    return parser.parse_args()


def chosen(count: int) -> list[CorpusCase]:
    """In turns from each label and family, so that a few already cover all of them."""
    groups: dict[tuple[str, str], list[CorpusCase]] = defaultdict(list)
    for case in cases():
        if not case.slow:
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


def judged(case: CorpusCase, number: int) -> dict[str, Any]:
    """One case; what differs from its folder is printed at once."""
    timed = case.timed or "clock" in case.kinds or number % TIMED_EVERY == 0
    settings = Settings(
        level=Level(case.level), track=Track(case.track), timing=timed, timeout_s=TIMEOUT_S
    )
    start = time.monotonic()
    (judgement,) = evaluate_many(case.task_source, [case.candidate], settings)
    verdict = judgement.verdict
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
        "seconds": round(time.monotonic() - start, 1),
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
