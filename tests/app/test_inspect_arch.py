"""`assay inspect --arch`: what compilers make of a candidate, as text and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.inspection import Inspection
from assay.data.observations.compilation import (
    CompiledKernel,
    CompileOutcome,
    CompileReport,
    InstructionFamily,
)
from assay.languages.cuda.cuda_language import CudaLanguage
from assay.report.hardware.compilation_text import compilation_lines

Captured = pytest.CaptureFixture[str]
NO_NVCC = CudaLanguage().available()
KERNEL = """
import cupy
twice = cupy.RawKernel(r'''
extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2.f; }
''', "twice")
class ModelNew: ...
"""


@pytest.mark.skipif(NO_NVCC is not None, reason=str(NO_NVCC))
def test_one_entry_a_kernel_and_architecture(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    flags = ["--arch", "sm_80", "--arch", "gfx942"]
    assert main(["inspect", str(path), *flags, "--json"]) == 1, "unknown for gfx942 is no pass"
    inspection = Inspection.model_validate_json(capsys.readouterr().out)
    kernels = [kernel for report in inspection.compiled for kernel in report.kernels]
    assert [(one.name, one.arch, one.outcome) for one in kernels] == [
        ("twice", "sm_80", CompileOutcome.COMPILED),
        ("twice", "gfx942", CompileOutcome.UNKNOWN),
    ]
    assert kernels[0].registers and kernels[0].where == f"{path}:4"


def test_without_the_flag_nothing_is_compiled(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    assert main(["inspect", str(path), "--json"]) == 0
    assert Inspection.model_validate_json(capsys.readouterr().out).compiled == ()


def test_an_unknown_architecture_is_told_with_the_known(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    assert main(["inspect", str(path), "--arch", "sm_1"]) == 2
    assert "sm_90a" in capsys.readouterr().err


def test_a_candidate_without_kernels_says_so(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "k.py"
    path.write_text("class ModelNew: ...\n")
    assert main(["inspect", str(path), "--arch", "sm_90a"]) == 1
    assert "sm_90a  unknown: no CUDA or Triton kernel was found" in capsys.readouterr().out


def test_figures_assumptions_and_refusals_are_shown() -> None:
    compiled = CompiledKernel(
        name="product",
        arch="sm_90a",
        language="triton",
        outcome=CompileOutcome.COMPILED,
        where="kernel.py:9",
        assumed=("a: *fp32, divisible by 16",),
        registers=168,
        shared_bytes=49152,
        stack_bytes=0,
        spill_bytes=0,
        instructions=(
            InstructionFamily(name="wgmma", assembly=8, binary=8),
            InstructionFamily(name="atomics", assembly=0, binary=4),
        ),
        assembly_bytes=9000,
        binary_bytes=12000,
    )
    refused = CompiledKernel(
        name="broken",
        arch="sm_90a",
        language="cuda",
        outcome=CompileOutcome.FAILED,
        message="\n".join(f"line {number}" for number in range(9)),
    )
    report = CompileReport(
        candidate_id="0" * 16,
        arch="sm_90a",
        compilers=("triton 3.7.1",),
        kernels=(compiled, refused),
    )
    text = "\n".join(line.plain for line in compilation_lines(report))
    assert "sm_90a  triton 3.7.1" in text
    assert (
        "168 registers, 49152 B shared, 0 B stack, 0 B spilled  PTX 9000 B, cubin 12000 B" in text
    )
    assert "wgmma 8, atomics 0 (4 in the binary)" in text
    assert "assumed: a: *fp32, divisible by 16" in text
    assert "failed  broken" in text and "line 5" in text and "line 6" not in text
    assert "3 more lines with --json" in text
