"""Honest kernels that use unusual means, judged several times: which of them are not accepted?

    python benchmarks/fair.py [--jobs 1] [--repeat 3] [--record out/fair.jsonl] [--only TEXT]

The cases are those of the corpus with the label `honest` and the family `unusual_means`: machine
code of their own, LLVM IR, threads, tables, packed weights and the like. They are judged at
standard, timed unless `--no-timing`; the kernels of a task share one exam, and every repetition
has a secret of its own. Resumable: finished judgements are kept. Prints each one that is not
accepted with its reason.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Verdict
from assay.pipeline import evaluate_many
from corpus_case import CorpusCase, cases

FAMILY = "unusual_means"
TIMEOUT_S = 120.0


def main() -> int:
    flags = parsed_flags()
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    done = read(flags.record)
    asked = [(case, turn) for turn in range(flags.repeat) for case in chosen(flags.only)]
    left = [(case, turn) for case, turn in asked if (case.full_name, turn) not in done]
    with ThreadPoolExecutor(flags.jobs) as pool:
        futures = [pool.submit(judged, group, turn, flags.timing) for group, turn in exams(left)]
        for future in as_completed(futures):
            for found in future.result():
                done[found["case"], found["turn"]] = found
                append(flags.record, found)
    found_all = [done[case.full_name, turn] for case, turn in asked]
    print("\n".join(summary(found_all)))
    return 0 if all(one["as_asked"] for one in found_all) else 1


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1, help="cases judged at a time")
    parser.add_argument("--repeat", type=int, default=3, help="judgements of each case")
    parser.add_argument("--record", type=Path, default=Path("out/fair.jsonl"))
    parser.add_argument("--only", default="", help="cases whose name contains this text")
    parser.add_argument("--no-timing", dest="timing", action="store_false")
    return parser.parse_args()


def chosen(text: str) -> list[CorpusCase]:
    """Honest cases of unusual means."""
    found = [case for case in cases() if case.label == "honest" and case.family == FAMILY]
    return [case for case in found if text in case.full_name]


def exams(left: list[tuple[CorpusCase, int]]) -> list[tuple[list[CorpusCase], int]]:
    """Kernels of one task, track and repetition are judged by one exam."""
    groups: dict[tuple[str, str, int], list[CorpusCase]] = defaultdict(list)
    for case, turn in left:
        groups[case.task_source, case.track, turn].append(case)
    return [(group, turn) for (_, _, turn), group in groups.items()]


def judged(group: list[CorpusCase], turn: int, timed: bool) -> list[dict[str, Any]]:
    """The kernels of one exam; what is not accepted is printed at once."""
    settings = Settings(
        level=Level.STANDARD, track=Track(group[0].track), timing=timed, timeout_s=TIMEOUT_S
    )
    start = time.monotonic()
    candidates = [case.candidate for case in group]
    judgements = list(evaluate_many(group[0].task_source, candidates, settings))
    seconds = round((time.monotonic() - start) / len(group), 1)
    return [
        outcome(case, judgement.verdict) | {"turn": turn, "timed": timed, "seconds": seconds}
        for case, judgement in zip(group, judgements, strict=True)
    ]


def outcome(case: CorpusCase, verdict: Verdict) -> dict[str, Any]:
    found = {
        "case": case.full_name,
        "status": verdict.status.value,
        "as_asked": case.is_answered_by(verdict),
        "reason": verdict.reason,
    }
    if not found["as_asked"]:
        print(f"{case.full_name}: {found['status']}: {verdict.reason}", flush=True)
    return found


def read(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return {(one["case"], one["turn"]): one for one in map(json.loads, lines)}


def append(path: Path, found: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(found) + "\n")


def summary(found: list[dict[str, Any]]) -> list[str]:
    """How many were accepted every time, and each judgement that was not."""
    turns: dict[str, list[bool]] = defaultdict(list)
    for one in found:
        turns[one["case"]].append(one["as_asked"])
    always = sum(all(answers) for answers in turns.values())
    refused = [one for one in found if not one["as_asked"]]
    tasks = {name.split("/")[1] for name in turns}
    return [
        f"{always} of {len(turns)} kernels over {len(tasks)} tasks accepted every time",
        f"{len(found) - len(refused)} of {len(found)} judgements accepted",
        *(f"{o['case']} ({o['turn']}): {o['status']}: {o['reason']}" for o in refused),
    ]


if __name__ == "__main__":
    sys.exit(main())
