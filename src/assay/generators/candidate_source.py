"""CandidateSource: the contract of what makes a candidate of a task.

The rule: the answer is a candidate, or the reason why there is none. Nothing is guessed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from assay.data.candidate import Candidate, Provenance
from assay.data.generator import Generator
from assay.data.task import Task
from assay.languages.candidate_file import candidate_of_text


@dataclass(frozen=True)
class NoCandidate:
    """Why a source has no candidate of a task, in one sentence."""

    reason: str


class CandidateSource(ABC):
    """Makes at most one candidate of a task."""

    name: str  # of the generator, in the provenance of what it makes

    @abstractmethod
    def candidate(self, task: Task) -> Candidate | NoCandidate:
        """The candidate of the task, or why there is none."""

    def made(self, task: Task, text: str, seconds: float) -> Candidate:
        """Source text as a candidate that names this source as its generator."""
        provenance = Provenance(generator=Generator(name=self.name), sample=0, seconds=seconds)
        changes = {"name": f"{task.id}/{self.name}", "provenance": provenance}
        return candidate_of_text(text).model_copy(update=changes)
