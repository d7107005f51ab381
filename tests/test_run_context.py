"""What is rehearsed, and that it is rehearsed once."""

from __future__ import annotations

from typing import Any, cast

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings
from assay.exam.compile_warmup import CompileWarmup
from assay.run_context import RunContext

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


def test_what_is_compiled_when_first_called_is_rehearsed() -> None:
    assert run_context().needs_warmup(candidate())
    assert run_context(Level.FULL).needs_warmup(candidate())


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
    assert not where.needs_warmup(candidate(language))
    assert where.late(candidate(language)) == frozenset()


def test_one_rehearsal_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Candidate] = []

    def run(self: CompileWarmup, candidate: Candidate, script: Any) -> frozenset[int]:
        held.append(candidate)
        return frozenset({3})

    monkeypatch.setattr(CompileWarmup, "run", run)
    where = run_context()
    assert where.late(candidate()) == where.late(candidate()) == {3}
    assert len(held) == 1
