"""What is rehearsed, and that it is rehearsed once."""

from __future__ import annotations

from typing import Any, cast

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings
from assay.worker.bench import Bench
from assay.worker.host.rehearsal import Rehearsal

NOTHING = cast(Any, None)


def bench(level: Level = Level.STANDARD, device: str = "cuda", cached: bool = True) -> Bench:
    settings = Settings(level=level, device=device)
    cache = cast(Any, object()) if cached else None
    return Bench(NOTHING, NOTHING, [], settings, NOTHING, cache, NOTHING)


def candidate(language: str = "triton") -> Candidate:
    file = SourceFile(path="kernel.py", text="")
    return Candidate(name="it", language=language, sources=(file,))


def test_what_is_compiled_when_first_called_is_rehearsed() -> None:
    assert bench().rehearses(candidate())
    assert bench(Level.FULL).rehearses(candidate())


@pytest.mark.parametrize(
    ("where", "language"),
    [
        (bench(Level.QUICK), "triton"),
        (bench(device="cpu"), "triton"),
        (bench(cached=False), "triton"),
        (bench(), "cuda"),
    ],
)
def test_nothing_else_is(where: Bench, language: str) -> None:
    assert not where.rehearses(candidate(language))
    assert where.late(candidate(language)) == frozenset()


def test_one_rehearsal_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Candidate] = []

    def hold(self: Rehearsal, candidate: Candidate, script: Any) -> frozenset[int]:
        held.append(candidate)
        return frozenset({3})

    monkeypatch.setattr(Rehearsal, "hold", hold)
    where = bench()
    assert where.late(candidate()) == where.late(candidate()) == {3}
    assert len(held) == 1
