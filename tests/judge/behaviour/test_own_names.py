"""Which names of kernels are the candidate's: what its code defines, not what it says."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.judge.behaviour.kernel_owner import KernelOwner, owner
from assay.judge.behaviour.own_names import OwnNames, own_names
from corpus_case import CUDA_CORPUS

CUB = "void cub::CUB_300102_SM_900::detail::reduce::DeviceReduceKernel<float>(float*)"
SHIPPED = "void cub::CUB_300102_SM_750_800_860_890_900::detail::reduce::DeviceReduceKernel<float>()"
TRANSFORM = "void vector_fft<4096u, EPT<8u>, 16u, 16u, (padding_t)1, float>(kernel_arguments_t)"


def _names(text: str, path: str = "kernel.py") -> OwnNames:
    file = SourceFile(path=path, text=text)
    return own_names(Candidate(name="k", language="torch", sources=(file,)))


def _of_case(name: str) -> OwnNames:
    return _names((CUDA_CORPUS / name / "kernel.py").read_text())


@pytest.mark.parametrize(
    ("case", "kernel"),
    [
        ("row_sum/cluster_of_blocks", "row_sums(const float *, float *, int)"),
        ("row_sum/ptx_by_driver", "row_sums_of_warps"),
        ("row_sum/cupy_reduction_kernel", "sums_of_rows"),
        ("row_sum/cub_headers", CUB),
        ("row_sum/numba_cuda", "cudapy::__main__::row_sum_kernel[abi:v1](Array<float, 2, C>)"),
        ("gelu/jiterator", "gelu_of_one_vectorized4_kernel"),
        ("gelu/triton_inline_ptx", "gelu_kernel"),
        ("gelu/nvrtc_named_like_a_library", "gelu_conv2d_gemm_epilogue"),
        ("softmax/memo_on_the_device", "softmax_rows"),
        ("softmax/nvcc_ctypes", "softmax_rows"),
        ("matmul/library_behind_many_names", "void product_step<17>(float *, int)"),
    ],
)
def test_what_the_source_defines_is_the_candidates(case: str, kernel: str) -> None:
    assert owner(kernel, _of_case(case)) is KernelOwner.OWN


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void __launch_bounds__(256, 2) rows(float* x) {}",
        "__global__ void\n__launch_bounds__(max(1, N))\nrows(float* x) {}",
        "__global__ __cluster_dims__(2, 1, 1) void rows(float* x) {}",
        'extern "C" __global__ void rows (float* x) {}',
        "namespace mine { static __global__ void rows(float* x) {} }",
        "// in short\n__global__ void rows(float* x) {}",
    ],
)
def test_attributes_do_not_hide_a_definition(text: str) -> None:
    assert _names(text, "kernel.cu").have("mine::rows(float*)")
    assert not _names(text, "kernel.cu").have("void mine::rows<4>(float*)")


def test_an_instance_of_a_template_is_own_where_the_source_has_the_template() -> None:
    text = "template <typename T, int N>\n__global__ void rows(T* x) {}\n__global__ void other() {}"
    names = _names(text, "kernel.cu")
    assert names.have("void rows<float, 4>(float*)") and names.have("other()")
    assert not names.have("void other<4>(float*)")
    macro = "#define MANY template <int N> __global__ void\nMANY rows(float* x) {}"
    assert _names(macro, "kernel.cu").have("void rows<4>(float*)")
    pasted = "#define ONE(n) __global__ void step_of_##n(float* x) {}\nONE(first) ONE(second)"
    assert _names(pasted, "kernel.cu").have("step_of_first(float*)")


def test_parameters_and_template_arguments_claim_nothing() -> None:
    names = _names('NAMES = ("float", "kernel_arguments_t", "EPT")\ndef padding_t(): pass')
    assert not names.have("void reduced<float, EPT>(kernel_arguments_t, padding_t, float)")


def test_a_quoted_name_is_no_template_of_a_librarys() -> None:
    names = _names('NAMES = ("vector_fft", "rows")')
    assert names.have("rows") and not names.have(TRANSFORM)
    assert owner(TRANSFORM, _of_case("row_sum/cufft_named_as_own")) is KernelOwner.LIBRARY
    assert owner("vector_fft", _of_case("row_sum/cufft_named_as_own")) is KernelOwner.OWN


@pytest.mark.parametrize(
    "text",
    [
        "#include <cub/cub.cuh>\nimport torch",
        '"""As one would with\n#include <cub/cub.cuh>\n"""',
        'SOURCE = r"""\n// #include <cub/cub.cuh>\nvoid run() {}\n"""',
        'SOURCE = r"""\n/* #include <cub/cub.cuh> */\nvoid run() {}\n"""',
    ],
)
def test_headers_in_comments_are_not_included(text: str) -> None:
    assert owner(CUB, _names(text)) is KernelOwner.LIBRARY


def test_what_was_compiled_for_many_devices_was_not_compiled_by_the_candidate() -> None:
    names = _names('SOURCE = r"""\n#include <cub/cub.cuh>\nvoid run() {}\n"""')
    assert owner(CUB, names) is KernelOwner.OWN
    assert owner(SHIPPED, names) is KernelOwner.LIBRARY


def test_a_file_that_does_not_parse_is_read_as_it_is() -> None:
    assert _names("def rows(:\n").have("rows")
