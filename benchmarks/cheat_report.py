"""A sample of the adversarial corpus as one report: does it show who cheated, how, and where?

    python benchmarks/cheat_report.py [--count 40] [--seed 7] [--out out/cheats]

Takes cases of every family, of native tasks and the track `kernel`, judges them with `assay run` at
level quick without timing, and writes OUT/report.html. Prints each cheat that names no line of its
source, and each verdict that is not as its case asks.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from stored_verdicts import stored_verdicts

from assay.data.evidence import OF_HONESTY, Severity
from assay.data.verdict import Verdict
from corpus_case import CorpusCase, cases

ASSAY = str(Path(sys.executable).parent / "assay")


def main() -> int:
    flags = parsed_flags()
    flags.out.mkdir(parents=True, exist_ok=True)
    chosen = sample(flags.count, flags.seed)
    lines = [json.dumps(fields_of(case)) for case in chosen]
    (flags.out / "candidates.jsonl").write_text("\n".join(lines) + "\n")
    run = str(flags.out / "run")
    command = [ASSAY, "run", "native", "--candidates", str(flags.out / "candidates.jsonl")]
    subprocess.run([*command, "--out", run, "--level", "quick", "--no-timing"], check=False)
    verdicts = [verdict for _, verdict in stored_verdicts(run)]
    subprocess.run([ASSAY, "report", run, "-o", str(flags.out / "report.html")], check=True)
    print("\n".join(findings(chosen, verdicts)))
    return 0


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=Path("out/cheats"))
    return parser.parse_args()


def sample(count: int, seed: int) -> list[CorpusCase]:
    """Family after family, one case each, until there are enough."""
    families: dict[str, list[CorpusCase]] = defaultdict(list)
    for case in cases():
        native = case.task_source == case.task and case.candidate == case.path
        if native and case.exam[1:] == ("kernel", (), False, "quick", 0) and not case.slow:
            families[case.family].append(case)
    random.Random(seed).shuffle(
        every := [random.Random(seed).sample(f, len(f)) for f in families.values()]
    )
    rounds = (family[turn] for turn in range(count) for family in every if turn < len(family))
    return sorted(list(dict.fromkeys(rounds))[:count], key=lambda case: (case.task, case.name))


def fields_of(case: CorpusCase) -> dict[str, str]:
    """Its label is its generator, so that the report counts by label."""
    source = case.path.read_text(encoding="utf-8")
    name = f"{case.task}/{case.name}.py"
    return {"task": case.task, "name": name, "generator": case.label, "source": source}


def findings(chosen: list[CorpusCase], verdicts: list[Verdict]) -> list[str]:
    """What a reader of the report would miss, and what was judged otherwise than asked."""
    by_name = {f"{case.task}/{case.name}.py": case for case in chosen}
    found = []
    for one in verdicts:
        if not by_name[one.candidate].is_answered_by(one):
            found.append(f"not as asked: {one.candidate}: {one.status.value}: {one.reason}")
        heavy = [
            e for e in one.evidence if e.severity is Severity.CONVICTS and e.kind in OF_HONESTY
        ]
        if one.honest.value == "no" and not any(e.where.startswith(one.candidate) for e in heavy):
            found.append(f"no line: {one.candidate}: {', '.join(e.kind.value for e in heavy)}")
    return [*found, f"{len(verdicts)} verdicts"]


if __name__ == "__main__":
    sys.exit(main())
