"""Code is named by its bytes, wherever it lies."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from numpy.linalg import _umath_linalg

from assay.sampling.code_index import CodeIndex
from assay.sampling.code_match import LEAST_EQUAL, branches
from assay.sampling.library_code import LibraryCode, library_code

BEFORE = 1024
INSTALLED = _umath_linalg.__file__


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> LibraryCode:
    made = library_code(INSTALLED, tmp_path_factory.mktemp("seeds"))
    assert made is not None
    return made


@pytest.fixture(scope="module")
def function(library: LibraryCode) -> tuple[int, int]:
    """The largest that computes: its bounds in the file."""
    functions = library.functions
    bounds = [functions.bounds(int(i)) for i in np.flatnonzero(functions.computing())]
    return max(bounds, key=lambda pair: pair[1] - pair[0])


def _copied(library: LibraryCode, first: int, last: int) -> bytes:
    """Some code of the library among bytes of nobody."""
    noise = random.Random(7).randbytes(BEFORE)
    return noise + library.image[first:last].tobytes() + noise


def test_a_copy_is_named(library: LibraryCode, function: tuple[int, int]) -> None:
    name = CodeIndex([library], ()).name(_copied(library, *function), BEFORE + 300)
    assert name.endswith(f" of {Path(INSTALLED).name}")


def test_other_displacements_are_no_difference(
    library: LibraryCode, function: tuple[int, int]
) -> None:
    code = bytearray(_copied(library, *function))
    for place in range(BEFORE, len(code) - BEFORE, 40):
        code[place : place + 4] = b"\x12\x34\x56\x07"
    assert CodeIndex([library], ()).name(bytes(code), BEFORE + 310)


def test_a_short_copy_is_no_evidence(library: LibraryCode, function: tuple[int, int]) -> None:
    first = function[0] + 64
    short = _copied(library, first, first + LEAST_EQUAL - 8)
    assert CodeIndex([library], ()).name(short, BEFORE + 60) == ""
    long = _copied(library, first, first + 3 * LEAST_EQUAL)
    assert CodeIndex([library], ()).name(long, BEFORE + 60)


def test_code_beside_a_copy_is_not_named(library: LibraryCode, function: tuple[int, int]) -> None:
    assert CodeIndex([library], ()).name(_copied(library, *function), BEFORE - 200) == ""


def test_code_of_support_libraries_is_no_evidence(
    library: LibraryCode, function: tuple[int, int], tmp_path: Path
) -> None:
    support = tmp_path / "libsupport.so"
    support.write_bytes(library.image[function[0] : function[1]].tobytes())
    index = CodeIndex([library], (str(support),))
    assert index.name(_copied(library, *function), BEFORE + 300) == ""


def test_no_code_has_no_name(library: LibraryCode) -> None:
    index = CodeIndex([library], ())
    assert index.name(b"", 0) == "" and index.name(b"\x90" * 4096, 2048) == ""
    assert index.name(random.Random(3).randbytes(4096), 2048) == ""


def test_seeds_are_made_once(
    library: LibraryCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = library_code(INSTALLED, tmp_path)
    assert made is not None and np.array_equal(made.keys, library.keys)
    monkeypatch.setattr("assay.sampling.library_code._keys", None)
    assert library_code(INSTALLED, tmp_path) is not None


def test_a_cache_that_cannot_be_written_is_no_error(library: LibraryCode, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    made = library_code(INSTALLED, tmp_path / "file" / "below")
    assert made is not None and np.array_equal(made.keys, library.keys)


def test_straight_code_is_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert not branches(b"\xc5\xfc\x58\xc1" * 64)
    assert branches(b"\xc5\xfc\x58\xc1" * 32 + b"\x0f\x85\x10\xff\xff\xff" + b"\xc5" * 32)
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert not branches(b"\x20\xcc\x22\x4e" * 32)
    assert branches(b"\x20\xcc\x22\x4e" * 32 + b"\xc1\xff\xff\x54")
