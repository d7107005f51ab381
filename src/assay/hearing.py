"""Hearing: one task's exam, drawn once, and the candidates heard on it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import islice

from assay.data.candidate import Candidate
from assay.data.device import Device
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observation import (
    CheckMissing,
    HostFailed,
    LimitsSeen,
    Observation,
    SourceSeen,
    TaskBroken,
)
from assay.data.plan import Plan
from assay.data.run import Judgement
from assay.data.settings import Level, Settings
from assay.data.task import Task
from assay.devices.peaks import board, board_of
from assay.devices.registry import for_judging
from assay.errors import HostError, TaskError
from assay.guard.narrowing import narrowings
from assay.guard.source import analyse, findings
from assay.judgement import Course, Judging
from assay.tasks.modes import in_other_mode
from assay.tasks.reference import Reference
from assay.tasks.sweep import swept
from assay.worker.bench import Bench
from assay.worker.host.exam import Exam
from assay.worker.host.headstart import Headstart
from assay.worker.host.memory_need import alike, shortage, within_memory
from assay.worker.host.reference_check import check_reference
from assay.worker.host.secret import Secret
from assay.worker.host.wall import Wall
from assay.worker.trial import Trial

Report = Callable[[str, float | None], None]


class Hearing:
    """Everything the candidates of one call share."""

    def __init__(self, wall: Wall, task: Task, settings: Settings, replay: Plan | None) -> None:
        self._wall = wall
        self._task = task
        self.settings = settings
        self._replay = replay
        self._device = for_judging(settings.device).describe()
        self._failure: Observation | None = None

    @cached_property
    def _bench(self) -> Bench | None:
        """The exam and its script; None where the task or our machinery failed."""
        try:
            exam = self._exam(Reference(self._task))
            check_reference(exam)
            return Bench.set_up(self._wall, exam, self.settings, self._device)
        except TaskError as error:
            self._failure = TaskBroken(text=str(error))
        except HostError as error:
            self._failure = HostFailed(text=str(error))
        except Exception as error:  # a fault of ours costs this task, not the whole run
            logging.getLogger(__name__).exception("drawing the exam of %s", self._task.id)
            self._failure = HostFailed(text=f"{type(error).__name__}: {error}")
        return None

    def _exam(self, reference: Reference) -> Exam:
        """Of the plan that is replayed, or of workloads found now."""
        if self._replay is not None:
            return Exam(reference, self._replay)
        settings, secret, own = self.settings, Secret.draw(), within_memory(reference)
        plan = Plan(
            secret=secret.hex,
            level=settings.level,
            track=settings.track,
            device=settings.device,
            timing=settings.timing,
            baselines=settings.baselines,
            cache=settings.cache,
            tf32=settings.tf32,
            workloads=(own,),
        )
        exam, alone = Exam(reference, plan), settings.device == "cpu" and settings.at_once == 1
        with Headstart(exam, wanted=alone and settings.level is not Level.QUICK) as headstart:
            found = swept(reference, settings.level, secret.random("sweep"))
            for workload in islice(found, 1, None):  # the own one is admitted
                headstart.admit(alike(reference, workload, own))
            for workload in in_other_mode(reference, exam.plan.workloads):
                headstart.admit(workload)
        return exam

    def observe(self, candidate: Candidate, report: Report) -> list[Observation]:
        """What is seen of one candidate: its source, then its run."""
        report("drawing", None)
        bench = self._bench
        if bench is None:
            assert self._failure is not None
            return [self._failure]
        seen: list[Observation] = [self._read(candidate)]
        if short := self._shortage:
            seen.append(CheckMissing(check="the own shape", reason=short, essential=False))
        try:
            seen += Trial(bench, candidate, report).observe()
        except HostError as error:
            seen.append(HostFailed(text=str(error)))
        except TaskError as error:
            seen.append(TaskBroken(text=str(error)))
        except Exception as error:  # a fault of ours must not cost the other candidates
            logging.getLogger(__name__).exception("evaluating %s", candidate.name)
            seen.append(HostFailed(text=f"{type(error).__name__}: {error}"))
        return [*seen, self._limits]

    @property
    def _shortage(self) -> str:
        """What the shape that is judged lacks of the task's own."""
        assert self._bench is not None
        exam = self._bench.exam
        return shortage(exam.reference, exam.plan.workloads[0])

    @cached_property
    def _limits(self) -> LimitsSeen:
        if self._shortage:
            return LimitsSeen(reason=f"judged at a smaller shape than its own: {self._shortage}")
        return limits_seen(self._task, self._device, self.settings)

    def _read(self, candidate: Candidate) -> Observation:
        """The source; where our analysis fails the other layers look, but unknown never passes."""
        try:
            found = findings(analyse(candidate), self.settings.track)
            return SourceSeen(findings=(*found, *narrowings(candidate)))
        except Exception as error:
            logging.getLogger(__name__).exception("reading the source of %s", candidate.name)
            text = f"its source could not be analysed: {type(error).__name__}: {error}"
            unknown = Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.SUSPICIOUS, text=text)
            return SourceSeen(findings=(unknown,))

    def judge(self, candidate: Candidate, course: Course) -> Judgement:
        """The pure part."""
        bench, threads = self._bench, self._wall.rooms.threads
        judging = Judging(self._task, self.settings, self._device, threads)
        if bench is not None:
            exam = bench.exam
            judging = replace(judging, plan=exam.plan, axes=exam.reference.axes)
        return judging.judgement(candidate, course)


def limits_seen(task: Task, device: Device, settings: Settings) -> LimitsSeen:
    """The floor under every time of a task on a device; where there is none, why."""
    if not settings.timing:
        return LimitsSeen(reason="timing was switched off")
    name = board_of(device.name)
    if device.kind == "cpu" or name is None:
        return LimitsSeen(reason=f"no vendor peaks are known for {device.name}")
    from assay.floor import floor_of  # its tracer imports Triton, 0.2 s that a CPU need not pay

    try:
        return LimitsSeen(limits=floor_of(task, board(name), settings.tf32), peaks=board(name))
    except TaskError as error:
        return LimitsSeen(reason=f"its work could not be traced: {error}")
    except Exception as error:  # a floor that we cannot find costs no verdict
        logging.getLogger(__name__).exception("tracing the work of %s", task.id)
        return LimitsSeen(reason=f"its work could not be traced: {error}")
