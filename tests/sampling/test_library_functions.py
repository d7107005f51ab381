"""Functions of object files: where they are, and which of them compute."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay.sampling.compute_names import computes
from assay.sampling.library_functions import library_functions

SOURCE = """
#define APART __attribute__((noinline, section(".text"), used))
APART static float product(const float* x, int n) { float s = 1; while (n--) s *= x[n]; return s; }
APART float _gfortran_matmul_r4(const float* x, int n) { return product(x, n) + 1; }
APART float _gfortran_compare_string(const float* x) { return *x; }
"""


@pytest.mark.parametrize("flags", [[], ["-s"]])
def test_a_private_function_belongs_to_the_next_exported_one(
    tmp_path: Path, flags: list[str]
) -> None:
    (tmp_path / "code.c").write_text(SOURCE)
    path = tmp_path / "libgfortran-1.so"
    command = ["gcc", "-O1", "-fno-toplevel-reorder", *flags, "-shared", "-fPIC"]
    subprocess.run([*command, "-o", path, tmp_path / "code.c"], check=True)
    functions = library_functions(str(path))
    assert functions is not None
    names = [functions.name(i).decode() for i in range(len(functions.ends))]
    at = names.index("_gfortran_matmul_r4")
    start, end = functions.bounds(at)
    assert functions.computes_at(end - 1) == "_gfortran_matmul_r4"
    if flags:  # what lies between has no name of its own
        assert functions.computes_at(functions.bounds(at - 1)[1] if at else start)
    text = functions.bounds(names.index("_gfortran_compare_string"))[1] - 1
    assert functions.computes_at(text) == "" == functions.computes_at(0)


@pytest.mark.parametrize("flags", [[], ["-s"]])
def test_mathematics_is_what_bears_its_name_and_nothing_before_it(
    tmp_path: Path, flags: list[str]
) -> None:
    (tmp_path / "code.c").write_text(SOURCE.replace("_gfortran_matmul_r4", "Sleef_expf8_u10"))
    path = tmp_path / "libtorch_cpu.so"
    command = ["gcc", "-O1", "-fno-toplevel-reorder", *flags, "-shared", "-fPIC"]
    subprocess.run([*command, "-o", path, tmp_path / "code.c"], check=True)
    functions = library_functions(str(path))
    assert functions is not None
    names = [functions.name(i).decode() for i in range(len(functions.ends))]
    at = names.index("Sleef_expf8_u10")
    assert functions.is_mathematics_at(int(functions.symbol_starts[at]))
    assert not functions.is_mathematics_at(int(functions.symbol_starts[at]) - 1)
    assert not functions.is_mathematics_at(functions.bounds(at)[1])


def test_a_text_has_no_functions(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no object")
    assert library_functions(str(tmp_path / "text.so")) is None


@pytest.mark.parametrize(
    ("file_name", "function", "expected"),
    [
        ("libopenblas.so.0", b"sgemm_kernel_HASWELL", True),
        ("libtorch_cpu.so", b"_ZGVdN8v_Sleef_expf_u10", False),
        ("libgfortran.so.5", b"_gfortran_matmul_r8", True),
        ("libgfortran.so.5", b"_gfortran_msum_r4", True),
        ("libgfortran.so.5", b"_gfortran_st_write", False),
        ("math.cpython-311-x86_64-linux-gnu.so", b"math_fsum", True),
        ("math.cpython-311-x86_64-linux-gnu.so", b"math_exp", False),
        ("libpython3.11.so.1.0", b"_PyEval_EvalFrameDefault", False),
        ("libtorch_cpu.so", b"_ZN2at6native12_GLOBAL__N_110neg_kernelE", True),
        ("libtorch_cpu.so", b"mkl_blas_avx512_sgemm_kernel", True),
        ("libtorch_cpu.so", b"Sleef_expf8_u10avx2", False),
        ("libtorch_cpu.so", b"mkl_vml_kernel_sExp", True),
        ("libtorch_cpu.so", b"_ZNSt6vectorIfSaIfEE9push_backERKf", False),
        ("libtorch_cpu.so", b"_ZN2at3vec6AVX2510VectorizedIfE3mapE", False),
        ("_multiarray_umath.cpython-311-x86_64-linux-gnu.so", b"__svml_exp8", False),
        ("_multiarray_umath.cpython-311-x86_64-linux-gnu.so", b"FLOAT_add_AVX2", True),
    ],
)
def test_which_functions_compute(file_name: str, function: bytes, expected: bool) -> None:
    assert computes(file_name, function) is expected
