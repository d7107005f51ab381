"""What is warmed up, and that it is warmed up once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay import run_context as module
from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings
from assay.devices.judges_lock import judges_lock
from assay.exam.compile_warmup import CompileWarmup
from assay.exam.prefetch.script_prefetch import ScriptPrefetch
from assay.exam.prefetch.thread_prefetch import ThreadPrefetch
from assay.run_context import RunContext
from assay.sandbox.host.wall import SandboxLimits
from assay.timing.device_lease import DeviceLease

NOTHING = cast(Any, None)


def run_context(
    level: Level = Level.STANDARD, device: str = "cuda", cached: bool = True
) -> RunContext:
    settings = Settings(level=level, device=device)
    cache = cast(Any, object()) if cached else None
    return RunContext(NOTHING, NOTHING, [], settings, NOTHING, cache, NOTHING)


def candidate(language: str = "triton") -> Candidate:
    file = SourceFile(path="kernel.py", text="")
    return Candidate(name="it", language=language, sources=(file,))


def test_what_is_compiled_when_first_called_is_warmed_up() -> None:
    assert run_context().needs_warmup(candidate(), 0.0)
    assert run_context(Level.FULL).needs_warmup(candidate(), 0.0)


def test_at_quick_where_compiling_takes_longer_than_replicas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "pays", lambda compiling_s, groups, at_once: compiling_s > 1.0)
    assert run_context(Level.QUICK).needs_warmup(candidate(), 2.0)
    assert not run_context(Level.QUICK).needs_warmup(candidate(), 0.2)


@pytest.mark.parametrize(
    ("where", "language"),
    [
        (run_context(Level.QUICK), "triton"),
        (run_context(device="cpu"), "triton"),
        (run_context(cached=False), "triton"),
        (run_context(), "cuda"),
    ],
)
def test_nothing_else_is(where: RunContext, language: str) -> None:
    assert not where.needs_warmup(candidate(language), 0.0)
    assert where.warmup(candidate(language), NOTHING, 0.0, NOTHING) is None


def test_one_warmup_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Candidate] = []

    def run(self: CompileWarmup, candidate: Candidate, script: Any) -> frozenset[int]:
        held.append(candidate)
        return frozenset({3})

    monkeypatch.setattr(CompileWarmup, "run", run)
    monkeypatch.setattr(CompileWarmup, "hand_over", lambda *_: None)
    where = run_context()
    for _ in range(2):
        warmup = where.warmup(candidate(), NOTHING, 0.0, lambda *_: None)
        assert warmup is not None and warmup.warm_up() == {3}
    assert len(held) == 1


@pytest.mark.parametrize(
    ("device", "threads", "at_once", "idle"),
    [("cpu", 2, 1, True), ("cpu", 1, 1, False), ("cpu", 2, 2, False), ("cuda", 2, 1, True)],
)
def test_something_computes_ahead_where_a_processor_is_idle(
    device: str, threads: int, at_once: int, idle: bool
) -> None:
    wall = cast(Any, SimpleNamespace(sandbox_limits=SandboxLimits(threads=threads)))
    lease = DeviceLease()
    lease.at_once = at_once
    made = replace(run_context(device=device), wall=wall, lease=lease)
    assert made.has_idle_processor is idle


def test_nothing_computes_ahead_beside_another_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would compute on the device while the other times there."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    wall = cast(Any, SimpleNamespace(sandbox_limits=SandboxLimits(threads=2)))
    lock = judges_lock("GPU-ahead")
    made = replace(run_context(device="cuda"), wall=wall, lease=DeviceLease(True, lock))
    assert made.has_idle_processor
    monkeypatch.setattr(lock, "others", lambda: frozenset({1}))
    assert not made.has_idle_processor


def test_the_candidates_of_all_lanes_share_the_processors() -> None:
    lease = DeviceLease()
    lease.at_once, lease.lanes = 4, 2
    made = replace(run_context(device="cuda"), lease=lease)
    assert made._compile_warmup(cast(Any, None)).at_once == 8


@pytest.mark.parametrize(("device", "kind"), [("cpu", ScriptPrefetch), ("cuda", ThreadPrefetch)])
def test_beside_a_device_nothing_is_forked(device: str, kind: type) -> None:
    exam = cast(Any, SimpleNamespace(known=set))
    assert type(replace(run_context(device=device), exam=exam).prefetch([])) is kind


@pytest.mark.parametrize(
    ("timed", "full", "expected"),
    [
        (1 << 30, None, 5 << 30),
        (6 << 30, None, 15 << 30),
        (9 << 30, None, 16 << 30),
        (0, 1, 16 << 30),
    ],
)
def test_a_candidate_takes_two_rings_of_a_devices_memory(
    timed: int, full: int | None, expected: int
) -> None:
    pool = cast(Any, SimpleNamespace(timed_bytes=timed))
    nothing = cast(Any, None)
    made = RunContext(
        nothing, nothing, [], nothing, nothing, None, pool, full_shape=cast(Any, full)
    )
    assert made.device_bytes == expected
