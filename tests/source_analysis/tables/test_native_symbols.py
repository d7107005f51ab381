from __future__ import annotations

import pytest

from assay.source_analysis.tables.native_symbols import computed_by_symbol, is_compute_library


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN2at4_ops6mm_out4callERKNS_6TensorES4_RS2_", "at::mm_out"),
        ("_ZNK2at6Tensor6matmulERKS0_", "at::matmul"),
        ("_ZN2at4_ops5empty4callE", ""),
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
