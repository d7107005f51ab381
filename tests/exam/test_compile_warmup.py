"""Doubles call a candidate on every shape; what its compiler left is kept, and who was late."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings
from assay.data.workload import Workload
from assay.exam import compile_warmup
from assay.exam.build_cache import BuildCache
from assay.exam.compile_warmup import CompileWarmup, pays, replica_count, specialisation
from assay.exam.exam import ContentKey, Exam
from assay.exam.script import Mix, Need, ScriptedBatch, ScriptedCall
from assay.sandbox.host.planned_call import AT_START
from support.small_exam import TASK, make_exam
from support.walls import Room, forced

HONEST = """
import os, time, torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))
    def forward(self, x):
        folder = os.environ["TRITON_CACHE_DIR"]
        os.makedirs(folder, exist_ok=True)
        open(f"{folder}/for_{x.shape[0]}_{x.shape[1]}", "w").close()
        open(os.environ["HOME"] + "/note", "w").close()
        return x.sum(-1) * self.scale
"""
SETTINGS = Settings(level=Level.QUICK, timeout_s=10.0, build_timeout_s=10.0)
SHAPES = ((16, 32), (3, 7), (16, 500), (3, 7))


@pytest.fixture(scope="module")
def exam() -> Exam:
    workloads = tuple(
        Workload(axes={"rows": rows, "cols": cols}, dtype="float32", own=not i, scale=i)
        for i, (rows, cols) in enumerate(SHAPES)
    )
    return make_exam(Level.QUICK, TASK, workloads)


SCRIPT = [
    ScriptedBatch(
        (ScriptedCall(ContentKey(i), AT_START, None, Mix.PLAIN),),
        copy_each=True,
        need=Need.STRETCHED if cols > 100 else Need.ORDINARY,
    )
    for i, (_, cols) in enumerate(SHAPES)
]


def _held(room: Room, exam: Exam, folder: Path, text: str) -> tuple[frozenset[int], set[str]]:
    candidate = Candidate(
        name="it", language="triton", sources=(SourceFile(path="kernel.py", text=text),)
    )
    cache = BuildCache(folder, "tools")
    with forced(room.road):
        late = CompileWarmup(room.wall, exam, cache, SETTINGS).run(candidate, SCRIPT)
    archive = cache.load(candidate)
    if archive is None:
        return late, set()
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return late, set(tar.getnames())


def test_what_was_made_for_every_shape_is_kept(
    best_room: Room, exam: Exam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_warmup, "usable_threads", lambda: 4)  # two doubles
    late, kept = _held(best_room, exam, tmp_path, HONEST)
    assert not late
    assert {f"home/triton/for_{a}_{b}" for a, b in SHAPES} <= kept


def test_what_does_not_fit_the_time_is_known_beforehand(
    best_room: Room, exam: Exam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_warmup, "COMPILED_S", 0.5)
    slow = HONEST.replace("return x", "time.sleep(9.0 * (x.shape[1] > 100)); return x")
    late, kept = _held(best_room, exam, tmp_path, slow)
    assert late == {2}
    assert "home/triton/for_3_7" in kept


@pytest.mark.parametrize("fault", ["os.abort()", "1 / 0"])
def test_a_double_that_ends_costs_nothing(
    best_room: Room, exam: Exam, tmp_path: Path, fault: str
) -> None:
    broken = HONEST.replace("return x", f"x.shape[1] == 7 and {fault}; return x")
    late, kept = _held(best_room, exam, tmp_path, broken)
    assert not late and "home/triton/for_16_32" in kept


def test_what_does_not_build_is_not_rehearsed(best_room: Room, exam: Exam, tmp_path: Path) -> None:
    assert _held(best_room, exam, tmp_path, "def broken(:") == (frozenset(), set())


def test_shapes_that_compile_alike_are_one_class_and_an_empty_one_has_its_own() -> None:
    def of(rows: int, cols: int) -> object:
        return specialisation(Workload(axes={"rows": rows, "cols": cols}, dtype="float32"))

    assert of(33, 100) == of(47, 65)  # the next powers of two are 64 and 128
    assert len({of(0, 64), of(1, 64), of(2, 64), of(16, 64), of(16, 65), of(16, 128)}) == 6


def test_candidates_that_are_judged_at_once_share_the_replicas(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compile_warmup, "usable_threads", lambda: 16)
    assert [replica_count(20, at_once) for at_once in (1, 2, 8, 16)] == [8, 4, 1, 1]
    assert pays(0.5, 12) and not pays(0.5, 12, at_once=8)


class _Process:
    """A session that lives until it is closed."""

    def __init__(self, wall: Any) -> None:
        wall.append(self)
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


def test_a_replica_that_comes_when_nothing_is_left_is_not_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raised: list[Any] = []
    built: list[object] = []
    seen = SimpleNamespace(seen=SimpleNamespace(ok=True))
    builder = SimpleNamespace(build=lambda session, *_: built.append(session) or seen)
    monkeypatch.setattr(compile_warmup, "Session", _Process)
    monkeypatch.setattr(compile_warmup, "Builder", lambda *_: builder)
    nothing = cast(Any, None)
    warmup = CompileWarmup(cast(Any, raised), nothing, nothing, nothing)
    shapes = compile_warmup.ShapeQueue([(1,)], frozenset())
    assert warmup._built(nothing, shapes) is raised[0] and raised[0].is_open
    shapes.take(last=False)
    assert warmup._built(nothing, shapes) is None
    assert built == raised[:1] and not raised[1].is_open
