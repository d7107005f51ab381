"""RunContext: what all candidate runs of one call share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assay.checks.check_contract import Check, mixed_in
from assay.checks.check_registry import all_checks
from assay.checks.sampled_batches import SampledBatches
from assay.data.candidate import Candidate
from assay.data.check import Execution
from assay.data.device import Device
from assay.data.plan import Plan
from assay.data.progress import Report
from assay.data.settings import Settings, Track
from assay.devices.device_registry import backend
from assay.exam.build_cache import BuildCache, default_folder, toolchain
from assay.exam.builds.deferred_warmup import DeferredWarmup
from assay.exam.compile_warmup import CompileWarmup, pays
from assay.exam.exam import Exam
from assay.exam.for_candidate.candidate_draws import CandidateDraws
from assay.exam.full_shape.full_shape_exam import FullShapeExam
from assay.exam.prefetch.script_prefetch import ScriptPrefetch
from assay.exam.prefetch.thread_prefetch import ThreadPrefetch
from assay.exam.replica import ReplicaFactory
from assay.exam.script import ScriptedBatch, write_script
from assay.languages.language_registry import language
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.sandbox.layers.spec import Isolation
from assay.timing.baseline_pool import BaselinePool
from assay.timing.device_lease import DeviceLease
from assay.timing.device_stopwatch import PROCESSES_OF_SHORT, DeviceStopwatch
from assay.timing.stopwatch import Stopwatch

# Of a device's memory, for one candidate: two rings of 6 GiB and what a build takes; and without
# rings two contexts and the calls of stretched sizes.
MOST_DEVICE_BYTES = 16 << 30
_UNTIMED_BYTES = 3 << 30


@dataclass(frozen=True)
class RunContext:
    """What all candidate runs of one call share."""

    wall: Wall
    exam: Exam
    script: list[ScriptedBatch]
    settings: Settings
    device: Device
    cache: BuildCache | None  # only where scratch paths are the same every time
    baseline_pool: BaselinePool  # baselines that stay from one candidate to the next
    checks: tuple[Check, ...] = ()
    draws: CandidateDraws | None = None  # of the one candidate that it is for
    warmed_up: dict[str, frozenset[int]] = field(default_factory=dict)  # late, by candidate
    lease: DeviceLease = field(default_factory=DeviceLease)  # of all candidates of the process
    full_shape: FullShapeExam | None = None  # where the exam's own shape is smaller than the task's
    afterwards: Callable[[], object] | None = None  # what is needed after all calls, and kept

    def for_candidate(self, candidate: Candidate, replay: Plan | None) -> RunContext:
        """With the workloads that are drawn for one candidate; all else is shared."""
        draws = CandidateDraws.of(self.exam, candidate, replay)
        script = draws.from_source(self.script, replay)
        return replace(self, exam=draws.exam, script=script, draws=draws)

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

    def replicas(self, candidate: Candidate) -> ReplicaFactory:
        """What makes further processes of a candidate."""
        return ReplicaFactory(self.wall, self.exam, self.cache, candidate, self.settings)

    def stopwatch(self, replicas: ReplicaFactory) -> Stopwatch | DeviceStopwatch:
        """What times their candidate on this device."""
        if self.accelerated:
            return DeviceStopwatch(
                self.baseline_pool, replicas, self.exam, self.settings, self.device
            )
        cheap = replicas if self.cache else None  # without a cache it would be compiled once more
        stopwatch = Stopwatch(self.wall, cheap, self.exam, self.settings, self.device)
        if self.settings.track is Track.OPEN:
            return stopwatch
        return stopwatch.sampled_by(SampledBatches)

    def needs_warmup(self, candidate: Candidate, compiling_s: float) -> bool:
        """Whether its kernels are compiled when first called, for more shapes than replicas
        cost; `compiling_s` is what the own shape took.
        """
        compiles = self.accelerated and bool(language(candidate.language).compile_cache)
        if not compiles or self.cache is None:
            return False
        groups = len(self._compile_warmup(self.cache).shape_queue(self.script))
        return not self.settings.level.is_short or pays(compiling_s, groups, self._at_once)

    def warmup(
        self, candidate: Candidate, session: Session, compiling_s: float, report: Report
    ) -> DeferredWarmup | None:
        """The warm-up of a candidate that was built in this session, where it needs one."""
        if not self.needs_warmup(candidate, compiling_s):
            return None
        return DeferredWarmup(lambda: self._warm_up(candidate, session, report))

    def _warm_up(self, candidate: Candidate, session: Session, report: Report) -> frozenset[int]:
        """The stretched workloads that its kernels cannot be compiled for in time."""
        assert self.cache is not None
        compile_warmup = self._compile_warmup(self.cache)
        report("compiling", None)
        if candidate.id not in self.warmed_up:
            with self.lease.aside():
                self.warmed_up[candidate.id] = compile_warmup.run(candidate, self.script)
            compile_warmup.hand_over(candidate, session)
        return self.warmed_up[candidate.id]

    def _compile_warmup(self, cache: BuildCache) -> CompileWarmup:
        return CompileWarmup(self.wall, self.exam, cache, self.settings, self._at_once)

    @property
    def _at_once(self) -> int:
        """Candidates that share the processors, those of other lanes counted."""
        return self.lease.at_once * self.lease.lanes

    @property
    def device_bytes(self) -> int:
        """Of a device's memory, for one candidate, by the size of its timed calls."""
        if self.full_shape is not None:
            return MOST_DEVICE_BYTES
        timed = PROCESSES_OF_SHORT * self.baseline_pool.timed_bytes
        return min(MOST_DEVICE_BYTES, _UNTIMED_BYTES + timed)

    @property
    def accelerated(self) -> bool:
        """Whether the kernels run on a device of their own, out of a sampler's sight."""
        return backend(self.settings.device).accelerated

    @property
    def has_idle_processor(self) -> bool:
        """Whether something may compute beside this thread: who shares processors has none.

        Nor has who shares a device: what computes there beside it knows nothing of the lease.
        """
        return not self.lease.had_company and self.wall.sandbox_limits.threads > 1

    def prefetch(self, script: list[ScriptedBatch]) -> ScriptPrefetch | ThreadPrefetch:
        """What works out expectations ahead: a second process, or beside a device a thread."""
        if self.accelerated:
            return ThreadPrefetch(self.exam, script, self.afterwards)
        return ScriptPrefetch(self.exam, script)

    @classmethod
    def set_up(
        cls,
        wall: Wall,
        exam: Exam,
        settings: Settings,
        device: Device,
        lease: DeviceLease | None = None,
    ) -> RunContext:
        """Write the script and open the build cache."""
        left_out = settings.without_checks
        checks = tuple(one for one in all_checks() if one.declared.name not in left_out)
        script = write_script(exam, exam.secret.random("script"), mixed_in(checks, exam))
        cache = None
        if wall.isolation is Isolation.NAMESPACES:
            cache = BuildCache(default_folder(), toolchain(wall.torch_version, settings.device))
        baseline_pool = BaselinePool(wall, exam, settings)
        return cls(
            wall=wall,
            exam=exam,
            script=script,
            settings=settings,
            device=device,
            cache=cache,
            baseline_pool=baseline_pool,
            checks=checks,
            lease=lease or DeviceLease(),
        )
