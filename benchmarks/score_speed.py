"""How long scoring takes: synthetic verdicts, stored, read again and scored. The goal is 30 s.

    python benchmarks/score_speed.py [--count 10000] [--tasks 250]

It prints the seconds for writing, for reading and for all scores, and the same for the analysis.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from assay.app.scored.graded_runs import graded_runs
from assay.data.candidate import Candidate, Provenance, SourceFile
from assay.data.generator import Generator
from assay.data.run import Entry, Judgement, Run
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Coverage, Status
from assay.scores.analysis.run_analysis import run_analysis
from assay.scores.grouped import groups
from assay.scores.score_sheets import score_sheet
from assay.store.run_store import RunStore

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from sample_records import TIMING, verdict

GENERATORS = ("A", "B", "C", "D", "E")
STATUSES = (Status.ACCEPTED, Status.INCORRECT, Status.BUILD_FAILED, Status.DISHONEST)
SETTINGS = Settings()
RUN = Run(id="synthetic", suite="none", settings=SETTINGS, assay="0.1.0", started_at=0.0)


def judged(number: int, tasks: int, draw: random.Random) -> tuple[Entry, Judgement]:
    place = number % tasks
    task = Task(
        id=f"t{place}",
        format="native",
        source="x = f(1)\n" * (1 + place % 40),
        tags=(f"category:C{place % 15}", "kerneleval:fused"),
    )
    text = f"def f(x):\n    return x + {number} if x else 0\n"
    candidate = Candidate(
        name=f"k{number}.py",
        language="torch",
        sources=(SourceFile(path="kernel.py", text=text),),
        provenance=Provenance(
            generator=Generator(name=GENERATORS[number // tasks % len(GENERATORS)]),
            sample=number // tasks // len(GENERATORS),
            tokens_out=draw.randrange(1000, 9000),
            cost_usd=draw.random(),
            seconds=10 * draw.random(),
        ),
    )
    status = draw.choices(STATUSES, (4, 3, 2, 1))[0]
    timing = TIMING.model_copy(update={"speedup": draw.lognormvariate(0.1, 0.5)})
    said = verdict(
        status,
        task=task.id,
        candidate=candidate.name,
        candidate_id=candidate.id,
        timing=(timing,) if status is Status.ACCEPTED else None,
        coverage=Coverage(asked=40, answered=30, refused=10, share=0.75),
    )
    entry = Entry(number=number, task=task, candidate=candidate)
    made = Judgement(
        task=task, candidate=candidate, settings=SETTINGS, observations=(), verdict=said
    )
    return entry, made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--tasks", type=int, default=250)
    asked = parser.parse_args()
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        with RunStore(folder, create=True) as store:
            store.begin(RUN)
            made = [judged(number, asked.tasks, draw) for number in range(asked.count)]
            store.add(RUN, (entry for entry, _ in made))
            for entry, judgement in made:
                store.record(entry.key(SETTINGS, RUN.assay), judgement)
        written = time.perf_counter()
        read = graded_runs([folder])
        loaded = time.perf_counter()
        sheets = [score_sheet(group) for group in groups(read.tasks, read.entries)]
        scored = time.perf_counter()
        run_analysis(read.names, read.tasks, read.entries, read.candidates)
        analysed = time.perf_counter()
    count = sum(len(sheet.scores) for sheet in sheets)
    print(f"{asked.count} verdicts of {asked.tasks} tasks, {len(sheets)} generators")
    print(f"written in {written - begun:.1f} s")
    print(f"read in {loaded - written:.1f} s, {count} scores in {scored - loaded:.1f} s")
    print(f"read and scored in {scored - written:.1f} s")
    print(f"analysed in {analysed - scored:.1f} s")


if __name__ == "__main__":
    main()
