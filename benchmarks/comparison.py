"""Offline generators compared on native tasks: from candidates to scores, a report and a page.

    python benchmarks/comparison.py candidates   writes OUT/candidates.jsonl
    python benchmarks/comparison.py judge        judges and times them; wants a quiet machine
    python benchmarks/comparison.py kernels      judges them again on the track `kernel`, untimed
    python benchmarks/comparison.py record       scores, compares, writes --record and the report
    python benchmarks/comparison.py page         writes docs/comparison.md from --record

A command without a step does all of them. `--device cuda` compares what the generators have for a
GPU. Judging is resumable, as `assay run` is.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from comparison_candidates import (
    GENERATORS,
    ROOT,
    TASKS,
    Missing,
    check_generators,
    line_of,
    made,
)
from comparison_page import page
from stored_verdicts import stored_verdicts

from assay.data.verdict import Verdict
from assay.errors import UsageError

ASSAY = str(Path(sys.executable).parent / "assay")
PAGE = ROOT / "docs/comparison.md"
STEPS = ("candidates", "judge", "kernels", "record", "page")


def main() -> int:
    flags = parsed_flags()
    try:
        check_generators(flags.generators, flags.device)
    except UsageError as error:
        print(f"comparison: {error}", file=sys.stderr)
        return 2
    flags.out.mkdir(parents=True, exist_ok=True)
    for step in [flags.step] if flags.step else STEPS:
        globals()[f"do_{step}"](flags)
    return 0


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", nargs="?", choices=STEPS)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--generators", nargs="+", default=list(GENERATORS))
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--time-shapes", action="store_true", default=True)
    parser.add_argument("--no-time-shapes", dest="time_shapes", action="store_false")
    parser.add_argument(
        "--untimed", action="store_true", help="record the run on the track `kernel` alone"
    )
    parser.add_argument("--out", type=Path, default=Path("out/comparison"))
    parser.add_argument(
        "--record", type=Path, default=ROOT / "benchmarks/results/comparison_cpu.json"
    )
    return parser.parse_args()


def do_candidates(flags: argparse.Namespace) -> None:
    """Ask every generator for every task."""
    samples: Counter[tuple[str, str]] = Counter()
    lines, missing = [], []
    for one in made(flags.generators, flags.tasks):
        if isinstance(one, Missing):
            missing.append(asdict(one))
            print(f"{one.task}: {one.generator} has none: {one.reason}", flush=True)
            continue
        task, candidate = one
        by = candidate.provenance.generator
        key = (task.id, by.name if by else "")
        lines.append(line_of(task, candidate, samples[key]))
        samples[key] += 1
        print(f"{task.id}: {candidate.name}", flush=True)
    lines.sort(key=lambda line: json.loads(line)["sample"])  # first samples are judged first
    (flags.out / "candidates.jsonl").write_text("\n".join(lines) + "\n")
    (flags.out / "missing.json").write_text(json.dumps(missing))


def do_judge(flags: argparse.Namespace) -> None:
    """Judged on the track `open`, where every generator may be accepted, and timed."""
    start, load = time.monotonic(), [os.getloadavg()[0]]
    shapes = ["--time-shapes"] if flags.time_shapes else []
    judge(flags, "open", "--timing", *shapes)
    load.append(os.getloadavg()[0])
    told = {"seconds": round(time.monotonic() - start), "load": load, "shapes": flags.time_shapes}
    (flags.out / "timed.json").write_text(json.dumps(told))


def do_kernels(flags: argparse.Namespace) -> None:
    """The same candidates where only kernels of their own count."""
    judge(flags, "kernel", "--no-timing")


def judge(flags: argparse.Namespace, track: str, *more: str) -> None:
    command = [ASSAY, "run", "native", "--candidates", str(flags.out / "candidates.jsonl")]
    command += ["--out", str(flags.out / track), "--device", flags.device, "--track", track]
    command += ["--level", "quick", "--jobs", "1", *more]
    ended = subprocess.run(command, check=False).returncode
    if ended not in (0, 1):  # 1: a candidate was not accepted
        raise SystemExit(f"{' '.join(command)} ended with {ended}")


def do_record(flags: argparse.Namespace) -> None:
    """Everything that the commands say about the runs, in one file."""
    kernels = str(flags.out / "kernel")
    timed = kernels if flags.untimed else str(flags.out / "open")
    verdicts = [verdict for _, verdict in stored_verdicts(timed)]
    lines = (flags.out / "candidates.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    found = {
        "device": flags.device,
        "tasks": flags.tasks,
        "generators": flags.generators,
        "timed": None if flags.untimed else json.loads((flags.out / "timed.json").read_text()),
        "environment": verdicts[0].environment.model_dump(mode="json"),
        "candidates": [{k: v for k, v in one.items() if k != "source"} for one in told],
        "missing": json.loads((flags.out / "missing.json").read_text()),
        "verdicts": [short(one) for one in verdicts],
        "kernel_verdicts": [
            short(one)
            for entry, one in stored_verdicts(kernels)
            if entry.candidate.name in {line["name"] for line in told}
        ],
        "sheets": [without_curves(one) for one in lines_of("score", timed, "--attempted-only")],
        "leaderboard": lines_of("leaderboard", timed, "--attempted-only"),
        "analysis": lines_of("analyse", timed)[0],
        "comparisons": compared(timed, flags.generators),
    }
    flags.record.write_text(json.dumps(found, indent=1) + "\n")
    subprocess.run([ASSAY, "report", timed, "-o", str(flags.out / "report.html")], check=True)


def lines_of(*command: str) -> list[dict[str, Any]]:
    """What a command prints with --json."""
    ended = subprocess.run(
        [ASSAY, *command, "--json"], check=True, stdout=subprocess.PIPE, text=True
    )
    return [json.loads(line) for line in ended.stdout.splitlines()]


def short(found: Verdict) -> dict[str, Any]:
    """What the page shows of a verdict."""
    verdict = found.model_dump(mode="json")
    names = "task candidate status correct honest reason coverage timing timing_reason shape_times"
    kept = {name: verdict.get(name) for name in names.split()}
    heavy = [one for one in verdict["evidence"] if one["severity"] != "note"]
    return {**kept, "evidence": [f"{one['kind']}: {one['text']}" for one in heavy]}


def without_curves(sheet: dict[str, Any]) -> dict[str, Any]:
    """Dense curves stay in the runs; candidates are listed beside."""
    scores = list(sheet["scores"])
    for one in scores:
        if len(one["parts"]) > 20:
            one["parts"] = {}
    return {**sheet, "scores": scores}


def compared(run: str, generators: list[str]) -> list[dict[str, Any]]:
    """Every pair of generators."""
    pairs = itertools.combinations(generators, 2)
    return [
        lines_of("compare", run, "--generator", one, "--generator", other)[0]
        for one, other in pairs
    ]


def do_page(flags: argparse.Namespace) -> None:
    PAGE.write_text(page(json.loads(flags.record.read_text())))


if __name__ == "__main__":
    sys.exit(main())
