"""CodeMatch: whether the code around an instruction is a copy of a library's function.

The rule: what counts are equal bytes at one distance, in one function, around the instruction
itself. Short runs may differ, because a copy at another address has other displacements. A match
has at least 128 equal bytes and a branch between them, so it spans two basic blocks; less is no
evidence, because compilers write the same short runs everywhere.
"""

from __future__ import annotations

import platform

import numpy as np

from assay.sampling.code_seeds import Bytes
from assay.sampling.library_code import LibraryCode

LEAST_EQUAL = 128  # bytes
_LEAST_SHARE = 0.75  # of the bytes between the first and the last that are equal
_HOLE = {"aarch64": 8}.get(platform.machine(), 4)  # bytes: adrp and add; a displacement
_LONGEST_RUN = 48  # bytes that are looked for elsewhere


def matched(library: LibraryCode, shift: int, code: Bytes, at: int) -> str:
    """The computing function that the code at index `at` is a copy of; empty where it is none.

    `shift` is the offset in the library minus the index in the code.
    """
    name = library.functions.computes_at(at + shift)
    span = _equal_span(library, shift, code, at) if name else None
    if span is None:
        return ""
    first, last = span
    equal = code[first:last] == library.image[first + shift : last + shift]
    count = int(np.count_nonzero(equal))
    enough = count >= LEAST_EQUAL and count >= _LEAST_SHARE * len(equal)
    return name if enough and branches(code[first:last].tobytes()) else ""


def _equal_span(library: LibraryCode, shift: int, code: Bytes, at: int) -> tuple[int, int] | None:
    """Around `at`, inside of the function, up to a hole that no displacement explains."""
    start, end = library.functions.bounds(library.functions.index(at + shift))
    begin, stop = max(0, start - shift), min(len(code), end - shift)
    equal = code[begin:stop] == library.image[begin + shift : stop + shift]
    places = np.flatnonzero(equal) + begin
    if not len(places):
        return None
    holes = np.flatnonzero(np.diff(places) > _HOLE + 1)
    firsts, lasts = places[np.append(0, holes + 1)], places[np.append(holes, -1)]
    around = np.flatnonzero((firsts - _HOLE <= at) & (at <= lasts + _HOLE))
    return (int(firsts[around[0]]), int(lasts[around[0]]) + 1) if len(around) else None


def longest_run(library: LibraryCode, shift: int, code: Bytes, at: int) -> bytes:
    """The longest run of equal bytes around `at`, cut to what a search needs."""
    first, last = _equal_span(library, shift, code, at) or (at, at)
    equal = code[first:last] == library.image[first + shift : last + shift]
    edges = np.flatnonzero(np.diff(np.concatenate(([0], equal.view(np.int8), [0]))))
    runs = edges.reshape(-1, 2)
    begin, end = runs[int(np.argmax(runs[:, 1] - runs[:, 0]))]
    return code[first + begin : first + min(end, begin + _LONGEST_RUN)].tobytes()


def branches(code: bytes) -> bool:
    """Whether the code holds a branch to a place near by."""
    if platform.machine() == "aarch64":
        words = np.frombuffer(code[: len(code) & ~3], np.uint32)
        conditional = (words >> 24 == 0x54) | (words & 0x7C000000 == 0x34000000)
        return bool(np.any(conditional | (words & 0x7C000000 == 0x14000000)))
    return any(_jumps(code, place) for place in range(len(code) - 6))


def _jumps(code: bytes, place: int) -> bool:
    """A conditional jump, or a short one, that stays within 64 KiB."""
    first, second = code[place], code[place + 1]
    if first == 0x0F and 0x80 <= second <= 0x8F:
        return abs(int.from_bytes(code[place + 2 : place + 6], "little", signed=True)) < 1 << 16
    return 0x70 <= first <= 0x7F or first == 0xEB
