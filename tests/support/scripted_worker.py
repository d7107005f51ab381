"""A worker of the daemon that judges nothing: each candidate gets the status in its first line.

`# hang` is a candidate whose evaluation does not end by itself; then there is a file `hangs`.
`# wait NAME` is one that ends when a file of that name is in the current folder.
Whatever is closed leaves a line in `closed`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Generator, Iterator, Sequence

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.progress import Progress, Show
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Status
from assay.engine.daemon import daemon_worker
from assay.engine.daemon.warm_judge import JudgeKey
from assay.errors import TaskError
from sample_records import judgement


class ScriptedJudge:
    """Does what the first line of a candidate says."""

    def evaluate_many(
        self,
        task: Task,
        candidates: Sequence[Candidate],
        settings: Settings | None = None,
        progress: Show | None = None,
        replay: Plan | None = None,
    ) -> Generator[Judgement, None, None]:
        try:
            for index, one in enumerate(candidates):
                assert progress is not None and settings is not None
                progress(Progress(one.name, index, len(candidates), f"worker {os.getpid()}", 0.5))
                yield judgement(one, settings, self._status(one.main.text))
        finally:
            with open("closed", "a") as file:
                file.write(f"{os.getpid()}\n")

    def _status(self, text: str) -> Status:
        word, _, rest = text.splitlines()[0].strip("# ").partition(" ")
        if word == "hang":
            with open("hangs", "w"):
                time.sleep(600)
        while word == "wait" and not os.path.exists(rest):
            time.sleep(0.01)
        if word == "task_error":
            raise TaskError("the task is at fault")
        if word == "fault":
            raise ValueError("a fault of ours")
        if word == "exit":
            os._exit(7)
        if word == "path":
            return Status.ACCEPTED if rest in sys.path else Status.NOT_RUN
        return Status.ACCEPTED if word == "wait" else Status(word)


@contextlib.contextmanager
def open_scripted(_: JudgeKey) -> Iterator[ScriptedJudge]:
    yield ScriptedJudge()


def entry(arguments: list[str]) -> None:
    daemon_worker.open_judge = open_scripted
    daemon_worker.entry(arguments)
