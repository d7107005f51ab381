"""A build is compiled by the host: its objects are met again, and no candidate writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings
from assay.data.workload import Workload
from assay.exam.build_cache import BuildCache
from assay.exam.builds import unit_compiler
from assay.exam.candidate_build import Builder, Built
from assay.exam.exam import Exam
from assay.sandbox.layers.spec import Isolation
from support.small_exam import TASK, make_exam
from support.walls import ROADS, Room

pytestmark = pytest.mark.skipif(
    Isolation.NAMESPACES.value not in ROADS, reason="builds are kept where namespaces work"
)
SETTINGS = Settings(level=Level.QUICK, timeout_s=120.0, build_timeout_s=240.0)
# No header of torch: a second a build instead of half a minute.
EXTENSION = """
import ctypes, os, torch
from torch.utils import cpp_extension
SOURCE = 'extern "C" float scaled(float sum, float by) {{ return sum * by; }}' {more}
FLAGS = {flags}
PATH = cpp_extension.load_inline(
    name="it", cpp_sources=SOURCE, extra_cflags=FLAGS, no_implicit_headers=True,
    is_python_module=False, build_directory=os.environ["TMPDIR"] + "/kernel"
)
LIBRARY = ctypes.CDLL(os.environ["TMPDIR"] + "/kernel/it.so")
LIBRARY.scaled.restype = ctypes.c_float
LIBRARY.scaled.argtypes = [ctypes.c_float, ctypes.c_float]
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))
    def forward(self, x):
        sums = x.sum(-1)
        return torch.tensor([LIBRARY.scaled(float(s), float(self.scale)) for s in sums])
"""


@pytest.fixture(scope="module")
def exam() -> Exam:
    own = (Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),)
    return make_exam(Level.QUICK, TASK, own)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The lines of the compilers that the host ran."""
    lines: list[tuple[str, ...]] = []
    run = unit_compiler.UnitCompiler._run

    def noted(self, process, line, folder):  # type: ignore[no-untyped-def]
        lines.append(line)
        return run(self, process, line, folder)

    monkeypatch.setattr(unit_compiler.UnitCompiler, "_run", noted)
    return lines


def candidate(more: str = "", flags: str = '["-O2"]', after: str = "") -> Candidate:
    text = EXTENSION.format(more=more, flags=flags) + after
    return Candidate(name="it", language="cpp", sources=(SourceFile(path="kernel.py", text=text),))


def build(room: Room, exam: Exam, one: Candidate, cache: BuildCache) -> tuple[Built, str]:
    with room.enter() as inside:
        built = Builder(exam, cache).build(inside.session, one, SETTINGS)
        return built, inside.session.process.output()


def test_an_object_is_met_again_by_another_candidate(
    best_room: Room, exam: Exam, tmp_path: Path, compiled: list[tuple[str, ...]]
) -> None:
    cache = BuildCache(tmp_path, "tools")
    for text in ("", "# another candidate"):
        built, _ = build(best_room, exam, candidate(after=text), cache)
        assert built.seen.ok and not built.seen.cached, built.seen.log
    assert len(compiled) == 1 and "-O2" in compiled[0]
    build(best_room, exam, candidate(flags='["-O3"]'), cache)
    assert len(compiled) == 2 and "-O3" in compiled[1]
    assert len(list((tmp_path / "objects").iterdir())) == 2


def test_what_was_built_is_not_built_again(
    best_room: Room, exam: Exam, tmp_path: Path, compiled: list[tuple[str, ...]]
) -> None:
    cache = BuildCache(tmp_path, "tools")
    after = (
        "\nprint('ninja', os.path.exists(os.environ['TMPDIR'] + '/kernel/.ninja_log'), flush=True)"
    )
    for cached in (False, True):
        built, output = build(best_room, exam, candidate(after=after), cache)
        assert built.seen.ok and built.seen.cached is cached
        assert output.strip() == "ninja False"
    assert len(compiled) == 1


def test_errors_are_the_compilers(best_room: Room, exam: Exam, tmp_path: Path) -> None:
    built, _ = build(best_room, exam, candidate("+ ' nonsense;'"), BuildCache(tmp_path, "tools"))
    assert not built.seen.ok and built.seen.phase == "import"
    assert "Error building extension 'it'" in built.seen.log and "nonsense" in built.seen.log
    assert not (tmp_path / "objects").exists()


@pytest.mark.parametrize(
    "one",
    [
        candidate(flags='["-O2", "-fdump-tree-optimized"]'),  # a flag that is not on the list
        candidate("""+ '\\n#include "beside.h"'"""),  # a file of its own
    ],
)
def test_what_the_host_declines_is_built_as_ever(
    best_room: Room, exam: Exam, tmp_path: Path, compiled: list[tuple[str, ...]], one: Candidate
) -> None:
    beside = SourceFile(path="beside.h", text="// nothing")
    one = one.model_copy(update={"sources": (*one.sources, beside)})
    built, _ = build(best_room, exam, one, BuildCache(tmp_path, "tools"))
    assert built.seen.ok, built.seen.log
    assert compiled == [] and not (tmp_path / "objects").exists()


SPOILING = """
import glob
made = []
for place in ("/scratch/compile", "{folder}", "{folder}/objects", "{folder}/headers"):
    try:
        open(place + "/spoiled.o", "w").write("evil")
        made.append(place)
    except OSError:
        pass
print(made, glob.glob("{folder}/*"), flush=True)
"""


def test_a_candidate_neither_sees_nor_writes_what_is_kept(
    best_room: Room, exam: Exam, tmp_path: Path
) -> None:
    """What it puts beside its own answers is never read as one."""
    cache = BuildCache(tmp_path, "tools")
    build(best_room, exam, candidate(), cache)
    kept = {path: path.read_bytes() for path in (tmp_path / "objects").iterdir()}
    after = SPOILING.format(folder=tmp_path)
    built, output = build(best_room, exam, candidate(after=after), cache)
    assert built.seen.ok
    assert output.strip() == "['/scratch/compile'] []"
    assert {path: path.read_bytes() for path in (tmp_path / "objects").iterdir()} == kept


FORGED = """
import json, time
folder = os.environ["TMPDIR"] + "/compile"
{act}
"""


@pytest.mark.parametrize(
    "act",
    [
        "open(folder + '/1.request', 'w').write('{')",
        "os.symlink('/etc/passwd', folder + '/1.request')",
        "os.mkfifo(folder + '/1.request')",
        "os.mkfifo(folder + '/1.answer.part'); open(folder + '/1.request', 'w').write('{}')",
        "os.rename(folder, folder + '_'); os.symlink('/etc', folder)",
        "open(folder + '/1.request', 'w').write(json.dumps({'tool': 'c++', 'program': 'c++',"
        " 'text': '', 'path': '/scratch/../etc/x.cpp', 'arguments': ['-O2']}))",
    ],
)
def test_requests_of_a_hostile_candidate_harm_nobody(
    best_room: Room, exam: Exam, tmp_path: Path, act: str
) -> None:
    after = FORGED.format(act=act) + "\ntime.sleep(0.1)"
    built, _ = build(best_room, exam, candidate(after=after), BuildCache(tmp_path, "tools"))
    assert built.seen.ok, built.seen.log
    assert len(list((tmp_path / "objects").iterdir())) == 1
