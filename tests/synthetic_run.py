"""A made-up run with everything a report can show: generators, rounds, costs, times and limits.

The rule: the figures are drawn from a seed and mean nothing. Only reports and their benchmark use
them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from assay.data.candidate import Candidate, Provenance, SourceFile
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.generator import Generator
from assay.data.limits import Peaks
from assay.data.observations.call import CallOutcome, CallSeen, ErrorSummary, Mix, OutputSeen
from assay.data.observations.measurement import Difference, Measurement
from assay.data.observations.observation import LimitsSeen, Observation, TimesSeen
from assay.data.run import Entry, Judgement, Run
from assay.data.scoring.rubric import Feature, FeatureKind, FeatureOrigin, KernelFacts, Rubric
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Coverage, Limits, Outcome, OwnShare, Status, Verdict
from sample_records import TIMING, row, verdict

RUN = Run(id="made-up", suite="native", settings=Settings(), assay="0.1.0", started_at=1.7e9)
PEAKS = Peaks(
    name="made-up", title="Made-up board", bytes_per_s=4.0e12, flops_per_s={"fp32": 6.0e13}
)
GENERATORS = (
    Generator(name="writer", version="2", model="large"),
    Generator(name="writer", version="2", model="small"),
    Generator(name="searcher", version="1"),
)
TRITON = Feature(kind=FeatureKind.TILE_LANGUAGE, name="Triton", origin=FeatureOrigin.SOURCE)
FACTS = KernelFacts(features=(TRITON,), own_kernels=True, compiled_for=("sm_90a",))
_STATUSES = (Status.ACCEPTED, Status.ACCEPTED, Status.INCORRECT, Status.DISHONEST, Status.CRASHED)
_LINE = "    value = tl.load(pointer + offsets, mask=offsets < count)  # line {}\n"


def judged(tasks: int, rounds: int, workloads: int) -> Iterator[tuple[Entry, Judgement]]:
    """A candidate for every task, generator and round."""
    draw = random.Random(7)
    number = 0
    for index in range(tasks):
        task = Task(id=f"task_{index:02}", title="Made up", format="native", source="class M: ...")
        for generator in GENERATORS:
            for turn in range(rounds):
                made = _candidate(task, generator, turn, draw)
                entry = Entry(number=number, task=task, candidate=made)
                yield entry, _judgement(entry, workloads, draw)
                number += 1


def _candidate(task: Task, generator: Generator, turn: int, draw: random.Random) -> Candidate:
    lines = "".join(_LINE.format(number) for number in range(draw.randrange(60, 240)))
    made = Provenance(
        generator=generator,
        round=turn,
        sample=0,
        tokens_out=draw.randrange(800, 9000),
        cost_usd=round(draw.uniform(0.01, 0.4), 4),
    )
    name = f"{task.id}/{generator.name}_{generator.model or 'own'}_{turn}.py"
    source = SourceFile(path="kernel.py", text=f"# {name}\n{lines}")
    return Candidate(name=name, language="triton", sources=(source,), provenance=made)


def _judgement(entry: Entry, workloads: int, draw: random.Random) -> Judgement:
    status = draw.choice(_STATUSES)
    wrong = status is not Status.ACCEPTED
    rows = tuple(
        row(
            draw.choice((7, 64, 100, 1024, 4096)),
            Outcome.WRONG if wrong and draw.random() < 0.3 else Outcome.OK,
            draw.uniform(0.01, 0.9),
        )
        for _ in range(workloads)
    )
    found = _verdict(entry, status, draw).model_copy(update={"workloads": rows})
    seen: list[Observation] = [_call(number, draw) for number in range(10 * workloads)]
    if found.timing:
        seen.append(TimesSeen(measurements=_measurements(found.timing[0].speedup, draw)))
        seen.append(LimitsSeen(peaks=PEAKS))
    return Judgement(
        task=entry.task,
        candidate=entry.candidate,
        settings=RUN.settings,
        observations=tuple(seen),
        verdict=found,
    )


def _verdict(entry: Entry, status: Status, draw: random.Random) -> Verdict:
    speed = draw.lognormvariate(0.2, 0.5)
    accepted = status is Status.ACCEPTED
    timing = TIMING.model_copy(
        update={
            "speedup": speed,
            "speedup_low": speed * 0.95,
            "speedup_high": speed * 1.05,
            "difference": Difference.FASTER if speed * 0.95 > 1 else Difference.NOT_SHOWN,
        }
    )
    blame = Evidence(
        kind=EvidenceKind.WRONG_VALUE,
        severity=Severity.CONVICTS,
        where=f"{entry.candidate.name}:{draw.randrange(2, 50)}",
        text="the last columns are left out",
    )
    return verdict(
        status,
        task=entry.task.id,
        candidate=entry.candidate.name,
        candidate_id=entry.candidate.id,
        evidence=() if accepted else (blame,),
        coverage=Coverage(asked=20, answered=18, refused=2, share=0.9, words="refuses cols 7"),
        timing=(timing,) if accepted else None,
        limits=_limits(draw) if accepted else None,
        rubric=Rubric(representation=2, hardware=1, reasons=("R2: Triton",), facts=FACTS),
        own_share=OwnShare(share=0.97, low=0.95, high=0.99, samples=400),
    )


def _limits(draw: random.Random) -> Limits:
    moved, done = draw.randrange(10**6, 10**9), draw.randrange(10**8, 10**11)
    least = max(moved / PEAKS.bytes_per_s, done / PEAKS.rate("fp32")) * 1e6
    reached = draw.uniform(0.1, 0.95)
    return Limits(
        bytes=moved,
        flops=done,
        sol_us=least,
        sol_fraction=reached,
        bound="memory",
        board=PEAKS.name,
        time_us=least / reached,
    )


def _call(number: int, draw: random.Random) -> CallSeen:
    used = draw.lognormvariate(-3, 1)
    output = OutputSeen(name="output", error=ErrorSummary(budget_used=used, total=4096))
    return CallSeen(
        index=number, workload=0, mix=Mix.PLAIN, outcome=CallOutcome.RETURNED, outputs=(output,)
    )


def _measurements(speed: float, draw: random.Random) -> tuple[Measurement, ...]:
    return tuple(
        Measurement(
            subject=subject,
            method="rounds in turns",
            clock="outside",
            cache="cold",
            calls_per_sample=(1,),
            samples_us=tuple(draw.lognormvariate(0, 0.04) * middle for _ in range(60)),
        )
        for subject, middle in (("candidate", 240 / speed), ("eager", 240.0))
    )
