"""CUDA sources are found by reading, and only taken where they are known in full."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.languages.cuda.cuda_device_code import device_lines, device_only, kernel_heads
from assay.languages.cuda.cuda_sources import CudaSource, cuda_sources
from assay.languages.cuda.cuda_stubs import needs_torch, stub_files

KERNEL = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2.f; }'


def found(text: str) -> tuple[CudaSource, ...]:
    file = SourceFile(path="kernel.py", text=text)
    return cuda_sources(Candidate(name="k", language="cuda", sources=(file,)))


@pytest.mark.parametrize(
    "text",
    [
        f"m = load_inline(name='m', cuda_sources=r'''{KERNEL}''')",
        f"m = load_inline(name='m', cuda_sources=[r'''{KERNEL}'''])",
        f"k = cp.RawKernel(r'''{KERNEL}''', 'twice')",
        f"SOURCE = r'''{KERNEL}'''\nk = cp.RawKernel(SOURCE, 'twice')",
        f"SOURCE = textwrap.dedent(r'''{KERNEL}''').strip()",
        f"HEAD = '#include <mma.h>\\n'\nBODY = r'''{KERNEL}'''\nSOURCE = HEAD + BODY",
        f"SOURCE = f'''{KERNEL.replace('{', '{{').replace('}', '}}')}'''",
    ],
)
def test_a_source_is_found_once_and_whole(text: str) -> None:
    (source,) = found(text)
    assert source.whole and KERNEL in source.text
    assert [head.name for head in kernel_heads(source.text)] == ["twice"]


@pytest.mark.parametrize(
    "text",
    [
        f"SOURCE = r'''{KERNEL}''' % 3",
        f"SOURCE = r'''{KERNEL}'''\nk = cp.RawKernel(SOURCE.replace('2', str(n)), 'twice')",
        "SOURCE = f'''__global__ void twice(float* x) {{ x[0] *= {factor}; }}'''",
        f"SOURCE = string.Template(r'''{KERNEL}''').substitute(n=3)",
    ],
)
def test_what_is_filled_in_while_running_is_not_taken_for_the_source(text: str) -> None:
    assert [source.whole for source in found(text)] == [False]


def test_prose_is_no_source() -> None:
    assert found('"""This calls a __global__ void kernel(float*)."""\nX = "__global__"\n') == ()
    assert found("this is no python (") == ()


def test_files_and_flags() -> None:
    files = (
        SourceFile(path="kernel.py", text="load(sources=['k.cu'])"),
        SourceFile(path="k.cu", text=KERNEL),
    )
    (source,) = cuda_sources(Candidate(name="k", language="cuda", sources=files))
    assert source.where("twice", 1) == "k.cu:1"
    flags = "extra_cuda_cflags=['-O3', '--use_fast_math', '-DN=4', '-ccbin=/tmp/x', '-I/etc']"
    (source,) = found(f"m = load_inline(cuda_sources=r'''{KERNEL}''', {flags})")
    assert source.flags == ("-O3", "--use_fast_math", "-DN=4")


TORCH = r"""
#include <torch/extension.h>
// __global__ void commented_out(int) {}
namespace {
template <typename T, int N>
__global__ void __launch_bounds__(128, 2) fill(T* out) { out[threadIdx.x] = T(N); }
}
struct Pair { float a, b; };
__device__ __forceinline__ float twice(float x) { return 2.f * x; }
torch::Tensor run(torch::Tensor x) {
  fill<float, 4><<<1, 128>>>(x.data_ptr<float>());
  return x;
}
static int plain_host(int x) { return x + 1; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""


def test_device_code_stays_and_host_code_goes_line_by_line() -> None:
    assert [(head.name, head.line) for head in kernel_heads(TORCH)] == [("fill", 6)]
    kept = device_only(TORCH)
    assert "struct Pair" in kept and "__device__" in kept and "&fill<float, 32>" in kept
    assert not any(word in kept for word in ("torch", "PYBIND11", "plain_host"))
    assert kept.splitlines()[5] == TORCH.splitlines()[5]
    assert {5, 6, 9} <= device_lines(TORCH) and not {10, 11, 14} & device_lines(TORCH)


def test_every_header_of_torch_leads_to_the_stub() -> None:
    assert needs_torch(TORCH) and not needs_torch(KERNEL)
    files = stub_files("#include <ATen/cuda/CUDAContext.h>\n#include <torch/../../x.h>\n")
    assert set(files) == {"host_stubs.h", "ATen/cuda/CUDAContext.h"}
    assert '"../../host_stubs.h"' in files["ATen/cuda/CUDAContext.h"]
