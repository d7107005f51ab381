"""No false refusal: honest kernels and references judged again and again with different secrets.

    python benchmarks/refusals.py [--rounds 5] [--full 40] [--suite native] [--tasks softmax ...]

Every round draws a new exam for each task, at `standard`; so many more evaluations follow at
`full`. `--rounds 0 --standard 300` judges so many at `standard`, taken from all tasks in turn.
Precision mutants take part in rounds and must exceed twice the budget. Resumable: the record keeps
every evaluation. `--shard 0/2` and `--shard 1/2` share the work, each with a record of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from refusal_entrants import Entrant, Suite, entrants, spread
from refusal_record import RefusalRecord, evaluation

from assay.data.settings import Level, Settings, Track
from assay.pipeline import evaluate_many

Exam = tuple[str, Track]


def main() -> int:
    flags = parsed_flags()
    record = RefusalRecord(flags.record)
    everyone = [e for e in entrants(Suite(flags.suite)) if named(e, flags.tasks)]
    for number in range(flags.rounds):
        run_round(shard(everyone, flags.shard), number, Level.STANDARD, record)
    run_round(shard(spread(everyone, flags.standard), flags.shard), 0, Level.STANDARD, record)
    run_round(shard(spread(everyone, flags.full), flags.shard), 0, Level.FULL, record)
    print("\n".join(record.summary()))
    return 0 if record.clean else 1


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--standard", type=int, default=0, help="evaluations beside the rounds")
    parser.add_argument("--full", type=int, default=40, help="evaluations at the level full")
    parser.add_argument("--suite", choices=[suite.value for suite in Suite], default="native")
    parser.add_argument("--tasks", nargs="*", default=[], help="only candidates of these folders")
    parser.add_argument("--record", type=Path, default=Path("out/refusals.jsonl"))
    parser.add_argument("--shard", default="0/1", help="every n-th exam, beginning with the k-th")
    return parser.parse_args()


def named(entrant: Entrant, tasks: list[str]) -> bool:
    return not tasks or entrant.name.split("/")[0] in tasks


def by_exam(chosen: list[Entrant]) -> dict[Exam, list[Entrant]]:
    groups: dict[Exam, list[Entrant]] = defaultdict(list)
    for entrant in chosen:
        groups[entrant.task, entrant.track].append(entrant)
    return groups


def shard(chosen: list[Entrant], text: str) -> list[Entrant]:
    first, every = map(int, text.split("/"))
    return [one for group in list(by_exam(chosen).values())[first::every] for one in group]


def run_round(chosen: list[Entrant], number: int, level: Level, record: RefusalRecord) -> None:
    """One exam with a secret of its own for each task and track."""
    left = [one for one in chosen if not record.has(level, number, one)]
    for (task, track), members in by_exam(left).items():
        settings = Settings(level=level, track=track, timing=False)
        judged = evaluate_many(task, [one.candidate for one in members], settings)
        for entrant, one in zip(members, judged, strict=True):
            found = evaluation(entrant, number, one.verdict)
            record.add(found)
            if found.refused or found.close:
                print(found.line(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
