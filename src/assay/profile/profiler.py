"""Profiling: one candidate on one workload of a task -> Profile.

    behind the wall: build -> time -> trace; then the floor, and counters where it is trusted

A candidate's failure is data and becomes a NotProfiled.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.device import Device
from assay.data.observations.observation import LimitsSeen
from assay.data.observations.profile import NotProfiled, Profile
from assay.data.plan import Plan
from assay.data.progress import Report
from assay.data.settings import Settings
from assay.devices.device_adapter import DeviceBackend
from assay.devices.device_registry import for_judging
from assay.devices.lease import device_key, lease
from assay.exam.exam import Exam
from assay.exam.secret import Secret
from assay.languages.language_registry import language, needed_packages
from assay.limits.task_floor import floor_on
from assay.profile.hardware_counters import Counted, counted
from assay.profile.kernel_rows import kernel_rows, position, rows_seen, with_counters
from assay.profile.occupancy import multiprocessor
from assay.profile.profile_run import CandidateFailed, ProfiledDevice, ProfileRun, ProfileRunSeen
from assay.sandbox.host.wall import SandboxExtras, Wall
from assay.tasks.references.reference import Reference

UNCOUNTED = "hardware counters are read only with --trust, from a run without the wall"
_LEASE_WAIT_S = 600.0
_MOST_TEXT = 2000


@dataclass(frozen=True)
class Subject:
    """What is profiled: a task at some sizes, with these settings."""

    reference: Reference
    axes: Mapping[str, int]
    settings: Settings
    counters: bool = True  # that they are missing is worth a word
    trusted: bool = False  # they may be read in a run without the wall


@dataclass(frozen=True)
class Gathered:
    """What a profile is made of."""

    task: str
    candidate: str
    axes: Mapping[str, int]
    device: Device
    seen: ProfileRunSeen
    floor: LimitsSeen
    counted: Counted


def profile(subject: Subject, candidate: Candidate, report: Report) -> Profile | NotProfiled:
    """Everything that is known of one candidate's time."""
    settings, task = subject.settings, subject.reference.task
    backend = for_judging(settings.device)
    device, exam = backend.describe(), exam_of(subject)
    waiting = lambda _: report("waiting for the device", None)  # noqa: E731
    with lease(device_key(device), _LEASE_WAIT_S, waiting):
        needed = needed_packages(candidate.sources, candidate.language)
        packages = (*needed, *settings.allow_packages)
        extras = SandboxExtras(language(candidate.language).preload, packages=packages)
        with Wall(extras, expected=2, device=settings.device, tf32=settings.tf32) as wall:
            profile_run = ProfileRun(wall, exam, settings, ProfiledDevice(device, backend.reading))
            try:
                seen = profile_run.observe(candidate, report)
            except CandidateFailed as failure:
                return NotProfiled(
                    task=task.id,
                    candidate=candidate.name,
                    device=device.name,
                    phase=failure.phase,
                    reason=failure.text.strip()[-_MOST_TEXT:],
                )
        found = _counters(subject, exam, candidate, report)
    report("tracing the task", None)
    floor = floor_under(backend, subject)
    return assembled(Gathered(task.id, candidate.name, subject.axes, device, seen, floor, found))


def floor_under(device: DeviceBackend, subject: Subject) -> LimitsSeen:
    """The least time of the task at these sizes, by the arithmetic that the settings allow."""
    reference, axes = subject.reference, subject.axes
    sizes = reference.sizes(axes) if dict(axes) != reference.own_axes else None
    return floor_on(device, reference.task, subject.settings.tf32, axes, sizes)


def assembled(found: Gathered) -> Profile:
    """The record. Pure."""
    times, kernels, floor = found.seen.times, found.seen.kernels, found.floor
    time_us = statistics.median(times.samples_us)
    rows = rows_seen(kernels, multiprocessor(found.device.architecture))
    under = None
    if floor.limits is not None and floor.peaks is not None:
        under = position(floor.limits, floor.peaks, time_us)
    reasons = (kernels.reason, floor.reason, found.counted.reason)
    return Profile(
        task=found.task,
        candidate=found.candidate,
        device=found.device.name,
        axes=dict(found.axes),
        time_us=time_us,
        launch_us=statistics.median(times.launch_us) if times.launch_us else None,
        profiled_calls=kernels.calls,
        kernels=with_counters(rows, kernel_rows(found.counted.launches)),
        roofline=under,
        energy_mj=times.energy_mj,
        trusted=bool(found.counted.launches),
        reason="; ".join(reason for reason in reasons if reason),
    )


def _counters(subject: Subject, exam: Exam, candidate: Candidate, report: Report) -> Counted:
    """After the wall is down: the device must be the profiler's alone."""
    if not subject.trusted:
        return Counted(reason=UNCOUNTED if subject.counters else "")
    report("reading counters without the wall", None)
    settings = subject.settings
    seconds = settings.timeout_s + settings.build_timeout_s
    return counted(exam, candidate, for_judging(settings.device), seconds)


def exam_of(subject: Subject) -> Exam:
    """One workload: the task's own, but for the sizes that were asked for."""
    reference, settings = subject.reference, subject.settings
    own = reference.own_workload()
    own = own.model_copy(update={"axes": dict(subject.axes), "own": dict(subject.axes) == own.axes})
    return Exam(reference, Plan.of(settings, Secret.draw().hex, (own,)))
