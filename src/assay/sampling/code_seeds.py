"""CodeSeeds: short runs of machine code by which a longer copy of it is found again.

The rule: the bytes alone choose a seed (16 bytes; 1 place in 32 is one), so code is found wherever
it was copied to, and a changed displacement costs the seeds that cover it and no others. A seed
only proposes a place; `code_match.py` compares the bytes themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]

SEED_BYTES = 16
_ONE_IN_BITS = np.uint64(59)  # 64 - 5: 1 place in 32
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_MIX, _HALF = np.uint64(0xD6E8FEB86659FD93), np.uint64(32)
_CHUNK = 1 << 23  # bytes read at once


def seeds(code: Bytes) -> tuple[Words, Words]:
    """Places of the seeds in the code, and their hashes of 32 bits."""
    places, hashes = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
    for start in range(0, max(0, len(code) - SEED_BYTES + 1), _CHUNK):
        part = np.ascontiguousarray(code[start : start + _CHUNK + SEED_BYTES - 1])
        for shift in range(8):
            found, hashed = _at_shift(part, shift)
            places.append(found + np.uint64(start))
            hashes.append(hashed)
    return np.concatenate(places), np.concatenate(hashes)


def _at_shift(code: Bytes, shift: int) -> tuple[Words, Words]:
    count = (len(code) - shift) // 8
    words = code[shift : shift + 8 * count].view(np.uint64)
    mixed = words[:-1] * _FIRST
    chosen = np.flatnonzero(((mixed >> _ONE_IN_BITS) == 0) & (words[:-1] != 0))
    hashed = (mixed[chosen] ^ (words[chosen + 1] * _SECOND)) * _MIX >> _HALF
    return (chosen * 8 + shift).astype(np.uint64), hashed
