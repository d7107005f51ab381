"""Graded entries and stored runs made up for tests of scores."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate, Provenance, SourceFile
from assay.data.generator import Generator
from assay.data.observations.measurement import Timing
from assay.data.run import Entry, Judgement, Run
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Coverage, Status
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import Group, groups
from assay.store.run_store import RunStore
from sample_records import TIMING, verdict


def entry(task: str, speedup: float | None = None, **fields: Any) -> Graded:
    """One accepted entry, timed where a speedup is given; fields of provenance may stand beside."""
    names = Provenance.model_fields.keys() - {"generator"}
    known = {name: fields.pop(name) for name in list(fields) if name in names}
    status = fields.get("status", Status.ACCEPTED)
    ran = status in (Status.ACCEPTED, Status.INCORRECT, Status.DISHONEST, Status.SUSPICIOUS)
    made: dict[str, Any] = {
        "task": task,
        "candidate_id": f"{task}-{sorted(known.items())}",
        "generator": "G",
        "device": "board",
        "backend": "cuda",
        "status": status,
        "called": ran,
        "coverage": 1.0,
        "speedup": speedup,
        "candidate_us": None if speedup is None else 100.0 / speedup,
        "baseline_us": None if speedup is None else 100.0,
        "provenance": Provenance(**known),
    }
    return Graded(**made | fields)


def group(*entries: Graded, tasks: int | None = None, **facts: Any) -> Group:
    """The group of entries of one generator; `tasks` adds tasks that were not attempted."""
    names = list(dict.fromkeys(one.task for one in entries))
    names += [f"missing{i}" for i in range((tasks or 0) - len(names))]
    (found,) = groups([GradedTask(name, **facts) for name in names], entries)
    return found


def stored(
    folder: Path,
    rows: list[tuple[str, Status, float | None, float]],
    generator: str = "G",
    remarks: dict[str, tuple[str, ...]] | None = None,
    suite: str = "one task",
) -> str:
    """A run on disk: task, status, speedup and coverage of each candidate; remarks by task.

    Candidates of one task are the rounds of one search.
    """
    rounds: Counter[str] = Counter()
    settings = Settings()
    run = Run(id="run-1", suite=suite, settings=settings, assay="0.1.0", started_at=1.0)
    with RunStore(folder, create=True) as store:
        store.begin(run)
        for number, (name, status, speedup, share) in enumerate(rows):
            task = Task(id=name, format="native", source=f"# {name}", tags=("category:Math",))
            candidate = Candidate(
                name=f"{name}.py",
                language="torch",
                sources=(SourceFile(path="kernel.py", text=f"x = {number}\n"),),
                provenance=Provenance(
                    generator=Generator(name=generator),
                    round=rounds[name],
                    tokens_out=100,
                    cost_usd=0.5,
                    seconds=2.0,
                ),
            )
            rounds[name] += 1
            one = Entry(number=number, task=task, candidate=candidate)
            store.add(run, [one])
            timing = None if speedup is None else (_timing(speedup),)
            said = verdict(
                status,
                task=name,
                candidate=candidate.name,
                candidate_id=candidate.id,
                timing=timing,
                task_remarks=(remarks or {}).get(name, ()),
                coverage=Coverage(asked=10, answered=int(10 * share), refused=0, share=share),
            )
            judgement = Judgement(
                task=task, candidate=candidate, settings=settings, observations=(), verdict=said
            )
            store.record(one.key(settings, run.assay), judgement)
    return str(folder)


def _timing(speedup: float) -> Timing:
    interval = {"speedup_low": 0.95 * speedup, "speedup_high": 1.05 * speedup}
    return TIMING.model_copy(update={"speedup": speedup, **interval})
