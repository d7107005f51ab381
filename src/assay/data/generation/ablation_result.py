"""Ablation: what something is worth, seen by leaving it out."""

from __future__ import annotations

from assay.data.record import SCHEMA_VERSION, Record
from assay.data.scoring.score_analysis import PairedComparison


class ChangedVerdict(Record):
    """A candidate whose verdict is another without some checks."""

    number: int  # of the entry in the run
    task: str
    candidate: str
    before: str  # status with all checks
    after: str  # status without


class CheckAblation(Record):
    """A run judged again with some checks left out, on the same exams."""

    schema_version: int = SCHEMA_VERSION
    left_out: tuple[str, ...]
    verdicts: int  # of the run
    judged: int  # of those, judged again: refused, with evidence of a kind that the checks give
    changed: tuple[ChangedVerdict, ...] = ()
    let_through: int = 0  # refused with all checks, accepted without these


class ContextAblation(Record):
    """A generator with and without something in what it is told, paired by task and sample."""

    schema_version: int = SCHEMA_VERSION
    left_out: str  # in words: "context limits", "feedback"
    tasks: int
    accepted_with: float  # share of candidates, mean over tasks
    accepted_without: float
    difference: float  # with - without
    low: float | None = None  # 95 % interval, bootstrap over tasks
    high: float | None = None
    paired: PairedComparison  # `with` against `without`: solved and speed
    sentence: str
