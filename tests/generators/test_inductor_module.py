"""The module that Inductor writes, read without running it."""

from __future__ import annotations

import pytest

from assay.generators.inductor_module import inductor_module

KERNEL = '''
from torch._inductor.async_compile import AsyncCompile
async_compile = AsyncCompile()
cpp_fused_mul_0 = async_compile.cpp_pybinding(['const float*', 'float*', 'const int64_t'], r"""
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       const int64_t ks0)
{
    for(int64_t x0=0L; x0<ks0; x0+=1L) out_ptr0[x0] = in_ptr0[x0] * 2.0f;
}
""")
'''
RUNNER = """
class Runner:
    def __init__(self, partitions):
        self.partitions = partitions
    def call(self, args):
        arg0_1, arg1_1 = args
        args.clear()
        s0 = arg0_1
        assert_size_stride(arg1_1, (s0, 4), (4, 1))
        buf0 = empty_strided_cpu((s0, 4), (4, 1), torch.float32)
        BODY
        return (buf0, )
"""


def module(body: str) -> str:
    return KERNEL + RUNNER.replace("BODY", body)


def test_kernels_and_call_use_nothing_of_inductors_runtime() -> None:
    found = inductor_module(module("cpp_fused_mul_0(arg1_1, buf0, s0)"))
    (kernel,) = found.kernels
    assert kernel.name == "cpp_fused_mul_0"
    assert 'extern "C"  void  cpp_fused_mul_0(const float* in_ptr0' in kernel.source
    assert kernel.ctypes == ("c_void_p", "c_void_p", "c_int64")
    assert "LIB.cpp_fused_mul_0(arg1_1.data_ptr(), buf0.data_ptr(), s0)" in found.call
    assert "torch.empty_strided((s0, 4), (4, 1), dtype=torch.float32)" in found.call
    assert "args.clear" not in found.call
    assert found.library_calls == ()


def test_library_calls_become_torchs_and_are_named() -> None:
    found = inductor_module(
        module("extern_kernels.mm(reinterpret_tensor(arg1_1, (4, s0), (1, 4), 2), buf0, out=buf0)")
    )
    assert found.library_calls == ("mm",)
    strided = "arg1_1.as_strided((4, s0), (1, 4), arg1_1.storage_offset() + 2)"
    assert f"torch.mm({strided}, buf0, out=buf0)" in found.call


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("run_intermediate_hooks('a', buf0)", "run_intermediate_hooks"),
        ("extern_kernels.cpp_CppMicroGemm(buf0)", "cpp_CppMicroGemm"),
        ("cpp_fused_mul_0(arg1_1, buf0)", "2 arguments"),
    ],
)
def test_what_cannot_stand_alone_is_said(body: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        inductor_module(module(body))


def test_a_module_without_call_is_refused() -> None:
    with pytest.raises(ValueError, match="no function `call`"):
        inductor_module(KERNEL)
