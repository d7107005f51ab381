from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from assay.checks.linked_objects import built_objects
from assay.data.observations.observation import BuiltObject

KERNEL = "void kernel(float *x, int n) { for (int i = 0; i < n; ++i) x[i] *= 2.0f; }"
CALLS_BLAS = "void cblas_sgemm(); void kernel(void) { cblas_sgemm(); }"
A_WHOLE_BLAS = "\n".join(
    f"void cblas_{precision}{name}(void) {{}}"
    for precision in "sd"
    for name in ("gemm", "gemv", "dot", "axpy", "scal", "asum")
)


def compiled(folder: Path, source: str, name: str) -> Path:
    target = folder / name
    command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(target)]
    subprocess.run(command, input=source.encode(), check=True, capture_output=True)
    return target


def seen(folder: Path) -> tuple[BuiltObject, ...]:
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        found = built_objects(root)
    finally:
        os.close(root)
    assert found.reason == ""
    return found.objects


def test_a_kernel_needs_and_offers_no_computation(tmp_path: Path) -> None:
    compiled(tmp_path, KERNEL, "kernel.so")
    (built,) = seen(tmp_path)
    assert (built.path, built.needs, built.offers, built.problem) == ("kernel.so", (), (), "")


def test_a_call_of_blas_is_seen_whatever_the_file_is_called(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    compiled(tmp_path / "deep", CALLS_BLAS, "notes.txt")
    (built,) = seen(tmp_path)
    assert built.path == "deep/notes.txt"
    assert built.needs == ("cblas_sgemm",)


def test_a_copied_library_offers_what_the_library_does(tmp_path: Path) -> None:
    compiled(tmp_path, A_WHOLE_BLAS, "kernel.so")
    (built,) = seen(tmp_path)
    assert len(built.offers) == 12


def test_what_is_no_object_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text("import torch")
    (tmp_path / "empty.so").write_bytes(b"")
    (tmp_path / "link.so").symlink_to("/etc/passwd")
    assert seen(tmp_path) == ()


@pytest.mark.parametrize("keep", [5, 64, 200, 2000])
def test_a_spoiled_object_is_named_not_passed_over(tmp_path: Path, keep: int) -> None:
    good = compiled(tmp_path, CALLS_BLAS, "kernel.so").read_bytes()
    (tmp_path / "kernel.so").write_bytes(good[:keep] + b"\xff" * 64)
    (built,) = seen(tmp_path)
    assert built.problem.startswith("unreadable")


def test_stripped_section_headers_hide_nothing(tmp_path: Path) -> None:
    data = bytearray(compiled(tmp_path, CALLS_BLAS, "kernel.so").read_bytes())
    data[0x28:0x30] = bytes(8)  # e_shoff
    data[0x3C:0x40] = bytes(4)  # e_shnum, e_shstrndx
    (tmp_path / "kernel.so").write_bytes(data)
    (built,) = seen(tmp_path)
    assert built.needs == ("cblas_sgemm",)
