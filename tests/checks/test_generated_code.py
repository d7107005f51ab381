"""Modules of Inductor's in a scratch folder, and what is the candidate's own text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.checks.generated_code import generated_files
from assay.data.candidate import Candidate, SourceFile

HEAD = "# AOT ID: ['0_inference']\nimport torch\n"
KERNEL = "cpp_fused_exp_0 = async_compile.cpp_pybinding(['const float*'], r'''void f() {}''')\n"
OWN_LAUNCH = "double_0 = async_compile.triton('double', '''def double(x): pass''')\n"
GENERATED_LAUNCH = "a = async_compile.triton('triton_poi_fused_exp_0', '''...''')\n"


@pytest.fixture
def root(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def _candidate(text: str) -> Candidate:
    return Candidate(name="k", language="torch", sources=(SourceFile(path="kernel.py", text=text),))


@pytest.mark.parametrize("kernel", [KERNEL, GENERATED_LAUNCH])
def test_a_module_that_inductor_wrote_is_found_wherever_it_lies(
    tmp_path: Path, root: int, kernel: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "taken.txt").write_text(HEAD + kernel)
    seen = generated_files(root, _candidate("import torch"))
    assert seen.files == ("elsewhere/taken.txt",) and not seen.reason


def test_text_of_the_candidate_is_its_own(tmp_path: Path, root: int) -> None:
    (tmp_path / "kernel.py").write_text(HEAD + KERNEL)
    (tmp_path / "pasted.py").write_text(KERNEL)
    assert generated_files(root, _candidate(f"{HEAD}{KERNEL}\nmore = 1")).files == ()
    assert generated_files(root, _candidate("more = 1")).files == ("kernel.py",)


def test_a_module_around_own_triton_kernels_holds_no_generated_one(
    tmp_path: Path, root: int
) -> None:
    (tmp_path / "wrapper.py").write_text(HEAD + OWN_LAUNCH)
    assert generated_files(root, _candidate("import triton")).files == ()
