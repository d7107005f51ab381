"""Judged entries with tasks, samples and verdicts as the formats of others need them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.data.candidate import Candidate, Provenance, SourceFile
from assay.data.generator import Generator
from assay.data.observations.measurement import Measurement, Timing
from assay.data.observations.observation import Observation, TimesSeen
from assay.data.run import Entry, Judgement, Run
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Coverage, Status
from sample_records import TIMING, row, verdict

RUN = Run(id="r", suite="made up", settings=Settings(), assay="0.1.0", started_at=1.7e9)
COVERAGE = Coverage(asked=20, answered=18, refused=2, share=0.9, words="refuses cols 7")
SAMPLES = (100.0, 120.0, 140.0)


def judged(*given: dict[str, Any]) -> Iterator[tuple[Entry, Judgement | None]]:
    """One entry for each dict: task, status (None: not judged), timing, sample, round, ..."""
    for number, one in enumerate(given):
        fields = dict(one)
        task = Task(
            id=fields.pop("task", "23_Softmax"),
            format="kernelbench",
            source="class Model: ...",
            origin=fields.pop("origin", ""),
            tags=fields.pop("tags", ("category:Math",)),
        )
        by = fields.pop("generator", "writer")
        candidate = Candidate(
            name=f"kernel_{number}.py",
            language="torch",
            sources=(SourceFile(path="kernel.py", text=f"x = {number}\n"),),
            provenance=Provenance(
                generator=Generator(name=by) if by else None,
                sample=fields.pop("sample", None),
                round=fields.pop("round", None),
            ),
        )
        entry = Entry(number=number, task=task, candidate=candidate)
        status = fields.pop("status", Status.ACCEPTED)
        yield entry, None if status is None else _judgement(entry, status, fields)


def _judgement(entry: Entry, status: Status, fields: dict[str, Any]) -> Judgement:
    timing: Timing | None = fields.pop("timing", TIMING)
    said = verdict(
        status,
        task=entry.task.id,
        candidate=entry.candidate.name,
        candidate_id=entry.candidate.id,
        coverage=COVERAGE,
        workloads=(row(1024),),
        timing=(timing,) if timing else None,
        **fields,
    )
    seen: tuple[Observation, ...] = (TimesSeen(measurements=(_measured(),)),) if timing else ()
    return Judgement(
        task=entry.task,
        candidate=entry.candidate,
        settings=RUN.settings,
        observations=seen,
        verdict=said,
    )


def _measured() -> Measurement:
    return Measurement(
        subject="candidate",
        method="rounds in turns",
        clock="outside",
        cache="cold",
        calls_per_sample=(1,),
        samples_us=SAMPLES,
    )


EVERY_STATUS = tuple({"status": status, "sample": place} for place, status in enumerate(Status))
