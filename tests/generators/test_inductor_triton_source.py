"""The Triton of torch.compile as a candidate: what Inductor answered is made up."""

from __future__ import annotations

import ast

import pytest

from assay.generators.inductor_process import CompiledReference
from assay.generators.inductor_triton_module import inductor_triton_module
from assay.generators.inductor_triton_source import triton_candidate_text
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import resolve

MODULE = """
triton_red_fused_amax_0 = async_compile.triton('triton_red_fused_amax_0', '''
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(size_hints={'x': 64, 'r0_': 512}, filename=__file__)
@triton.jit
def triton_red_fused_amax_0(
    in_ptr0, out_ptr0, ks0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr
):
    xoffset = tl.program_id(0) * XBLOCK
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
    tmp2 = triton_helpers.max2(_tmp2, 1)[:, None]
    tl.store(out_ptr0 + xoffset, tl_math.abs(tmp2))
''', device_str='cuda')

class Runner:
    def call(self, args):
        arg0_1, arg1_1 = args
        args.clear()
        s0 = arg0_1
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((s0, ), (1, ), torch.float32)
            stream0 = get_raw_stream(0)
            triton_red_fused_amax_0.run(arg1_1, buf0, s0, s0, 512, stream=stream0)
            return (buf0, )
"""


def answer(module: str = MODULE) -> CompiledReference:
    return CompiledReference(
        module=module,
        arguments=("L['x'].size()[0]", "L['x']"),
        tensors=("", "torch.float32"),
        conditions=("s0 >= 2",),
        sizes=(("s0", "L['x'].size()[0]"),),
        flags=(),
        returns_tuple=False,
        updates_inputs=False,
    )


def test_kernels_are_plain_functions_with_a_fixed_launch() -> None:
    text = triton_candidate_text(resolve("softmax"), answer())
    ast.parse(text)
    assert candidate_of_text(text).language == "triton"
    for name in ("triton_heuristics", "triton_helpers", "async_compile", "stream0", "_inductor"):
        assert name not in text
    assert "triton_red_fused_amax_0[triton.cdiv(s0, 1),]" in text
    assert "XBLOCK=1, R0_BLOCK=1024, num_warps=4)" in text
    assert "def max2(a, dim)" in text
    assert "tl.math.abs" in text
    assert "device='cuda'" in text


def test_a_helper_that_is_not_known_is_named() -> None:
    changed = MODULE.replace("triton_helpers.max2", "triton_helpers.bucketize_binary_search")
    with pytest.raises(ValueError, match="bucketize_binary_search"):
        inductor_triton_module(changed)


def test_a_task_that_is_a_library_call_has_no_candidate() -> None:
    module = """
def call(args):
    arg0_1, arg1_1 = args
    buf0 = empty_strided_cuda((2, 2), (2, 1), torch.float32)
    extern_kernels.mm(arg1_1, arg1_1, out=buf0)
    return (buf0, )
"""
    with pytest.raises(ValueError, match="it calls mm"):
        triton_candidate_text(resolve("softmax"), answer(module))
