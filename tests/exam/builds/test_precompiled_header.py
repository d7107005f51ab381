"""A header is precompiled for exactly one set of flags, when it is asked for a second time."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.exam.builds.precompiled_header import PrecompiledHeaders
from assay.exam.builds.unit_compiler import UnitCompiler
from assay.languages.extension.compile_unit import CompileTool, CompileUnit
from assay.sandbox.layers.spec import Isolation
from support.walls import ROADS, Room, forced

pytestmark = pytest.mark.skipif(
    Isolation.NAMESPACES.value not in ROADS, reason="builds are kept where namespaces work"
)
FLAGS = ("-DTORCH_EXTENSION_NAME=it", "-std=c++20", "-fPIC", "-O2")
UNIT = CompileUnit(
    CompileTool.CXX,
    "c++",
    "/scratch/main.cpp",
    "#include <cstddef>\nstd::size_t f() { return 1; }",
    FLAGS,
)


def test_another_flag_is_another_header(tmp_path: Path) -> None:
    headers = PrecompiledHeaders(tmp_path, "tools")
    key = headers.key(FLAGS)
    assert key == headers.key(("-DTORCH_EXTENSION_NAME=other", *FLAGS[1:]))
    others = [
        headers.key((*FLAGS, "-march=native")),
        headers.key((*FLAGS[:-1], "-O3")),
        headers.key((*FLAGS[:1], "-std=c++17", *FLAGS[2:])),
        PrecompiledHeaders(tmp_path, "other tools").key(FLAGS),
    ]
    assert len({key, *others}) == 5 and None not in others
    assert headers.key((*FLAGS, "-DOWN=1")) is None


def test_it_is_made_the_second_time_and_used_with_its_flags_alone(
    best_room: Room, tmp_path: Path
) -> None:
    headers = PrecompiledHeaders(tmp_path, "tools", header="cstddef")
    compiler = UnitCompiler(best_room.wall, 20.0)
    with forced(best_room.road):
        assert headers.folder_for(FLAGS, "c++", compiler) is None
        folder = headers.folder_for(FLAGS, "c++", compiler)
        assert folder is not None and headers.folder_for(FLAGS, "c++", compiler) == folder
        assert headers.folder_for((*FLAGS, "-w"), "c++", compiler) is None
        with_it = compiler.compile(UNIT, ("c++", f"-I{folder}", "-H", *FLAGS), (folder,))
        without = compiler.compile(UNIT, ("c++", *FLAGS), ())
        others = ("c++", f"-I{folder}", "-H", *FLAGS[:-1], "-O0")
        unfit = compiler.compile(UNIT, others, (folder,))
    assert f"! {folder}/cstddef.gch" in with_it.output
    assert with_it.made == without.made and without.ok
    assert f"x {folder}/cstddef.gch" in unfit.output  # g++ looks, and does not take it


def test_a_header_that_the_compiler_refuses_is_not_tried_again(
    best_room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = PrecompiledHeaders(tmp_path, "tools", header="no_such_header")
    compiler = UnitCompiler(best_room.wall, 20.0)
    tried: list[str] = []
    precompile = UnitCompiler.precompile

    def noted(self: UnitCompiler, text: str, line: tuple[str, ...], target: Path) -> bool:
        tried.append(text)
        return precompile(self, text, line, target)

    monkeypatch.setattr(UnitCompiler, "precompile", noted)
    with forced(best_room.road):
        for _ in range(3):
            assert headers.folder_for(FLAGS, "c++", compiler) is None
    assert len(tried) == 1


def test_a_compiler_cannot_write_it(best_room: Room, tmp_path: Path) -> None:
    """Not even the sandbox that is shown it, where flags and text are a candidate's."""
    headers = PrecompiledHeaders(tmp_path, "tools", header="cstddef")
    compiler = UnitCompiler(best_room.wall, 20.0)
    with forced(best_room.road):
        headers.folder_for(FLAGS, "c++", compiler)
        folder = headers.folder_for(FLAGS, "c++", compiler)
        assert folder is not None
        before = Path(folder, "cstddef.gch").read_bytes()
        line = ("sh", "-c", f"echo evil > {folder}/cstddef.gch; rm -f {folder}/cstddef.gch; exit 3")
        assert compiler.compile(UNIT, line, (folder,)).code == 3
    assert Path(folder, "cstddef.gch").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("#include <torch/extension.h>\nint f();", True),
        ("\n// a kernel\n  # include  <torch/extension.h>\n", True),
        ("#include <vector>\n#include <torch/extension.h>\n", False),
        ("int f();", False),
        ("", False),
    ],
)
def test_it_is_for_sources_that_begin_with_it(tmp_path: Path, text: str, leads: bool) -> None:
    assert PrecompiledHeaders(tmp_path, "tools").leads(text) is leads
