"""ProfileRun: one candidate behind the wall, timed and traced on one workload. Nothing is judged.

The rule: the time is that of rounds against a candidate that does nothing, on inputs new with every
call; kernels are traced on inputs as cold as those that were timed. The trace is testimony.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from assay.data.candidate import Candidate
from assay.data.device import Device, DeviceReading
from assay.data.observations.kernels import KernelsSeen
from assay.data.observations.measurement import Measurement
from assay.data.progress import Report
from assay.data.settings import Settings
from assay.errors import HostError
from assay.exam.build_cache import BuildCache, default_folder, toolchain
from assay.exam.candidate_build import Builder
from assay.exam.device_code.traced_kernels import traced
from assay.exam.exam import ContentKey, Exam
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import PlannedCall, timed_calls
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.sandbox.layers.spec import Isolation
from assay.tasks.references.reference_outputs import (
    BUFFER_PREFIX,
    LEFT_OR_UPDATED_PREFIX,
    UPDATED_PREFIX,
)
from assay.timing.baseline import BaselineLost, Form, empty_candidate
from assay.timing.device_measurement import cache_state, is_cold, measurement
from assay.timing.device_rounds import DeviceRounds, DeviceSide
from assay.timing.energy import millijoules_per_call

_ROUNDS = 20  # of timed batches
_BATCH_S = 0.005  # of calls in one batch
_MOST_CALLS = 128  # of one ring
_LEAST_CALLS = 4  # of one ring, whatever memory they take
_MEMORY_BYTES = 6 << 30  # of one side's inputs and results together
_NOT_RETURNED = (BUFFER_PREFIX, UPDATED_PREFIX, LEFT_OR_UPDATED_PREFIX)


@dataclass(frozen=True)
class ProfiledDevice:
    """The device a candidate runs on, and how it is asked for its state."""

    device: Device
    reading: Callable[[], DeviceReading]


@dataclass(frozen=True)
class ProfileRunSeen:
    """What was seen of one candidate."""

    times: Measurement
    kernels: KernelsSeen


class CandidateFailed(Exception):
    """It did not build, or did not survive."""

    def __init__(self, phase: str, text: str) -> None:
        super().__init__(text)
        self.phase = phase
        self.text = text


class ProfileRun:
    """Candidates of one exam, of which only the first workload is used."""

    def __init__(
        self, wall: Wall, exam: Exam, settings: Settings, profiled: ProfiledDevice
    ) -> None:
        self._wall = wall
        self._exam = exam
        self._settings = settings
        self._profiled = profiled
        self._rng = exam.secret.random("timing")

    def observe(self, candidate: Candidate, report: Report) -> ProfileRunSeen:
        """Build, time, trace; a CandidateFailed where it does not get as far."""
        with contextlib.ExitStack() as sessions:
            report("building", None)
            session = self._open(sessions)
            self._build(session, candidate, self._cache)
            null = self._open(sessions)
            self._build_null(null)
            try:
                report("timing", None)
                times = self._times(session, null)
                report("tracing", None)
                kernels = traced(session, self._traced_calls, self._deadline())
            except ProcessLost as lost:
                raise CandidateFailed("timing", lost.text) from lost
            except BaselineLost as lost:
                raise HostError(f"the null candidate did not survive: {lost.reason}") from lost
        return ProfileRunSeen(times, kernels)

    def _open(self, sessions: contextlib.ExitStack) -> Session:
        session = Session(self._wall)
        sessions.callback(session.close)
        return session

    def _build(self, session: Session, candidate: Candidate, cache: BuildCache | None) -> None:
        """With the weights of the exam, where they fit."""
        state = self._exam.state(0)
        try:
            built = Builder(self._exam, cache).build(session, candidate, self._settings)
            if not built.seen.ok:
                raise CandidateFailed(built.seen.phase, built.seen.log)
            if state:
                session.load_state(0, state, self._deadline())
        except ProcessLost as lost:
            raise CandidateFailed("build", lost.text) from lost

    def _build_null(self, session: Session) -> None:
        """What does nothing; that it fails is our fault."""
        null = empty_candidate(self._forms, self._wall.device)
        try:
            built = Builder(self._exam, None).build(session, null, self._settings)
        except ProcessLost as lost:
            raise HostError(f"the null candidate did not survive: {lost.text}") from lost
        if not built.seen.ok:
            raise HostError(f"the null candidate did not build: {built.seen.log[-300:]}")

    @property
    def _cache(self) -> BuildCache | None:
        """Only where scratch paths are the same every time."""
        if self._wall.isolation is not Isolation.NAMESPACES:
            return None
        known = toolchain(self._wall.torch_version, self._settings.device)
        return BuildCache(default_folder(), known)

    def _times(self, session: Session, null: Session) -> Measurement:
        own = DeviceSide.enter("candidate", session, self._calls, self._rng)
        other = DeviceSide.enter("null", null, self._calls, self._rng)
        device_rounds = DeviceRounds([own, other], self._rng, self._settings.timeout_s)
        typical = device_rounds.settle(len(self._calls), _BATCH_S)
        for _ in range(_ROUNDS):
            device_rounds.round(max(2, int(typical * self._rng.uniform(0.75, 1.0) + 0.5)))
        cache = cache_state(self._profiled.device, device_rounds.times, self._call_bytes)
        found = measurement(device_rounds.times, 0, own.name, cache)
        spent = millijoules_per_call(own, typical, self._profiled.reading)
        return found.model_copy(update={"energy_mj": spent})

    @cached_property
    def _calls(self) -> list[PlannedCall]:
        """As many as memory holds, within reason; nothing that they return is handed over."""
        updates = tuple(update.input for update in self._exam.reference.updates)
        room = _MEMORY_BYTES // self._call_bytes
        count = max(_LEAST_CALLS, min(_MOST_CALLS, room))
        return timed_calls(self._exam.timed_contents, count, updates=updates)

    @property
    def _traced_calls(self) -> list[PlannedCall]:
        """The first calls, until they are cold."""
        device, each = self._profiled.device, self._call_bytes
        enough = (n for n in range(_LEAST_CALLS, len(self._calls)) if is_cold(device, n, each))
        return self._calls[: next(enough, len(self._calls))]

    @cached_property
    def _call_bytes(self) -> int:
        given = sum(tensor.nbytes for tensor in self._exam.content(ContentKey(0)).tensors)
        returned = [dtype.itemsize * math.prod(shape) for shape, dtype in self._forms]
        return max(1, given + sum(returned))

    @cached_property
    def _forms(self) -> list[Form]:
        """Shapes and dtypes of the results, from one call of the reference."""
        content, state = self._exam.content(ContentKey(0)), self._exam.state(0)
        made = self._exam.bound(0)(content.inputs, state, wide=False)
        return [
            (tuple(tensor.shape), tensor.dtype)
            for name, tensor in zip(made.names, made.tensors, strict=True)
            if not name.startswith(_NOT_RETURNED)
        ]

    def _deadline(self) -> Deadline:
        return Deadline.after(self._settings.timeout_s)
