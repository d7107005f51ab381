"""Levels of kernels that real compilers made; nothing runs, and no GPU is needed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.data.candidate import Candidate, Provenance, SourceFile
from assay.data.observations.compilation import (
    CompiledKernel,
    CompileOutcome,
    CompileReport,
    InstructionFamily,
)
from assay.data.scoring.rubric import FeatureKind, FeatureOrigin, KernelFacts, Rubric
from assay.judgement import kernel_facts
from assay.languages.architecture import architecture
from assay.languages.cuda.cuda_language import CudaLanguage
from assay.languages.cuda.cuda_tools import find_cutlass
from assay.languages.triton.triton_language import TritonLanguage
from assay.profile.compile.compile_only import AheadOfTimeCompiler
from assay.scores.rubric.binary_features import with_binaries
from assay.scores.rubric.kernel_placement import placed_unjudged
from support.rubric_kernels import (
    CUTE,
    DEAD_ASSEMBLY,
    HOPPER,
    PIPELINE,
    TORCH_MATMUL,
    TRITON_ADD,
    WMMA,
)

NO_NVCC, NO_TRITON = CudaLanguage().available(), TritonLanguage().available()
with_nvcc = pytest.mark.skipif(NO_NVCC is not None, reason=str(NO_NVCC))
with_triton = pytest.mark.skipif(NO_TRITON is not None, reason=str(NO_TRITON))
with_cutlass = pytest.mark.skipif(find_cutlass() is None, reason="pip install nvidia-cutlass")


@pytest.fixture(scope="module")
def compiler() -> Iterator[AheadOfTimeCompiler]:
    with AheadOfTimeCompiler() as made:
        yield made


def compiled(compiler: AheadOfTimeCompiler, path: str, text: str, arch: str = "sm_90a") -> Rubric:
    file = SourceFile(path=f"kernel.{path.rpartition('.')[2]}", text=text)
    candidate = Candidate(name=path, language="cuda", sources=(file,))
    report = compiler.compile(candidate, architecture(arch))
    return placed_unjudged(Provenance(), kernel_facts(candidate, (report,)))


def test_a_library_call_is_r1(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.py", TORCH_MATMUL)
    assert (found.representation, found.hardware) == (1, 1)
    assert found.reasons[1] == "R1: library calls: torch.matmul (k.py:5)"


@with_nvcc
@pytest.mark.exhaustive
def test_wmma_is_r4_h2(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.cu", WMMA)
    assert (found.representation, found.hardware) == (4, 2), found.reasons
    assert "mma.sync x" in found.reasons[2] and "product for sm_90a" in found.reasons[2]


@with_nvcc
def test_wgmma_and_tma_are_r4_h4(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.cu", HOPPER)
    assert (found.representation, found.hardware) == (4, 4), found.reasons
    assert "wgmma x1" in found.reasons[2] and "TMA x1" in found.reasons[2]
    assert "in the binary: inline assembly x" in found.reasons[1]


@with_nvcc
@pytest.mark.exhaustive
def test_assembly_that_is_in_no_kernel_does_not_count(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.cu", DEAD_ASSEMBLY)
    assert (found.representation, found.hardware) == (3, 1), found.reasons
    assert "in no kernel that was compiled" in found.reasons[1]
    assert "the binary for sm_90a does not hold it" in found.reasons[2]


@with_nvcc
@pytest.mark.exhaustive
def test_a_pipeline_of_asynchronous_copies_is_r4_h3(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.cu", PIPELINE)
    assert (found.representation, found.hardware) == (4, 3), found.reasons
    assert "cp.async x" in found.reasons[2]


@with_nvcc
@pytest.mark.exhaustive
def test_what_a_chip_lacks_is_not_in_its_binary(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.cu", PIPELINE, "sm_75")
    assert (found.representation, found.hardware) == (4, 1), found.reasons


@with_triton
@pytest.mark.exhaustive
def test_elementwise_triton_is_r2_h1(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.py", TRITON_ADD)
    assert (found.representation, found.hardware) == (2, 1), found.reasons
    assert found.reasons[1] == "R2: Triton (k.py:5)"


@with_nvcc
@with_cutlass
@pytest.mark.exhaustive
def test_cute_is_r3(compiler: AheadOfTimeCompiler) -> None:
    found = compiled(compiler, "k.cu", CUTE)
    assert (found.representation, found.hardware) == (3, 1), found.reasons
    assert found.reasons[1].startswith("R3: CuTe (k.cu:3)")


def _kernel(outcome: CompileOutcome, *families: InstructionFamily) -> CompileReport:
    kernel = CompiledKernel(
        name="k", arch="sm_90a", language="cuda", outcome=outcome, message="no header\nmore",
        instructions=families, spill_bytes=8,
    )  # fmt: skip
    return CompileReport(candidate_id="c", arch="sm_90a", kernels=(kernel,))


def test_machine_code_counts_before_ptx() -> None:
    families = (
        InstructionFamily(name="wgmma", assembly=2, binary=0),
        InstructionFamily(name="TMA", assembly=3),
        InstructionFamily(name="shuffle", assembly=1, binary=1),
    )
    facts = with_binaries(KernelFacts(), (_kernel(CompileOutcome.COMPILED, *families),))
    (tma,) = facts.features
    assert (tma.kind, tma.count, tma.origin) == (FeatureKind.TMA, 3, FeatureOrigin.BINARY)
    assert facts.compiled_for == ("sm_90a",) and facts.spill_bytes == 8 and facts.own_kernels


def test_a_kernel_that_was_not_compiled_is_named() -> None:
    facts = with_binaries(KernelFacts(), (_kernel(CompileOutcome.UNKNOWN),))
    assert facts.compiled_for == () and facts.unread == ("k for sm_90a: no header",)
    none = CompileReport(candidate_id="c", arch="sm_90a", reason="no kernel was found")
    assert with_binaries(KernelFacts(), (none,)).unread == ("for sm_90a: no kernel was found",)
