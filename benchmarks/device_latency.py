"""How long a whole verdict takes on a GPU: honest Triton kernels of its corpus, thrice each.

    python benchmarks/device_latency.py [--level standard] [--device cuda] [--again 2]
        [--record out/device_latency.jsonl] [--tasks softmax ...] [--most 1]

Correctness and timing included. The first verdict raises the wall, draws the exam and compiles; the
next ones of the same call are warm. One line a kernel, with the machine; the record begins anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from assay.data.progress import Progress
from assay.data.settings import Level, Settings, Track
from assay.languages.candidate_file import load_candidate
from assay.pipeline import evaluate_many
from corpus_case import CUDA_CORPUS, CorpusCase, cases


def triton_kernels(names: list[str]) -> list[CorpusCase]:
    """Honest ones, of the tasks that are named or of all."""
    honest = [case for case in cases(CUDA_CORPUS) if case.label == "honest"]
    chosen = [case for case in honest if not names or case.task in names]
    return [case for case in chosen if load_candidate(case.path).language == "triton"]


class Stages:
    """How long each stage of each verdict took."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._stage = (0, "start")
        self._seconds: dict[tuple[int, str], float] = {}

    def note(self, progress: Progress) -> None:
        """A stage has begun, or goes on."""
        self.end()
        self._stage = (progress.index, progress.stage)

    def end(self) -> None:
        """Nothing is under way."""
        now = time.monotonic()
        spent = self._seconds.get(self._stage, 0.0)
        self._seconds[self._stage] = spent + now - self._began
        self._began = now

    def of(self, index: int) -> dict[str, float]:
        """Seconds by stage of one verdict."""
        return {name: round(s, 2) for (i, name), s in self._seconds.items() if i == index}


def judged(case: CorpusCase, flags: argparse.Namespace) -> dict[str, Any]:
    """Seconds to each verdict of the same kernel, one after the other behind one wall."""
    settings = Settings(device=flags.device, level=flags.level, track=Track(case.track))
    paths = [str(case.path)] * (1 + flags.again)
    stages = Stages()
    began, seconds = time.monotonic(), []
    for result in evaluate_many(case.task_source, paths, settings, stages.note):
        seconds.append(round(time.monotonic() - began, 2))
        began = time.monotonic()
        verdict = result.verdict
        stages.end()
    device = verdict.environment.device
    return {
        "kernel": f"{case.task}/{case.name}",
        "level": flags.level.value,
        "status": verdict.status.value,
        "timed": bool(verdict.timing),
        "first_s": seconds[0],
        "warm_s": seconds[1:],
        "last_warm_s": stages.of(flags.again),
        "device": device.name,
        "driver": device.driver,
        "torch": verdict.environment.torch,
        "python": verdict.environment.python,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--level", type=Level, choices=list(Level), default=Level.STANDARD)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--again", type=int, default=2, help="warm verdicts of each kernel")
    parser.add_argument("--record", type=Path, default=Path("out/device_latency.jsonl"))
    parser.add_argument("--tasks", nargs="+", default=[])
    parser.add_argument("--most", type=int, help="kernels; without it all of the tasks")
    flags = parser.parse_args()
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    with flags.record.open("w") as file:
        for case in triton_kernels(flags.tasks)[: flags.most]:
            row = judged(case, flags)
            file.write(json.dumps(row) + "\n")
            file.flush()
            warm = ", ".join(f"{s:.2f}" for s in row["warm_s"])
            print(f"{row['kernel']:28} {row['status']}: {row['first_s']} s, then {warm} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
