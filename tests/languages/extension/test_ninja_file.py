"""Torch's build file is understood as far as torch writes it, and no further."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.languages.extension.compile_unit import (
    CompileAnswer,
    CompileCode,
    CompileTool,
    CompileUnit,
)
from assay.languages.extension.ninja_file import NinjaFile, stands_alone


def build_file(folder: Path, source: str = "int f();", more: str = "") -> Path:
    """As torch writes it for one C++ and one CUDA source."""
    from torch.utils import cpp_extension

    for name in ("main.cpp", "cuda.cu"):
        (folder / name).write_text(source)
    cpp_extension._write_ninja_file(
        path=str(folder / "build.ninja"),
        cflags=["-DNAME='a b'", "-fPIC"],
        post_cflags=None,
        cuda_cflags=["-gencode=arch=compute_90,code=sm_90", "--compiler-options", "'-fPIC'"],
        cuda_post_cflags=None,
        cuda_dlink_post_cflags=None,
        sycl_cflags=None,
        sycl_post_cflags=[],
        sycl_dlink_post_cflags=None,
        sources=[str(folder / "main.cpp"), str(folder / "cuda.cu")],
        objects=["main.o", "cuda.cuda.o"],
        ldflags=["-shared", "-lc10"],
        library_target="it.so",
        with_cuda=True,
        with_sycl=False,
    )
    path = folder / "build.ninja"
    path.write_text(path.read_text() + more)
    return folder


@pytest.fixture(autouse=True)
def nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_NVCC", "/usr/local/cuda/bin/nvcc")


def test_units_flags_and_the_link_line(tmp_path: Path) -> None:
    read = NinjaFile.read(str(build_file(tmp_path)))
    assert read is not None
    units = dict(read.units())
    assert units["main.o"].tool is CompileTool.CXX and units["main.o"].text == "int f();"
    assert units["main.o"].arguments == ("-DNAME=a b", "-fPIC")
    assert units["cuda.cuda.o"].tool is CompileTool.NVCC
    assert units["cuda.cuda.o"].program == "/usr/local/cuda/bin/nvcc"
    assert units["main.o"].program == "c++"
    assert units["cuda.cuda.o"].arguments[1:] == ("--compiler-options", "-fPIC")
    assert read.link_line()[1:] == ["main.o", "cuda.cuda.o", "-shared", "-lc10", "-o", "it.so"]


@pytest.mark.parametrize(
    "more", ["rule own\n  command = rm $in\n", "build x.o: own y\n", "subninja z\n"]
)
def test_anything_else_is_left_to_ninja(tmp_path: Path, more: str) -> None:
    assert NinjaFile.read(str(build_file(tmp_path, more=more))) is None


def test_the_stamp_follows_sources_and_flags(tmp_path: Path) -> None:
    stamps = set()
    for source, more in (("int f();", ""), ("int g();", ""), ("int f();", "\n")):
        read = NinjaFile.read(str(build_file(tmp_path, source, more)))
        assert read is not None
        stamps.add(read.stamp())
    assert len(stamps) == 3


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("#include <vector>\nint f();", True),
        ('#include "torch/extension.h"\nint f();', True),
        ('#include "own.h"\nint f();', False),
        ("#define X <vector>\n#include X\n", False),
        ('#if __has_include("own.h")\n#endif', False),
        ('asm(".incbin \\"x\\"");', False),
        ("const char* when = __TIME__;", False),
    ],
)
def test_what_stands_alone(tmp_path: Path, text: str, alone: bool) -> None:
    (tmp_path / "own.h").write_text("")
    unit = CompileUnit(CompileTool.CXX, "c++", str(tmp_path / "main.cpp"), text, ())
    assert stands_alone(unit) is alone


def test_requests_and_answers_come_back_as_they_were() -> None:
    unit = CompileUnit(CompileTool.NVCC, "/cuda/bin/nvcc", "/scratch/x.cu", "text", ("-O3",))
    assert CompileUnit.unpacked(unit.packed()) == unit
    answer = CompileAnswer(CompileCode.REFUSED, "error: x")
    assert CompileAnswer.unpacked(answer.packed()) == answer


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"tool": "sh", "program": "c++", "path": "x", "text": "", "arguments": []}',
        b'{"tool": "c++", "path": 1, "text": "", "arguments": []}',
        b'{"tool": "c++", "program": "c++", "path": "x", "text": "", "arguments": "-O3"}',
        b'{"tool": "c++", "program": "c++", "path": "x", "text": "", "arguments": [1]}',
        b'{"tool": ["c++"], "program": "c++", "path": "x", "text": "", "arguments": []}',
    ],
)
def test_a_request_that_is_none(data: bytes) -> None:
    assert CompileUnit.unpacked(data) is None
