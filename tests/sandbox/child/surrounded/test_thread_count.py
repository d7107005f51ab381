"""Thread count: one for everybody who computes, and back."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from assay.sandbox.child.surrounded.thread_count import smaller_teams, thread_count
from assay.sandbox.child.untouched.native_settings import _torchs_library, native_settings


def test_numba_has_one_thread_too_where_it_has_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        _is_initialized = True
        count = 4

        def get_num_threads(self) -> int:
            return self.count

        def set_num_threads(self, count: int) -> None:
            self.count = count

    pool = Pool()
    monkeypatch.setitem(sys.modules, "numba.np.ufunc.parallel", pool)  # type: ignore[arg-type]
    with thread_count(True):
        assert pool.count == 1
    assert pool.count == 4
    pool._is_initialized = False
    with thread_count(True):
        assert pool.count == 4


def test_more_threads_than_before_and_as_many_again_afterwards() -> None:
    before = torch.get_num_threads()
    with thread_count(one=False, more=True):
        assert torch.get_num_threads() > before
    assert torch.get_num_threads() == before


TEAM = "#include <omp.h>\nint asked(void) { return omp_get_dynamic(); }"


def test_openmp_may_start_smaller_teams_for_a_while(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(TEAM)
    made = str(tmp_path / "k.so")
    command = ["cc", "-fopenmp", "-shared", "-fPIC", "-o", made, str(tmp_path / "k.c")]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(made)
    with smaller_teams(False):
        assert library.asked() == 0
    with smaller_teams(True):
        assert library.asked() == 1
    assert library.asked() == 0


@pytest.mark.skipif("mkl.num_threads" not in native_settings(), reason="torch has no MKL")
def test_mkl_has_its_own_count_again_where_torch_has_another() -> None:
    """OpenMP's function changes torch's count and leaves MKL's."""
    library, before = _torchs_library(), torch.get_num_threads()
    assert library is not None
    torch.set_num_threads(2)
    try:
        library.omp_set_num_threads(3)
        with thread_count(True):
            assert native_settings()["mkl.num_threads"] == "1"
        assert (torch.get_num_threads(), native_settings()["mkl.num_threads"]) == (3, "2")
    finally:
        torch.set_num_threads(before)
