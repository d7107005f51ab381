"""Judge processes that are scripted, and the kernels whose first line is their script."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.data.candidate import Candidate
from assay.data.observations.observation import HostFailed, TaskBroken
from assay.data.verdict import Status
from assay.judge_process.messages import Done, Failed, Job, Judged, Message, Step
from assay.languages.candidate_file import candidate_of_text
from sample_records import judgement


@dataclass
class Script:
    """Stands in for the class of judge processes; the first line of a source says what happens."""

    processes: list[FakeProcess] = field(default_factory=list)
    go: threading.Event = field(default_factory=threading.Event)  # what the word `wait` waits for

    def __call__(self, job: Job, at_work: int = 1) -> FakeProcess:
        self.processes.append(FakeProcess(self, job))
        return self.processes[-1]

    @property
    def jobs(self) -> list[Job]:
        return [job for process in self.processes for job in process.jobs]


class FakeProcess:
    def __init__(self, script: Script, job: Job) -> None:
        self._script = script
        self.jobs: list[Job] = []
        self.closed = 0
        self._drawn: set[str] = set()
        self.hand(job)

    def can_take(self, job: Job) -> bool:
        return not self.closed

    def hand(self, job: Job) -> None:
        self.jobs.append(job)
        self._drawn.add(job.task.id + job.settings.model_dump_json())
        self._stopped = False
        self._messages = self._line(job)

    def _line(self, job: Job) -> Iterator[Message]:
        for index, candidate in enumerate(job.candidates):
            yield Step(index=index, stage="drawing", fraction=None)
            word = candidate.main.text.split()[1]
            if word == "wait":
                while not self._script.go.wait(0.01):
                    yield Step(index=index, stage="calling", fraction=None)
            if job.failure is not None:
                broken = isinstance(job.failure, TaskBroken)
                word = "invalid_task" if broken else "not_run"
            elif word in ("die", "hang"):
                raise EOFError(word)
            elif word == "usage":
                yield Failed(error="UsageError", text="wrong device")
                raise EOFError
            status = Status(word) if word in set(Status) else Status.ACCEPTED
            yield Judged(judgement=judgement(candidate, job.settings, status))
            if self._stopped:
                break
        yield Done(drawn=len(self._drawn))

    def receive(self, watch: Callable[[], None] | None = None) -> Message:
        if watch is not None:
            watch()
        try:
            return next(self._messages)
        except EOFError as error:
            self._end = str(error)
            raise
        except StopIteration as error:
            raise EOFError from error

    def go_on(self) -> None: ...

    def stop(self) -> None:
        self._stopped = True

    def ending(self) -> TaskBroken | HostFailed:
        return TaskBroken(text="it hung") if self._end == "hang" else HostFailed(text="it died")

    def close(self) -> None:
        self.closed += 1


def kernel(word: str, number: int = 0) -> Candidate:
    return candidate_of_text(f"# {word} {number}\nimport torch\n")


def until(what: Callable[[], object]) -> None:
    ends = time.monotonic() + 60.0
    while not what():
        assert time.monotonic() < ends, "it did not happen in time"
        time.sleep(0.005)
