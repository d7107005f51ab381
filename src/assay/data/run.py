"""Run: one invocation on disk: its settings, its entries, and a judgement for each of them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from assay.data.axis import Axis
from assay.data.candidate import Candidate
from assay.data.observations.observation import Observation
from assay.data.record import SCHEMA_VERSION, Record, content_id
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Verdict


class Judgement(Record):
    """Everything about one candidate: what was seen and what was made of it.

    A judgement can be judged again without running anything: the observations are all here.
    """

    schema_version: int = SCHEMA_VERSION
    task: Task
    candidate: Candidate
    settings: Settings
    observations: tuple[Observation, ...]
    verdict: Verdict
    axes: tuple[Axis, ...] = ()  # declared by the task or inferred from it


class Run(Record):
    """One invocation of `assay run`, as it was asked for.

    The secret is drawn once and kept in the store alone, so that a run that was stopped asks the
    same questions when it goes on. It is not printed with the record: exams that are still to come
    are drawn from it.
    """

    id: str
    suite: str
    settings: Settings
    assay: str  # version
    started_at: float  # seconds since 1970
    secret: str = Field(default="", exclude=True, repr=False)  # 32 bytes in hex; empty: none drawn


_ADDED_LATER = (
    "time_shapes",
    "confirms",
    "without_checks",
)  # settings that older keys do not know; off, they change nothing


class Entry(Record):
    """One candidate that a run was given."""

    number: int
    task: Task
    candidate: Candidate
    submission: int = 0  # entries that were added together have the same: their exam is shared

    def key(self, settings: Settings, version: str) -> str:
        """What has the same key need not be judged twice."""
        unasked = {name for name in _ADDED_LATER if not getattr(settings, name)}
        asked = settings.model_dump_json(exclude={"jobs"} | unasked)  # jobs: how, not what
        return content_id(self.task.id, self.task.content_id, self.candidate.id, asked, version)


class RunEvent(Record):
    """Something that happened in a run, append-only."""

    at: float  # seconds since 1970
    kind: str
    data: dict[str, Any]
