"""Kernels compiled for chips that are not here: real compilers, behind the wall."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import cast

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.observations.compilation import CompiledKernel, CompileOutcome, CompileReport
from assay.languages.architecture import architecture
from assay.languages.cuda.cuda_language import CudaLanguage
from assay.languages.cuda.cuda_sources import cuda_sources
from assay.languages.cuda.cuda_tools import find_cuobjdump
from assay.languages.triton.triton_language import TritonLanguage
from assay.profile.compile.compile_only import AheadOfTimeCompiler, compile_only
from assay.profile.compile.compiler_sandbox import CompilerSandbox, message
from assay.profile.compile.cuda_compiler import CudaCompiler

NO_NVCC, NO_TRITON = CudaLanguage().available(), TritonLanguage().available()
with_nvcc = pytest.mark.skipif(NO_NVCC is not None, reason=str(NO_NVCC))
with_triton = pytest.mark.skipif(NO_TRITON is not None, reason=str(NO_TRITON))


@pytest.fixture(scope="module")
def compiler() -> Iterator[AheadOfTimeCompiler]:
    with AheadOfTimeCompiler() as made:
        yield made


def candidate(text: str, language: str = "cuda") -> Candidate:
    file = SourceFile(path="kernel.py", text=dedent(text))
    return Candidate(name="k", language=language, sources=(file,))


def by_name(report: CompileReport) -> dict[str, CompiledKernel]:
    return {kernel.name: kernel for kernel in report.kernels}


CUDA = """
    from torch.utils.cpp_extension import load_inline
    extension = load_inline(name="e", cpp_sources="", functions=["run"], cuda_sources=r'''
    #include <torch/extension.h>
    #include <c10/cuda/CUDAGuard.h>
    template <typename scalar_t>
    __global__ void reversed_sum(const scalar_t* in, scalar_t* out) {
      __shared__ scalar_t tile[256];
      tile[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      atomicAdd(out, tile[255 - threadIdx.x]);
    }
    torch::Tensor run(torch::Tensor x) {
      TORCH_CHECK(x.is_cuda(), "x must be on a GPU");
      const c10::cuda::CUDAGuard guard(x.device());
      auto out = torch::zeros({1}, x.options());
      AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "run", ([&] {
        reversed_sum<scalar_t><<<1, 256>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>());
      }));
      return out;
    }
    ''')
    broken = cp.RawKernel('extern "C" __global__ void broken(int* x) { *x = nothing; }', "broken")
"""


@with_nvcc
@pytest.mark.exhaustive
def test_cuda_for_hopper_without_torchs_headers(compiler: AheadOfTimeCompiler) -> None:
    report = compiler.compile(candidate(CUDA), architecture("sm_90a"))
    kernel, broken = by_name(report)["reversed_sum"], by_name(report)["broken"]
    assert kernel.outcome is CompileOutcome.COMPILED and kernel.where == "kernel.py:7"
    assert kernel.registers and kernel.shared_bytes == 1024 and kernel.spill_bytes == 0
    assert kernel.assembly_bytes and kernel.binary_bytes
    assert kernel.assumed == ("stubs in place of torch's headers",)
    (atomics,) = [one for one in kernel.instructions if one.name == "atomics"]
    assert atomics.assembly == 1
    assert atomics.binary is None if find_cuobjdump() is None else atomics.binary
    assert broken.outcome is CompileOutcome.FAILED
    assert 'identifier "nothing" is undefined' in broken.message
    assert report.outcome is CompileOutcome.FAILED and report.compilers[0].startswith("nvcc ")


@with_nvcc
def test_a_header_that_is_not_here_is_no_fault_of_the_candidate(
    compiler: AheadOfTimeCompiler,
) -> None:
    text = '#include </etc/passwd>\nextern "C" __global__ void k(int* x) { *x = 1; }'
    (kernel,) = compiler.compile(candidate(f"S = {text!r}"), architecture("sm_90a")).kernels
    assert kernel.outcome is CompileOutcome.UNKNOWN and "root:" not in kernel.message
    assert "a header is not on this machine" in kernel.message


@with_nvcc
def test_host_code_beyond_the_stubs_is_left_out(compiler: AheadOfTimeCompiler) -> None:
    text = CUDA.replace("return out;", "return at::native::of_its_own(out);")
    kernel = by_name(compiler.compile(candidate(text), architecture("sm_80")))["reversed_sum"]
    assert kernel.outcome is CompileOutcome.COMPILED
    assert kernel.assumed == ("host functions left out", "template arguments: float, 32, true")


TRITON = """
    import torch, triton
    import triton.language as tl

    @triton.jit
    def add(x, y, n, BLOCK: tl.constexpr):
        o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(y + o, tl.load(x + o, mask=o < n), mask=o < n)

    @triton.autotune([triton.Config({"B": 64}, num_warps=4, num_stages=2)], key=["K"])
    @triton.jit
    def product(a, b, c, K, B: tl.constexpr):
        r = tl.arange(0, B)
        ap, bp = a + r[:, None] * K + r[None, :], b + r[:, None] * K + r[None, :]
        total = tl.zeros((B, B), tl.float32)
        for _ in range(0, K, B):
            total = tl.dot(tl.load(ap).to(tl.float16), tl.load(bp).to(tl.float16), total)
            ap += B
            bp += B * K
        tl.store(c + r[:, None] * K + r[None, :], total)

    @triton.jit
    def broken(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), nothing)
"""


@with_triton
@pytest.mark.parametrize(("arch", "units"), [("sm_90a", "wgmma"), ("gfx942", "v_mfma")])
def test_triton_for_chips_that_are_not_here(
    compiler: AheadOfTimeCompiler, arch: str, units: str
) -> None:
    report = compiler.compile(candidate(TRITON, "triton"), architecture(arch))
    found = by_name(report)
    add, product, broken = found["add"], found["product"], found["broken"]
    assert {add.outcome, product.outcome} == {CompileOutcome.COMPILED}
    assert add.registers and product.registers and product.shared_bytes
    assert any(one.name == "atomics" for one in add.instructions)
    assert any(one.name == units for one in product.instructions)
    assert product.assembly_bytes and product.binary_bytes and product.spill_bytes is not None
    assert "B = 64 (first of its configurations)" in product.assumed
    assert "a, b, c: *fp32, divisible by 16" in product.assumed
    assert broken.outcome is CompileOutcome.UNKNOWN and "nothing is not defined" in broken.message
    assert report.outcome is CompileOutcome.UNKNOWN


@with_triton
def test_hints_of_a_launch_are_given(compiler: AheadOfTimeCompiler) -> None:
    """Without divisibility the same product shows no asynchronous copy at all."""
    report = compiler.compile(candidate(TRITON, "triton"), architecture("sm_80"))
    families = {one.name for one in by_name(report)["product"].instructions}
    assert {"cp.async", "mma.sync"} <= families


@with_triton
def test_the_file_is_imported_behind_the_wall_alone(
    compiler: AheadOfTimeCompiler, tmp_path: Path
) -> None:
    mark = tmp_path / "it_ran"
    text = dedent(TRITON) + f"\nopen({str(mark)!r}, 'w')\n"
    report = compiler.compile(candidate(text, "triton"), architecture("sm_90a"))
    assert {kernel.outcome for kernel in report.kernels} == {CompileOutcome.UNKNOWN}
    assert all("it_ran" in kernel.message for kernel in report.kernels)
    assert not mark.exists()


@with_triton
def test_a_candidate_that_ends_its_process_is_unknown(compiler: AheadOfTimeCompiler) -> None:
    text = dedent(TRITON) + "\nimport os\nos._exit(0)\n"
    report = compiler.compile(candidate(text, "triton"), architecture("sm_90a"))
    assert {kernel.outcome for kernel in report.kernels} == {CompileOutcome.UNKNOWN}


def test_without_its_compiler_a_kernel_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CUDA_HOME", "/nowhere")
    nobody = cast(CompilerSandbox, None)
    for source in cuda_sources(candidate(CUDA)):
        (kernel,) = CudaCompiler(nobody, architecture("sm_90a")).compile(source)
        assert kernel.outcome is CompileOutcome.UNKNOWN
        assert "install the CUDA toolkit" in kernel.message
        (kernel,) = CudaCompiler(nobody, architecture("gfx942")).compile(source)
        assert kernel.outcome is CompileOutcome.UNKNOWN and "gfx942" in kernel.message


def test_nothing_to_compile_is_no_pass() -> None:
    report = compile_only(candidate("class ModelNew: ...\n", "torch"), "sm_90a")
    assert report.kernels == () and report.outcome is CompileOutcome.UNKNOWN
    assert "no CUDA or Triton kernel" in report.reason


def test_a_message_is_bounded_and_printable() -> None:
    text = message(
        "\x1b[31mred\x07 /scratch/bench/kernel.cu(1)\n" + "x" * 10_000, ("/scratch/bench",)
    )
    assert "\x1b" not in text and "\x07" not in text and "/scratch" not in text
    assert len(text) <= 4000
