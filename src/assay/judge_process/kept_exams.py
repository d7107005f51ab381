"""KeptExams: walls and evaluation contexts that a judge process keeps from job to job.

The rule: an exam is kept by everything it depends on (task, settings, files of baselines, wall),
serves a bounded number of candidates, and never a replay of workloads; a secret that is given for
an exam is one of the things it depends on. The least recently used goes first, by
number and by the resident memory of the process. What failed is not kept.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.data.record import content_id
from assay.data.run import Judgement
from assay.data.verdict import Status
from assay.errors import UsageError
from assay.judge_process.judge_memory import give_back_freed, importing, resident_bytes
from assay.judge_process.messages import Done, Job, Keep
from assay.judge_process.process_settings import ProcessSettings
from assay.languages.candidate_file import load_candidate
from assay.languages.sandbox_needs import SandboxNeeds

if TYPE_CHECKING:
    from assay.context import EvaluationContext
    from assay.sandbox.host.wall import Wall

_MOST_WALLS = 3  # each has a warm parent with torch: about 0.3 GB


@dataclass(frozen=True)
class WallKey:
    """What a wall depends on; its threads are those of the process."""

    device: str
    tf32: bool
    needs: SandboxNeeds

    @classmethod
    def of(cls, job: Job) -> WallKey:
        """The wall on which all candidates of a job can run."""
        needs = SandboxNeeds.of(job.candidates, job.settings)
        return cls(job.settings.device, job.settings.tf32, needs)


@dataclass
class _KeptExam:
    context: EvaluationContext
    wall_key: WallKey
    candidates: int = 0  # that it has served


class KeptExams:
    """Of one judge process."""

    def __init__(self) -> None:
        self._walls: OrderedDict[WallKey, Wall] = OrderedDict()
        self._exams: OrderedDict[str, _KeptExam] = OrderedDict()
        self._passing: EvaluationContext | None = None  # of this job alone
        self._before: ProcessSettings | None = None
        self._statuses: set[Status] = set()  # of this job's candidates
        self._drawn = 0

    def warm_up(self, job: Job) -> None:
        """Have the wall of such a job there: its warm parent imports torch as this process does."""
        from assay.sandbox.host.wall import SandboxExtras, Wall

        key, expected = WallKey.of(job), len(job.candidates)
        if key in self._walls:
            self._walls[key].expect(expected)
        else:
            extras = SandboxExtras(key.needs.modules, packages=key.needs.packages)
            device, tf32 = key.device, key.tf32
            self._walls[key] = Wall(extras, expected=expected, device=device, tf32=tf32)
        self._walls.move_to_end(key)
        while len(self._walls) > _MOST_WALLS:
            self._drop_wall(next(iter(self._walls)))

    def context(self, job: Job) -> EvaluationContext:
        """The one that is kept for such a job, or a new one; its wall is there."""
        with importing("assay.context"):
            from assay.context import EvaluationContext

        self._before = self._before or ProcessSettings.now()
        self._statuses.clear()
        key, wall = _key(job), self._walls[WallKey.of(job)]
        if job.keep is None or (job.replay is not None and job.replay.is_drawn):
            self._drawn += 1
            self._passing = EvaluationContext(wall, job.task, job.settings, job.replay)
            return self._passing
        if key in self._exams and not _has_room(self._exams[key], job, job.keep):
            self._drop(key)
        if key not in self._exams:
            self._drawn += 1
            context = EvaluationContext(wall, job.task, job.settings, job.replay)
            self._exams[key] = _KeptExam(context, WallKey.of(job))
        self._exams.move_to_end(key)
        kept = self._exams[key]
        kept.candidates += len(job.candidates)
        return kept.context

    def note(self, judgement: Judgement) -> None:
        """What came of a candidate: a broken task's exam is not kept, nor a wall that failed us."""
        self._statuses.add(judgement.verdict.status)

    def settled(self, job: Job) -> Done:
        """Clean up after a job, and say what is left of it."""
        if job.keep is None:
            self.close()
            return Done(drawn=self._drawn)
        if self._passing is not None:
            self._passing.close()
            self._passing = None
        if Status.NOT_RUN in self._statuses:
            self._drop_wall(WallKey.of(job))
        if Status.INVALID_TASK in self._statuses and (key := _key(job)) in self._exams:
            self._drop(key)
        while len(self._exams) > job.keep.exams:
            self._drop(next(iter(self._exams)))
        resident = self._shrunk(job.keep)
        spent = self._spent(resident, job.keep)
        return Done(drawn=self._drawn, exams=len(self._exams), resident_bytes=resident, spent=spent)

    def close(self) -> None:
        """End everything."""
        self._passing = None
        self._exams.clear()
        while self._walls:
            self._walls.popitem()[1].close()

    def _drop(self, key: str) -> None:
        self._exams.pop(key).context.close()

    def _drop_wall(self, wall_key: WallKey) -> None:
        """With every exam that has processes behind it."""
        for key in [key for key, one in self._exams.items() if one.wall_key == wall_key]:
            with contextlib.suppress(OSError):
                self._drop(key)
        if wall_key in self._walls:
            self._walls.pop(wall_key).close()

    def _shrunk(self, keep: Keep) -> int:
        """Resident bytes, once exams were dropped until they are within the limit."""
        while (resident := resident_bytes()) > keep.resident_bytes:
            if self._exams:
                self._drop(next(iter(self._exams)))
            give_back_freed()
            if not self._exams:
                return resident_bytes()
        return resident

    def _spent(self, resident: int, keep: Keep) -> str:
        if resident > keep.resident_bytes:
            return f"its memory grew to {resident >> 20} MB"
        changed = self._before.changed() if self._before is not None else []
        return f"a task changed settings of the process: {', '.join(changed)}" if changed else ""


def _has_room(kept: _KeptExam, job: Job, keep: Keep) -> bool:
    return kept.candidates + len(job.candidates) <= keep.candidates


def _key(job: Job) -> str:
    """By content: what two jobs have in common that may share an exam."""
    files = [_content(name) for name in job.settings.baselines]
    wall, secret = repr(WallKey.of(job)), job.replay.secret if job.replay is not None else ""
    asked = job.task.model_dump_json(), job.settings.model_dump_json()
    return content_id(*asked, wall, secret, *files)


def _content(baseline: str) -> str:
    """Of a file that is named as a baseline; a known name stands for itself."""
    with contextlib.suppress(UsageError, OSError):
        if Path(baseline).exists():
            return load_candidate(Path(baseline)).id
    return baseline
