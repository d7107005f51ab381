"""What a survey says of MKL's and OpenMP's own settings, which torch's names do not show."""

from __future__ import annotations

import pytest
import torch

from assay.sandbox.child.untouched.native_settings import follows_torch, native_settings
from assay.sandbox.host.deadline import Deadline
from support.walls import Room

needs_mkl = pytest.mark.skipif(
    "mkl.num_threads" not in native_settings(), reason="torch is built without MKL"
)
needs_openmp = pytest.mark.skipif(
    "omp.dynamic" not in native_settings(), reason="torch is built without OpenMP"
)
_LIBRARY = """
import ctypes, os, torch
library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
"""
_HONEST = """
import numba, numpy, torch
torch.set_num_threads(3)
library.omp_set_num_threads(4)
library.omp_set_max_active_levels(1)
x = torch.randn(300, 300)
x @ x, x.exp(), torch.linalg.inv(x), torch.fft.fft(x), x.sum()

@numba.njit(parallel=True)
def total(values):
    found = 0.0
    for i in numba.prange(len(values)):
        found += values[i]
    return found

total(numpy.ones(1000))
"""


def _told(room: Room, source: str) -> set[str]:
    """Names of native settings that a survey tells of; a room has one thread."""
    with room.enter() as inside:
        assert inside.load(_LIBRARY + source).code == 0, inside.session.statement()
        told = inside.session.survey(Deadline.after(10.0))
    names = {line.partition("\t")[0] for line in told}
    return {name for name in names if name.startswith(("mkl.", "omp."))}


@needs_mkl
@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("library.MKL_Set_Num_Threads_Local(3)", "mkl.num_threads"),
        ("library.mkl_serv_set_num_threads(3)", "mkl.process_threads"),
        ("library.vmlSetMode(3)", "mkl.accuracy"),
    ],
)
def test_settings_of_mkl_that_are_left_changed_are_told_of(
    best_room: Room, source: str, name: str
) -> None:
    assert _told(best_room, source) == {name}


@needs_openmp
def test_settings_of_openmp_that_take_torchs_threads_away_are_told_of(best_room: Room) -> None:
    source = "library.omp_set_dynamic(1), library.omp_set_max_active_levels(0)"
    assert _told(best_room, source) == {"omp.dynamic", "omp.parallel"}


@needs_openmp
def test_threads_for_torch_for_openmp_and_for_numba_leave_nothing(best_room: Room) -> None:
    assert not _told(best_room, _HONEST)


@needs_mkl
def test_reading_changes_nothing() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        first = native_settings()
        assert (first["mkl.num_threads"], native_settings()) == ("3", first)
    finally:
        torch.set_num_threads(before)


def test_a_count_of_mkl_is_torchs_where_torch_has_it_or_was_given_it() -> None:
    settings = {
        "torch.num_threads": "2, set to 4",
        "mkl.num_threads": "4",
        "mkl.process_threads": "1",
    }
    assert follows_torch("mkl.num_threads", settings)
    assert follows_torch("mkl.num_threads", {**settings, "torch.num_threads": "4"})
    assert not follows_torch("mkl.num_threads", {**settings, "torch.num_threads": "14"})
    assert not follows_torch("mkl.process_threads", settings)
    assert not follows_torch("torch.num_threads", settings)
