from __future__ import annotations

import pytest
import torch

from assay.source_analysis.tables.native_symbols import computed_by_symbol, is_compute_library
from assay.source_analysis.tables.operation_names import RANDOM, OpRole, base_role

_TOLD_OTHERWISE = ("_", "get_", "set_", "is_", "has_")


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN2at4_ops6mm_out4callERKNS_6TensorES4_RS2_", "at::mm_out"),
        ("_ZNK2at6Tensor6matmulERKS0_", "at::matmul"),
        ("_ZN2at4_ops5empty4callE", ""),
        ("_ZN2at4_ops19empty_memory_format4callEN3c108ArrayRefIlEE", ""),
        ("_ZN2at4_ops12fill__Scalar4callERNS_6TensorE", ""),
        ("_ZN2at4_ops15sum_dim_IntList4callERKNS_6TensorE", "at::sum_dim_IntList"),
        ("_ZN2at4_ops18normal_float_float4callE", "at::normal_float_float"),
        ("_ZN2at12parallel_forE", ""),
        ("_ZN3foo6matmulEv", ""),
        ("cblas_sgemm", "cblas_sgemm"),
        ("sgemm_", "sgemm_"),
        ("aten::mm", "aten::mm"),
        ("aten::empty", ""),
        ("openblas_set_num_threads", ""),
        ("run", ""),
    ],
)
def test_a_symbol_is_judged_by_the_operation_it_names(symbol: str, name: str) -> None:
    assert computed_by_symbol(symbol) == name


def test_an_overload_is_judged_as_its_operation() -> None:
    """Of every operation of this torch: none that computes passes, and none that does not fails."""
    wrong, judged = [], 0
    for name in torch._C._dispatch_get_all_op_names():
        space, _, full = name.partition("::")
        base, _, overload = full.partition(".")
        # What asks for settings is told by its beginning; random numbers have a rule of their own.
        if space != "aten" or base.startswith(_TOLD_OTHERWISE) or base.rstrip("_") in RANDOM:
            continue
        struct = f"{base}_{overload}" if overload else base
        computed = bool(computed_by_symbol(f"_ZN2at4_ops{len(struct)}{struct}4callE"))
        judged += 1
        if computed is not (base_role(base) is OpRole.COMPUTE):
            wrong.append(struct)
    assert judged > 1000 and not wrong


@pytest.mark.parametrize(
    ("path", "ready"),
    [
        ("/site-packages/torch/lib/libtorch_cpu.so", True),
        ("libopenblas.so.0", True),
        ("libmkl_rt.so.2", True),
        ("/x/numpy.libs/libscipy_openblas64_-ff651d7f.so", True),
        ("*/torch_kernel.so", False),
        ("/tmp/build/k.so", False),
        ("libm.so.6", False),
    ],
)
def test_libraries_of_ready_computations(path: str, ready: bool) -> None:
    assert is_compute_library(path) is ready
