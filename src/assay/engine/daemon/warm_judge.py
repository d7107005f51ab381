"""WarmJudge: what evaluates in a worker of the daemon.

The rule: `open_judge` is the one place that says which judge that is. A judge serves clients of
one folder and one `sys.path` alone: its processes were started there.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class JudgeKey:
    """What a judge is kept for: its processes stay in the folder that they were started in."""

    folder: str
    path: tuple[str, ...]  # that tasks are imported from
    device: str
    jobs: int  # candidates at a time


@contextlib.contextmanager
def open_judge(key: JudgeKey) -> Iterator[WarmJudge]:
    """The judge of one worker, closed when it is left; started in the folder of the key."""
    from assay.engine.judge import Judge

    with Judge(key.device, jobs=key.jobs) as judge:
        yield judge


class JudgeSeat:
    """The judge that a worker has: the last one, as long as it fits."""

    def __init__(self, opened: Callable[[JudgeKey], AbstractContextManager[WarmJudge]]) -> None:
        self._opened = opened
        self._stack = contextlib.ExitStack()
        self._key: JudgeKey | None = None
        self._judge: WarmJudge | None = None

    def judge(self, key: JudgeKey) -> WarmJudge:
        """The one that is here, or a new one in its place."""
        if self._judge is None or self._key != key:
            self.close()
            os.chdir(key.folder)
            sys.path[:] = key.path
            self._judge, self._key = self._stack.enter_context(self._opened(key)), key
        return self._judge

    def close(self) -> None:
        """Close the judge that is here."""
        self._judge = None
        self._stack.close()
