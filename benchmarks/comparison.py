"""Offline generators compared on native tasks: from candidates to scores, a report and a page.

    python benchmarks/comparison.py candidates   writes OUT/candidates.jsonl
    python benchmarks/comparison.py judge        judges and times them; wants a quiet machine
    python benchmarks/comparison.py kernels      judges them again on the track `kernel`, untimed
    python benchmarks/comparison.py record       scores, compares, writes --record and the report
    python benchmarks/comparison.py page         writes docs/comparison.md from --record

    python benchmarks/comparison.py rejudged     puts the verdicts of `kernels` into --record

A command without a step does the first five. `--device cuda` compares what the generators have for
a GPU, on as many native tasks as `--most-tasks` says. With `--stop-after-s` each step ends in time
for the next, and the record holds what was judged until then. All steps go on where they were
stopped. On a GPU:

    python benchmarks/comparison.py --device cuda --stop-after-s 190
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from comparison_candidates import (
    GENERATORS,
    ROOT,
    TASKS,
    Missing,
    check_generators,
    gpu_tasks,
    line_of,
    made,
)
from comparison_page import page
from stored_verdicts import stored_verdicts

from assay.data.verdict import Verdict
from assay.errors import UsageError
from assay.tasks.catalog import resolve

ASSAY = str(Path(sys.executable).parent / "assay")
PAGE = ROOT / "docs/comparison.md"
RESULTS = ROOT / "benchmarks/results"
RECORDS = {"cpu": RESULTS / "comparison_cpu.json", "cuda": RESULTS / "comparison_h200.json"}
# Each step, and the share of --stop-after-s that is over when it ends at the latest.
STEPS = {"candidates": 0.25, "judge": 0.72, "kernels": 0.9, "record": 1.0, "page": 1.0}
STOP_S = 20.0  # that a run which is told to stop has for it


def main() -> int:
    flags = parsed_flags()
    try:
        check_generators(flags.generators, flags.device)
    except UsageError as error:
        print(f"comparison: {error}", file=sys.stderr)
        return 2
    flags.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    for step, share in {flags.step: 1.0}.items() if flags.step else STEPS.items():
        flags.until = began + share * flags.stop_after_s
        globals()[f"do_{step}"](flags)
        print(f"{step}: {time.monotonic() - began:.0f} s since the beginning", flush=True)
    return 0


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", nargs="?", choices=(*STEPS, "rejudged"))
    parser.add_argument("--device", choices=GENERATORS, default="cpu")
    parser.add_argument("--generators", nargs="+", help="by default all that the device has")
    parser.add_argument("--tasks", nargs="+", help="by default seven; on a GPU --most-tasks")
    parser.add_argument("--most-tasks", type=int, default=16)
    parser.add_argument("--level", default="quick")
    parser.add_argument("--jobs", type=int, help="at a time; by default 1, and 8 on a GPU")
    parser.add_argument("--stop-after-s", type=float, default=1e6)
    parser.add_argument("--time-shapes", action="store_true", default=None)
    parser.add_argument("--no-time-shapes", dest="time_shapes", action="store_false")
    parser.add_argument(
        "--untimed", action="store_true", help="record the run on the track `kernel` alone"
    )
    parser.add_argument("--out", type=Path, help="by default out/comparison_DEVICE")
    parser.add_argument("--record", type=Path, help="by default that of the device")
    flags = parser.parse_args()
    on_gpu = flags.device != "cpu"
    flags.generators = flags.generators or list(GENERATORS[flags.device])
    flags.tasks = flags.tasks or (gpu_tasks(flags.most_tasks) if on_gpu else list(TASKS))
    flags.jobs = flags.jobs or (8 if on_gpu else 1)
    flags.time_shapes = not on_gpu if flags.time_shapes is None else flags.time_shapes
    flags.out = flags.out or Path(f"out/comparison_{flags.device}")
    flags.record = flags.record or RECORDS[flags.device]
    return flags


class MadeCandidates:
    """OUT/candidates.jsonl and OUT/missing.json, written after every answer."""

    def __init__(self, out: Path) -> None:
        self._lines, self._missing = out / "candidates.jsonl", out / "missing.json"
        self._adding = threading.Lock()
        self.lines = _json_lines(self._lines)
        self.missing = json.loads(self._missing.read_text()) if self._missing.exists() else []

    def has(self, task: str, generator: str) -> bool:
        """Whether the generator was asked for the task."""
        told = [(one["task"], one["generator"]) for one in (*self.lines, *self.missing)]
        return (task, generator) in told

    def add(self, task: str, generator: str, device: str) -> None:
        """Ask the generator."""
        found = list(made(resolve(task), generator, device))
        with self._adding:
            for one in found:
                if isinstance(one, Missing):
                    self.missing.append(asdict(one))
                    print(f"{task}: {generator} has none: {one.reason}", flush=True)
                    continue
                samples = Counter((line["task"], line["generator"]) for line in self.lines)
                line = json.loads(line_of(*one, samples[task, generator]))
                self.lines.append(line)
                print(f"{task}: {line['name']}", flush=True)
            self._write()

    def _write(self) -> None:
        """First samples are judged first."""
        lines = sorted(self.lines, key=lambda line: line["sample"])
        self._lines.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self._missing.write_text(json.dumps(self.missing))


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(one) for one in path.read_text().splitlines()] if path.exists() else []


def do_candidates(flags: argparse.Namespace) -> None:
    """Ask every generator for every task, as far as the time goes."""
    kept = MadeCandidates(flags.out)
    pairs = [(task, name) for task in flags.tasks for name in flags.generators]

    def ask(pair: tuple[str, str]) -> None:
        if not kept.has(*pair) and time.monotonic() < flags.until:
            kept.add(*pair, flags.device)

    with ThreadPoolExecutor(flags.jobs) as pool:
        list(pool.map(ask, pairs))


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
    """Until the end, or until the time is over: what is judged by then is stored."""
    command = [ASSAY, "run", "native", "--candidates", str(flags.out / "candidates.jsonl")]
    command += ["--out", str(flags.out / track), "--device", flags.device, "--track", track]
    command += ["--level", flags.level, "--jobs", str(flags.jobs), *more]
    with subprocess.Popen(command) as run:
        try:
            ended = run.wait(max(1.0, flags.until - time.monotonic()))
        except subprocess.TimeoutExpired:
            print(f"the time of this step is up: the run on {track} is stopped", flush=True)
            run.send_signal(signal.SIGINT)
            try:
                run.wait(STOP_S)
            except subprocess.TimeoutExpired:
                run.kill()
            return
    if ended not in (0, 1):  # 1: a candidate was not accepted
        raise SystemExit(f"{' '.join(command)} ended with {ended}")


def do_record(flags: argparse.Namespace) -> None:
    """Everything that the commands say about the runs, in one file."""
    kernels = str(flags.out / "kernel")
    timed = kernels if flags.untimed else str(flags.out / "open")
    verdicts = [verdict for _, verdict in stored_verdicts(timed)]
    if not verdicts:
        raise SystemExit("nothing was judged yet: the same command goes on")
    judged = {one.candidate for one in verdicts}
    lines = _json_lines(flags.out / "candidates.jsonl")
    told = [one for one in lines if one["name"] in judged]
    with ThreadPoolExecutor(4) as pool:
        sheets = pool.submit(lines_of, "score", timed, "--attempted-only")
        board = pool.submit(lines_of, "leaderboard", timed, "--attempted-only")
        analysis = pool.submit(lines_of, "analyse", timed)
        report = [ASSAY, "report", timed, "-o", str(flags.out / "report.html")]
        made_report = pool.submit(subprocess.run, report, check=True)
        pairs = list(itertools.combinations({one["generator"]: 0 for one in told}, 2))
        compared = list(pool.map(lambda pair: comparison(timed, *pair), pairs))
        made_report.result()
    found = {
        "date": today(),
        "kernels_judged": today(),
        "device": flags.device,
        "level": flags.level,
        "tasks": [task for task in flags.tasks if task in {one["task"] for one in told}],
        "not_reached": [t for t in flags.tasks if t not in {one["task"] for one in told}],
        "generators": flags.generators,
        "timed": None if flags.untimed else told_of_time(flags),
        "environment": verdicts[0].environment.model_dump(mode="json"),
        "candidates": [{k: v for k, v in one.items() if k != "source"} for one in told],
        "missing": json.loads((flags.out / "missing.json").read_text()),
        "unjudged": [one["name"] for one in lines if one["name"] not in judged],
        "verdicts": [short(one) for one in verdicts],
        "kernel_verdicts": kernel_verdicts(kernels, told),
        "sheets": [without_curves(one) for one in sheets.result()],
        "leaderboard": board.result(),
        "analysis": analysis.result()[0],
        "comparisons": compared,
    }
    flags.record.write_text(json.dumps(found, indent=1) + "\n")


def told_of_time(flags: argparse.Namespace) -> dict[str, Any]:
    """What the timed run said when it ended; one that was ended from outside said nothing."""
    told = flags.out / "timed.json"
    unsaid = {"seconds": None, "load": None, "shapes": flags.time_shapes}
    found: dict[str, Any] = json.loads(told.read_text()) if told.exists() else unsaid
    return found


def do_rejudged(flags: argparse.Namespace) -> None:
    """The verdicts on the track `kernel` alone are replaced; times stay as they were."""
    record = json.loads(flags.record.read_text())
    found = kernel_verdicts(str(flags.out / "kernel"), record["candidates"])
    left = {one["name"] for one in record["candidates"]} - {one["candidate"] for one in found}
    if left:
        raise SystemExit(f"not judged on the track kernel: {', '.join(sorted(left))}")
    record |= {"kernel_verdicts": found, "kernels_judged": today()}
    flags.record.write_text(json.dumps(record, indent=1) + "\n")


def kernel_verdicts(place: str, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the candidates that are told of; none where nothing was judged on that track."""
    if not Path(place).exists():
        return []
    names = {line["name"] for line in told}
    found = stored_verdicts(place)
    return [short(one) for entry, one in found if entry.candidate.name in names]


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


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


def comparison(run: str, one: str, other: str) -> dict[str, Any]:
    """What is said of two generators."""
    return lines_of("compare", run, "--generator", one, "--generator", other)[0]


def do_page(flags: argparse.Namespace) -> None:
    """From the record of the CPU, and that of the GPU where there is one."""
    found = [json.loads(one.read_text()) for one in RECORDS.values() if one.exists()]
    PAGE.write_text(page(*found))


if __name__ == "__main__":
    sys.exit(main())
