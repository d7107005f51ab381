"""EagerSource: the reference's own torch calls as a candidate.

The rule: the text of the reference is all it has, so it is the baseline under another name. It is
honest on the `open` track only; on `kernel` it is delegation.
"""

from __future__ import annotations

import time

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.generators.candidate_source import CandidateSource, NoCandidate
from assay.generators.model_module import ModelModule


class EagerSource(CandidateSource):
    """Torch, call by call, as the task writes it."""

    name = "eager"

    def candidate(self, task: Task) -> Candidate | NoCandidate:
        """The task's class under a candidate's name."""
        start = time.perf_counter()
        try:
            text = ModelModule(task.source, task.entry).text()
        except (SyntaxError, ValueError) as error:
            return NoCandidate(f"the task's source cannot be rewritten: {error}")
        return self.made(task, text, time.perf_counter() - start)
