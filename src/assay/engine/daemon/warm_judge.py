"""WarmJudge: what evaluates in a worker of the daemon.

The rule: `open_judge` is the one place that says which judge that is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from typing import Protocol

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.progress import Show
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task


class WarmJudge(Protocol):
    """Evaluates candidates of one task after the other."""

    def evaluate_many(
        self,
        task: Task,
        candidates: Sequence[Candidate],
        settings: Settings | None = None,
        progress: Show | None = None,
        replay: Plan | None = None,
    ) -> Generator[Judgement, None, None]:
        """Judge candidates in the order given; closing it ends what is going on."""
        ...


class ProcessPerTask:
    """A judge process for each call, as without a daemon."""

    def evaluate_many(
        self,
        task: Task,
        candidates: Sequence[Candidate],
        settings: Settings | None = None,
        progress: Show | None = None,
        replay: Plan | None = None,
    ) -> Generator[Judgement, None, None]:
        """Judge candidates in the order given."""
        from assay.pipeline import evaluate_many

        return evaluate_many(task, candidates, settings, progress, replay)


@contextlib.contextmanager
def open_judge() -> Iterator[WarmJudge]:
    """The judge of one worker, closed when it is left."""
    yield ProcessPerTask()
