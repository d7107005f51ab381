"""ReportData: everything the pages of one report show.

The rule: plain values only, each stored once. Nothing is computed from them here, and every text of
a candidate is text: the page never reads it as markup.
"""

from __future__ import annotations

from pydantic import Field

from assay.data.candidate import Provenance, SourceFile
from assay.data.environment import Environment
from assay.data.evidence import Evidence
from assay.data.limits import Peaks
from assay.data.observations.measurement import Timing
from assay.data.published.recheck import Recheck
from assay.data.record import Record
from assay.data.scoring.rubric import RubricProfile
from assay.data.verdict import Coverage, Limits, OwnShare, RelationOutcome
from assay.report.html.search_section import ReportSearch

NOT_STATED = "not stated"  # the generator of a candidate that names none
OPEN = "open"  # the status of an entry without a judgement


class ReportWorkload(Record):
    """One row of a verdict's table of workloads.

    The defaults are what most rows say: the file holds them once (`usual_workload`).
    """

    sizes: str
    dtype: str = "float32"
    layout: str = "contiguous"
    values: str = "own"
    direction: str = "forward"
    outcome: str = "ok"
    budget_used: float | None = None


def usual_workload() -> dict[str, str]:
    """What a row of workloads says where it says nothing."""
    fields = ReportWorkload.model_fields.items()
    return {name: field.default for name, field in fields if isinstance(field.default, str)}


class ReportEvidence(Record):
    """A finding, with the line it names where that is a line of the candidate."""

    found: Evidence
    file: int | None = None  # index into the sources
    line: int | None = None  # from 1


class ReportSamples(Record):
    """Raw times of one subject."""

    subject: str
    cache: str
    samples_us: tuple[float, ...]


class ReportVerdict(Record):
    """One candidate: what was found, and what it was found from."""

    number: int
    name: str
    id: str
    task: str
    generator: str
    language: str
    status: str
    correct: str = ""
    honest: str = ""
    reason: str = ""
    evidence: tuple[ReportEvidence, ...] = ()
    workloads: tuple[ReportWorkload, ...] = ()
    coverage: Coverage | None = None
    own_workload: str = ""
    task_remarks: tuple[str, ...] = ()
    relations: tuple[RelationOutcome, ...] = ()
    timing: tuple[Timing, ...] = ()
    timing_reason: str = ""
    samples: tuple[ReportSamples, ...] = ()
    errors: tuple[float, ...] = ()  # largest error of each output of each call, as a budget share
    errors_not_finite: int = 0
    explanation: str = ""
    limits: Limits | None = None
    limits_reason: str = ""
    peaks: Peaks | None = None
    rubric: dict[str, int] = Field(default_factory=dict)  # places by axis, those that are known
    rubric_reasons: tuple[str, ...] = ()
    rubric_remarks: tuple[str, ...] = ()
    own_share: OwnShare | None = None
    environment: int | None = None  # index into the report's environments
    stages: dict[str, float] = Field(default_factory=dict)
    elapsed_s: float | None = None
    provenance: Provenance = Provenance()
    sources: tuple[SourceFile, ...] = ()
    commands: tuple[str, ...] = ()  # that repeat it
    record: str = ""  # what `--replay` reads, where no store holds it


class ReportTask(Record):
    """One task that has candidates."""

    id: str
    title: str
    tags: tuple[str, ...] = ()


class CurvePoint(Record):
    """One place of a curve with its band."""

    p: float
    value: float
    low: float
    high: float


class ScoreCurve(Record):
    """A score over p for one generator."""

    generator: str
    n: int  # tasks considered, those without an answer included
    timed: int  # of their answers
    points: tuple[CurvePoint, ...] = ()


class ReportData(Record):
    """One report."""

    title: str
    run: str
    suite: str
    level: str
    track: str
    device: str
    assay: str
    started_at: float | None
    statuses: tuple[str, ...]  # every status, the best first
    categories: tuple[str, ...]  # every shape category
    honesty_kinds: tuple[str, ...]  # kinds of evidence that speak about honesty
    shapes: dict[str, tuple[str, ...]]  # the shape categories of a workload's sizes
    tasks: tuple[ReportTask, ...]
    environments: tuple[Environment, ...]
    verdicts: tuple[ReportVerdict, ...]
    curves: tuple[ScoreCurve, ...]
    claims: tuple[Recheck, ...] = ()  # someone else's, where the run rechecks them
    profiles: tuple[RubricProfile, ...] = ()  # of the rubric, by generator and device
    claimed_gains: tuple[str, ...] = ()  # in words, one for each source of imported candidates
    search: ReportSearch | None = None  # where the run is one
