"""Addresses belong to the place their code lies in, whatever its name."""

from __future__ import annotations

import ctypes
import mmap
import os

import numpy as np
import pytest

from assay.sampling import mapped_objects
from assay.sampling.mapped_objects import (
    MappedObjects,
    MappedRange,
    Owner,
    executable_ranges,
    owner_of,
)

SITE = "/opt/venv/lib/python3.11/site-packages"
MAPS = f"""\
55d000000000-55d000001000 r--p 00000000 00:1f 1 /usr/bin/python3.11
55d000001000-55d000002000 r-xp 00001000 00:1f 1 /usr/bin/python3.11
7f0000000000-7f0000100000 r-xp 00000000 00:1f 2 {SITE}/torch/lib/libtorch_cpu.so
7f0000200000-7f0000201000 rwxp 00000000 00:00 0
7f0000300000-7f0000301000 r-xp 00003000 00:30 9 /tmp/home/a folder/libtorch_cpu.so (deleted)
7ffc00000000-7ffc00001000 r-xp 00000000 00:00 0 [vdso]
"""


def test_only_executable_pages_count() -> None:
    ranges = executable_ranges(MAPS, "/tmp")
    assert [r.owner for r in ranges] == [
        Owner.INTERPRETER,
        Owner.LIBRARY,
        Owner.GENERATED,
        Owner.OWN,
        Owner.NEUTRAL,
    ]
    assert ranges[3].path == "/tmp/home/a folder/libtorch_cpu.so"
    assert (ranges[3].start, ranges[3].offset) == (0x7F0000300000, 0x3000)


def test_addresses_of_all_lengths_and_rights_of_all_kinds() -> None:
    maps = (
        "00400000-00401000 --xp 00000000 08:01 7 /usr/bin/small\n"
        "7f0000000000-7f0000001000 rw-s 00000000 00:1f 5 /x/x/x/x\n"
        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n"
    )
    found = executable_ranges(maps, "/tmp")
    assert [(r.start, r.path) for r in found] == [
        (0x400000, "/usr/bin/small"),
        (0xFFFFFFFFFF600000, "[vsyscall]"),
    ]


def test_mappings_are_parsed_anew_only_where_code_came_or_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[int] = []
    real = mapped_objects._ranges

    def noted(lines: list[str], scratch: str) -> list[MappedRange]:
        parsed.append(len(lines))
        return real(lines, scratch)

    monkeypatch.setattr(mapped_objects, "_ranges", noted)
    monkeypatch.setattr(mapped_objects, "_REFRESH_S", 0.0)
    objects, function = MappedObjects(os.getpid(), "/tmp"), ctypes.CDLL(None).getpid
    libc = ctypes.cast(function, ctypes.c_void_p).value or 0
    assert objects.owner(libc) is objects.owner(libc) is Owner.NEUTRAL and len(parsed) == 1
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC):
        assert objects.owner(libc) is Owner.NEUTRAL and len(parsed) == 2


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("", Owner.GENERATED),
        ("[heap]", Owner.GENERATED),
        ("/memfd:jit", Owner.GENERATED),
        ("/dev/shm/kernel.so", Owner.GENERATED),
        ("/tmp/libm.so.6", Owner.OWN),
        ("/tmpfoo/kernel.so", Owner.LIBRARY),
        ("[vdso]", Owner.NEUTRAL),
        ("/usr/lib/x86_64-linux-gnu/libm.so.6", Owner.MATHEMATICS),
        ("/usr/lib/x86_64-linux-gnu/libmvec.so.1", Owner.MATHEMATICS),
        ("/usr/lib/x86_64-linux-gnu/libc.so.6", Owner.NEUTRAL),
        ("/usr/lib/x86_64-linux-gnu/libc-2.31.so", Owner.NEUTRAL),
        ("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", Owner.NEUTRAL),
        ("/usr/lib/x86_64-linux-gnu/libblas.so.3.11.0", Owner.LIBRARY),
        ("/usr/lib/libmkl_core.so.2", Owner.LIBRARY),
        ("/usr/lib/libpython3.11.so.1.0", Owner.INTERPRETER),
        ("/usr/lib/libffi.so.8.1.2", Owner.INTERPRETER),
        ("/usr/lib/python3.11/lib-dynload/math.cpython-311-x86_64-linux-gnu.so", Owner.INTERPRETER),
        (f"{SITE}/torch/lib/libgomp.so.1", Owner.NEUTRAL),
        (f"{SITE}/torch.libs/libgomp-a34b3233.so.1.0.0", Owner.NEUTRAL),
        (f"{SITE}/torch/lib/libtorch_python.so", Owner.INTERPRETER),
        (f"{SITE}/torch/lib/libtorch_cpu.so", Owner.LIBRARY),
        (f"{SITE}/numpy.libs/libscipy_openblas64_-32a4b2a6.so", Owner.LIBRARY),
        (f"{SITE}/numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so", Owner.LIBRARY),
        (f"{SITE}/numba/_dispatcher.cpython-311-x86_64-linux-gnu.so", Owner.INTERPRETER),
        (f"{SITE}/some_kernels/_impl.so", Owner.LIBRARY),
        ("/usr/lib/x86_64-linux-gnu/libmpfr.so.6.2.0", Owner.LIBRARY),
    ],
)
def test_the_place_decides(path: str, owner: Owner) -> None:
    assert owner_of(path, "/tmp") is owner


def test_a_living_process() -> None:
    objects = MappedObjects(os.getpid(), "/nowhere")
    python = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value
    assert python is not None and objects.owner(python) is Owner.INTERPRETER
    libc = ctypes.cast(ctypes.CDLL(None).qsort, ctypes.c_void_p).value
    assert libc is not None and objects.owner(libc) is Owner.NEUTRAL
    assert objects.owner(8) is Owner.UNKNOWN
    words = np.array([8, libc, python], np.uint64)
    assert [(i, r.owner) for i, r in objects.held(words)] == [
        (1, Owner.NEUTRAL),
        (2, Owner.INTERPRETER),
    ]


def test_new_pages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sampling.mapped_objects._UNKNOWN_REFRESH_S", 0.0)
    objects = MappedObjects(os.getpid(), "/nowhere")
    objects.owner(8)
    pages = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
    address = int(np.frombuffer(pages, np.uint8).ctypes.data)
    assert objects.owner(address) is Owner.GENERATED


def test_a_process_that_is_gone_owns_nothing() -> None:
    assert MappedObjects(2**22 - 1, "/tmp").owner(4096) is Owner.UNKNOWN


MPFR = "7f0000000000-7f0000100000 r-xp 00000000 00:1f 2 /usr/lib/libmpfr.so.6.2.0"


@pytest.mark.parametrize(
    ("program", "owner"),
    [
        ("/usr/libexec/gcc/x86_64-linux-gnu/13/cc1plus", Owner.INTERPRETER),
        ("/usr/bin/python3.11", Owner.LIBRARY),
        ("/tmp/scratch/cc1plus", Owner.LIBRARY),
    ],
)
def test_a_compilers_arithmetic_is_a_library_elsewhere(program: str, owner: Owner) -> None:
    maps = f"55d000000000-55d000001000 r--p 00000000 00:1f 1 {program}\n{MPFR}\n"
    assert [r.owner for r in executable_ranges(maps, "/tmp/scratch")] == [owner]


def test_a_fork_that_is_gone_had_its_parents_mappings() -> None:
    parent = MappedObjects(os.getpid(), "/nowhere")
    libc = ctypes.cast(ctypes.CDLL(None).qsort, ctypes.c_void_p).value
    assert libc is not None and parent.owner(libc) is Owner.NEUTRAL
    assert MappedObjects(2**22 - 1, "/nowhere", parent).owner(libc) is Owner.NEUTRAL
