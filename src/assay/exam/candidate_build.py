"""Build: import, construct and call once on throw-away inputs, before any real input exists.

Candidates build themselves at import, in the constructor or in the first call; all of it happens
here, in the sandbox, with the compiler allowed and a time limit of its own.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.observations.observation import BuildSeen, EndCause
from assay.data.settings import Settings
from assay.devices.device_registry import backend
from assay.exam.build_cache import BuildCache
from assay.exam.builds.compile_service import CompileService
from assay.exam.builds.unit_compiler import UnitCompiler
from assay.exam.exam import Exam
from assay.languages.language import MAIN
from assay.languages.language_registry import language
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import BatchOptions, Place, PlannedCall
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import CallCode, ReplyCode
from assay.sandbox.protocol.requests import Load

_FOLDER = "kernel"
_HOME_MARK = "home/.keep"
_MOST_LOG = 6000  # characters of a failure
_MOST_OUTPUT = 1500  # of them, what was printed beside it


@dataclass(frozen=True)
class Built:
    """How the build went, and what the first call cost."""

    seen: BuildSeen
    first_call_s: float
    out_of_memory: bool = False
    compiling_s: float = 0.0  # what the first call took beyond the second, where there was one
    late: bool = False  # the first call did not fit the time that an interpreter is given


@dataclass(frozen=True)
class _Failure(Exception):
    phase: str
    text: str
    out_of_memory: bool = False
    late: bool = False


class Builder:
    """Builds candidates of one exam in sessions of one wall."""

    def __init__(self, exam: Exam, cache: BuildCache | None, ablated: bool = False) -> None:
        self._exam = exam
        self._cache = cache
        self._ablated = ablated

    def build(
        self,
        session: Session,
        candidate: Candidate,
        settings: Settings,
        first_call_limit_s: float | None = None,
    ) -> Built:
        """Raises Lost where the process ends; `phase` of the report says how far it came.

        A limit of the first call ends the process, and the report says that it was late.
        """
        started = time.monotonic()
        archive = self._cache.load(candidate) if self._cache else None
        self._lay_out(session, candidate, archive)
        self._lay_headers(session, candidate, settings.build_timeout_s)
        # A hang is not a build: without a compiler at work the ordinary time limit holds.
        limit_s, building_s = settings.timeout_s, settings.build_timeout_s
        deadline = Deadline.after(min(limit_s, building_s), building_s)
        try:
            interpreted = language(candidate.language).interpreted(backend(settings.device))
            with self._heard(session, candidate, deadline):
                self._load(session, candidate, interpreted, deadline)
                self._construct(session, deadline)
                if first_call_limit_s is None:
                    calls_s = self._first_calls(session, deadline)
                else:
                    calls_s = self._limited_first_calls(session, first_call_limit_s)
        except _Failure as failure:
            seconds = time.monotonic() - started
            said = session.process.output()[-_MOST_OUTPUT:]
            log = f"{failure.text[-_MOST_LOG + len(said) + 1 :]}\n{said}".strip()
            seen = BuildSeen(
                ok=False,
                phase=failure.phase,
                seconds=seconds,
                cached=archive is not None,
                log=log,
            )
            return Built(seen, 0.0, failure.out_of_memory, late=failure.late)
        if archive is None:
            self._keep(session, candidate)
        seconds = time.monotonic() - started
        seen = BuildSeen(ok=True, phase="done", seconds=seconds, cached=archive is not None)
        compiling_s = calls_s[0] - calls_s[1] if len(calls_s) > 1 else calls_s[0]
        return Built(seen, calls_s[-1], compiling_s=compiling_s)

    def _heard(
        self, session: Session, candidate: Candidate, deadline: Deadline
    ) -> AbstractContextManager[object]:
        """Somebody compiles for it, where what is compiled can be kept."""
        if self._cache is None or not language(candidate.language).builds_extensions:
            return nullcontext()
        unit_compiler = UnitCompiler(session.wall, deadline.compiling_left_s())
        root = session.process.scratch
        return CompileService(root, self._cache.extensions, unit_compiler, deadline)

    def _lay_out(self, session: Session, candidate: Candidate, archive: bytes | None) -> None:
        """Files go in through the scratch folder's descriptor, under neutral names."""
        root = session.process.scratch
        if archive is not None:
            scratch.restore(root, archive)
        for path, text in _files(candidate).items():
            scratch.write_file(root, f"{_FOLDER}/{path}", text.encode("utf-8", "replace"))
        scratch.write_file(root, _HOME_MARK, b"")

    def _lay_headers(self, session: Session, candidate: Candidate, limit_s: float) -> None:
        """Precompiled ones, for as long as its source is compiled."""
        if self._cache is not None:
            unit_compiler = UnitCompiler(session.wall, limit_s)
            for path, data in self._cache.headers(candidate, unit_compiler).items():
                scratch.write_file(session.process.scratch, path, data)

    def _load(
        self, session: Session, candidate: Candidate, interpreted: bool, deadline: Deadline
    ) -> None:
        path = f"{session.process.scratch_path}/{_FOLDER}/{MAIN}"
        written_in = language(candidate.language)
        request = Load(path, candidate.entry, written_in, interpreted, self._ablated)
        reply = session.ask(request, deadline)
        _check(reply.code, session, "import")

    def _construct(self, session: Session, deadline: Deadline) -> None:
        spec = self._exam.instances[0]
        request = spec.construct()
        _check(session.ask(request, deadline).code, session, "construct")

    def _first_calls(self, session: Session, deadline: Deadline) -> list[float]:
        """Their seconds. The first call may compile; the second says what a call costs."""
        taken_s: list[float] = []
        place = Place(0, self._exam.warm_up_spot)
        for _ in range(2):
            call = PlannedCall(0, place, self._exam.throw_away_content, ())
            options = BatchOptions(check_inputs=False)
            result = session.run([call], options, deadline)
            record = result.calls[0].record
            if record is None:
                raise _Failure("first call", "the first call left no record")
            if record.code != CallCode.RETURNED:
                exhausted = record.code == CallCode.OUT_OF_MEMORY
                raise _Failure("first call", record.message, exhausted)
            taken_s.append(result.outside_ns / 1e9)
            if taken_s[-1] > 1.0:
                break
        return taken_s

    def _limited_first_calls(self, session: Session, limit_s: float) -> list[float]:
        try:
            return self._first_calls(session, Deadline.after(limit_s))
        except ProcessLost as lost:
            if lost.cause is not EndCause.TIMED_OUT:
                raise
            text = f"no answer within {limit_s:.0f} s in the interpreter"
            raise _Failure("first call", text, late=True) from lost

    def _keep(self, session: Session, candidate: Candidate) -> None:
        """Taken by the trusted side while everything stands still."""
        if self._cache is None:
            return
        session.process.freeze()
        with contextlib.suppress(scratch.Unkeepable):
            archive = scratch.snapshot(session.process.scratch)
            ours = [f"{_FOLDER}/{path}" for path in _files(candidate)] + [_HOME_MARK]
            if scratch.fits(archive, ours):  # else the candidate spoiled its own build
                self._cache.store(candidate, archive)


def _files(candidate: Candidate) -> Mapping[str, str]:
    return language(candidate.language).files(candidate)


def _check(code: int, session: Session, phase: str) -> None:
    if code != ReplyCode.OK:
        exhausted = code == ReplyCode.OUT_OF_MEMORY
        raise _Failure(phase, session.statement(), exhausted)
