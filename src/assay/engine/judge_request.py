"""JudgeRequest: one candidate that waits to be judged, and the future that will hold its judgement.

The rule: a request whose future is cancelled is not wanted any more, whether or not work on it has
begun; nobody else decides that.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from functools import cached_property

from assay.data.candidate import Candidate
from assay.data.record import content_id
from assay.data.run import Judgement
from assay.devices.device_registry import is_accelerated
from assay.judge_process.messages import Job
from assay.languages.sandbox_needs import SandboxNeeds

Step = Callable[[str, float | None], None]  # a stage, and how far it is


@dataclass(frozen=True)
class LaneKind:
    """Which judge processes can serve a request."""

    device: str
    timed: bool  # where that matters: on the host's own processors

    @property
    def is_accelerated(self) -> bool:
        """Whether a device of its own is judged on: few processes, with many candidates each."""
        return is_accelerated(self.device)


@dataclass(eq=False)
class JudgeRequest:
    """One candidate of one task."""

    job: Job  # with this candidate alone
    step: Step | None = None
    future: Future[Judgement] = field(default_factory=Future)
    number: int = 0  # in the order in which requests came
    _told: bool = field(default=False, init=False)
    _telling: threading.RLock = field(default_factory=threading.RLock, init=False)

    @property
    def candidate(self) -> Candidate:
        """The one that is to be judged."""
        return self.job.candidates[0]

    @cached_property
    def group(self) -> str:
        """The same for requests that one job can hold: they share an exam and a wall."""
        job = self.job
        needs = repr(SandboxNeeds.of(job.candidates, job.settings))
        asked = job.model_dump_json(exclude={"candidates", "keep", "side_by_side", "lanes"})
        return content_id(asked, needs)

    @cached_property
    def kind(self) -> LaneKind:
        """The processes that can serve it."""
        settings = self.job.settings
        return LaneKind(settings.device, settings.timing and not is_accelerated(settings.device))

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for it."""
        return not self.future.cancelled()

    def cancel(self) -> None:
        """Nobody waits for it any more; who looks at the future is told so, once.

        A future that is told twice raises in the thread of whoever tells it.
        """
        with self._telling:
            if self.future.cancel() and not self._told:
                self._told = True
                self.future.set_running_or_notify_cancel()

    def answer(self, judgement: Judgement) -> None:
        """Its judgement."""
        with contextlib.suppress(InvalidStateError):  # it was cancelled meanwhile
            self.future.set_result(judgement)

    def fail(self, error: BaseException) -> None:
        """No judgement, for this reason."""
        with contextlib.suppress(InvalidStateError):
            self.future.set_exception(error)
