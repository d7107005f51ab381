"""Run: one invocation on disk: settings, environment and a record for each candidate."""

from __future__ import annotations

from assay.data.candidate import Candidate
from assay.data.observations.observation import Observation
from assay.data.record import SCHEMA_VERSION, Record
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
