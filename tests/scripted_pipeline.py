"""A pipeline that judges nothing: it gives each candidate the status it is told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.progress import Progress
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Status
from sample_records import judgement


@dataclass
class ScriptedPipeline:
    """Gives each candidate the status written in its first line, or raises what it is told to."""

    calls: list[tuple[Task, tuple[Candidate, ...], Settings]] = field(default_factory=list)
    replays: list[Plan | None] = field(default_factory=list)
    closed: int = 0
    error: BaseException | None = None

    def evaluate_many(
        self,
        task: Task,
        candidates: Sequence[Candidate],
        settings: Settings,
        progress: Callable[[Progress], None] | None = None,
        replay: Plan | None = None,
    ) -> Iterator[Judgement]:
        self.calls.append((task, tuple(candidates), settings))
        self.replays.append(replay)
        try:
            for index, one in enumerate(candidates):
                if progress is not None:
                    progress(Progress(one.name, index, len(candidates), "checking", 0.5))
                if self.error is not None:
                    raise self.error
                status = Status(one.main.text.splitlines()[0].strip("# "))
                yield _of(task, judgement(one, settings, status))
        finally:
            self.closed += 1


def _of(task: Task, found: Judgement) -> Judgement:
    plan = found.verdict.plan
    assert plan is not None
    settings = found.settings
    drawn = plan.model_copy(
        update={name: getattr(settings, name) for name in ("level", "track", "device", "tf32")}
    )
    verdict = found.verdict.model_copy(update={"task": task.id, "plan": drawn})
    return found.model_copy(update={"task": task, "verdict": verdict})
