"""Which functions of a library are its own computing, by name."""

from __future__ import annotations

import pytest

from assay.sampling.compute_names import computes, is_mathematics

FORTRAN = "libgfortran-040039e1.so.5.0.0"


@pytest.mark.parametrize("name", ["count_8_l", "any_l4", "iparity_i4", "arandom_r4", "cshift0_4"])
def test_what_fortran_does_to_arrays_computes(name: str) -> None:
    assert computes(FORTRAN, b"_gfortran_" + name.encode())


@pytest.mark.parametrize("name", ["internal_pack", "random_seed_i4", "reshape_r4", "st_write"])
def test_what_a_compiler_calls_for_itself_does_not(name: str) -> None:
    assert not computes(FORTRAN, b"_gfortran_" + name.encode())


@pytest.mark.parametrize("name", ["mkl_vml_kernel_sErf_Z0HAynn", "mkl_blas_avx2_sgemm_kernel_0"])
def test_functions_of_whole_arrays_compute(name: str) -> None:
    assert computes("libtorch_cpu.so", name.encode())


@pytest.mark.parametrize("name", ["npy_quicksort_impl", "npy_atimsort", "npy_heapsort"])
def test_numpys_sorts_compute_whoever_compares(name: str) -> None:
    file_name = "_multiarray_umath.cpython-311-x86_64-linux-gnu.so"
    assert computes(file_name, name.encode()) and not is_mathematics(name.encode())
    assert is_mathematics(b"npy_cexpf") and not computes(file_name, b"npy_cexpf")


@pytest.mark.parametrize("name", ["Sleef_expf16_u10", "_ZGVeN16v_expf", "mkl_serv_malloc"])
def test_functions_of_one_vector_work_for_whoever_calls_them(name: str) -> None:
    assert not computes("libtorch_cpu.so", name.encode())
