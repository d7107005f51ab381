"""Bench: what all trials of one call share."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.checks.check import Check, mixed_in
from assay.checks.registry import all_checks
from assay.data.candidate import Candidate
from assay.data.check import Execution
from assay.data.device import Device
from assay.data.settings import Level, Settings
from assay.devices.registry import backend
from assay.languages.registry import language
from assay.worker.host.build_cache import BuildCache, default_folder, toolchain
from assay.worker.host.device_stopwatch import DeviceStopwatch
from assay.worker.host.exam import Exam
from assay.worker.host.rehearsal import Rehearsal
from assay.worker.host.script import ScriptedBatch, write_script
from assay.worker.host.stand import Stand
from assay.worker.host.stopwatch import Stopwatch
from assay.worker.host.twin import Twins
from assay.worker.host.wall import Wall
from assay.worker.sandbox.spec import Isolation


@dataclass(frozen=True)
class Bench:
    """What all trials of one call share."""

    wall: Wall
    exam: Exam
    script: list[ScriptedBatch]
    settings: Settings
    device: Device
    cache: BuildCache | None  # only where scratch paths are the same every time
    stand: Stand  # baselines that stay from one candidate to the next
    checks: tuple[Check, ...] = ()
    rehearsed: dict[str, frozenset[int]] = field(default_factory=dict)  # late, by candidate

    def interprets(self, candidate: Candidate) -> bool:
        """Whether the candidate's kernels are interpreted on this device."""
        return language(candidate.language).interpreted(backend(self.settings.device))

    def execution(self, candidate: Candidate) -> Execution:
        """How the candidate's kernels run on this device."""
        if self.accelerated:
            return Execution.DEVICE
        return Execution.INTERPRETER if self.interprets(candidate) else Execution.CPU

    def first_call_limit_s(self, candidate: Candidate) -> float | None:
        """How long a first call of the own shape may take, where an interpreter runs the kernels.

        The own shape is called about eight times and must fit the limit of all calls.
        """
        return self.settings.timeout_s / 12 if self.interprets(candidate) else None

    def twins(self, candidate: Candidate) -> Twins:
        """What makes further processes of a candidate."""
        return Twins(self.wall, self.exam, self.cache, candidate, self.settings)

    def stopwatch(self, twins: Twins) -> Stopwatch | DeviceStopwatch:
        """What times their candidate on this device."""
        if self.accelerated:
            return DeviceStopwatch(self.stand, twins, self.exam, self.settings, self.device)
        cheap = twins if self.cache else None  # without a cache it would be compiled once more
        return Stopwatch(self.wall, cheap, self.exam, self.settings, self.device)

    def rehearses(self, candidate: Candidate) -> bool:
        """Whether its kernels are compiled when first called, for more shapes than doubles cost."""
        compiles = self.accelerated and bool(language(candidate.language).compile_cache)
        return compiles and self.cache is not None and self.settings.level is not Level.QUICK

    def late(self, candidate: Candidate) -> frozenset[int]:
        """The stretched workloads that its kernels cannot be compiled for in time."""
        if self.cache is None or not self.rehearses(candidate):
            return frozenset()
        if candidate.id not in self.rehearsed:
            rehearsal = Rehearsal(self.wall, self.exam, self.cache, self.settings)
            self.rehearsed[candidate.id] = rehearsal.hold(candidate, self.script)
        return self.rehearsed[candidate.id]

    @property
    def accelerated(self) -> bool:
        """Whether the kernels run on a device of their own, out of a sampler's sight."""
        return backend(self.settings.device).accelerated

    @classmethod
    def set_up(cls, wall: Wall, exam: Exam, settings: Settings, device: Device) -> Bench:
        """Write the script and open the build cache."""
        checks = all_checks()
        script = write_script(exam, exam.secret.random("script"), mixed_in(checks, exam))
        cache = None
        if wall.isolation is Isolation.NAMESPACES:
            cache = BuildCache(default_folder(), toolchain(wall.torch_version, settings.device))
        stand = Stand(wall, exam, settings)
        return cls(wall, exam, script, settings, device, cache, stand, checks)
