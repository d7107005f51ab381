"""The whole corpus, several passes with different secrets. Resumable: finished cases are kept.

    python benchmarks/honesty.py [--passes 3] [--record out/honesty.jsonl] [--level quick]

Two processes can share a pass: `--shard 0/2` and `--shard 1/2`, each with a record of its own.
Prints every verdict that is not as its folder asks, and one line of figures per label at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from assay.data.settings import Level, Settings, Track
from assay.pipeline import evaluate_many
from corpus_case import CorpusCase, cases


def finished(record: Path) -> dict[tuple[int, str], bool]:
    if not record.exists():
        return {}
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    return {(line["pass"], line["case"]): line["as_asked"] for line in lines}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--record", type=Path, default=Path("out/honesty.jsonl"))
    parser.add_argument("--level", choices=[level.value for level in Level], default="quick")
    parser.add_argument("--shard", default="0/1", help="every n-th task, beginning with the k-th")
    parser.add_argument("--groups", nargs="+", default=["cheat", "honest", "numerics", "wrong"])
    flags = parser.parse_args()
    first, every = map(int, flags.shard.split("/"))
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    done = finished(flags.record)
    groups: dict[tuple[str, str], list[CorpusCase]] = defaultdict(list)
    for case in cases():
        if case.group in flags.groups:
            groups[case.task, case.track].append(case)
    chosen = dict(list(groups.items())[first::every])
    with flags.record.open("a") as record:
        for number in range(flags.passes):
            for (task, track), members in chosen.items():
                open_ = [c for c in members if (number, f"{task}/{c.name}") not in done]
                settings = Settings(
                    level=Level(flags.level), track=Track(track), timing=False, timeout_s=40.0
                )
                paths = [c.path for c in open_]
                judged = evaluate_many(open_[0].task_source, paths, settings) if open_ else []
                for case, one in zip(open_, judged, strict=True):
                    good, name = case.is_answered_by(one.verdict), f"{task}/{case.name}"
                    done[number, name] = good
                    line = {"pass": number, "case": name, "label": case.label, "as_asked": good}
                    line |= {"status": one.verdict.status.value, "s": one.verdict.elapsed_s}
                    record.write(json.dumps(line) + "\n")
                    record.flush()
                    if not good:
                        print(f"pass {number}: {name} ({case.label}): {one.verdict.status}")
                        print(f"    {one.verdict.reason[:200]}")
    return summary(done)


def summary(done: dict[tuple[int, str], bool]) -> int:
    labels = {f"{case.task}/{case.name}": case.group for case in cases()}
    right, total = Counter[str](), Counter[str]()
    for (_, name), good in done.items():
        total[labels.get(name, "gone")] += 1
        right[labels.get(name, "gone")] += good
    for label in sorted(total):
        print(f"{label}: {right[label]} of {total[label]} as asked")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
