"""LibraryCode: the computing functions of one installed library, found again by their bytes.

The rule: the seeds of all its computing functions are kept sorted in one file, made once for a
library and named by what identifies its content; the bytes that a match is decided by are read
from the installed library itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.errors import HostError
from assay.sampling.archive_functions import archive_functions, is_archive
from assay.sampling.code_seeds import SEED_BYTES, Bytes, Words, seeds
from assay.sampling.library_functions import LibraryFunctions, library_functions

_VERSION = b"4"  # of the seeds and of what computes
_HALF = np.uint64(32)
_OFFSET = np.uint64((1 << 32) - 1)
_MOST_REPEATS = 8  # a seed at more places says nothing: padding, prologues
_PROPOSALS = 8  # places that are compared
_IDENTIFYING = 1 << 16  # bytes at both ends: the build id and the section table are among them


@dataclass(frozen=True)
class LibraryCode:
    """One library: its bytes and its seeds (the hash in the high half, the offset in the low)."""

    path: str
    image: Bytes
    keys: Words

    @property
    def functions(self) -> LibraryFunctions:
        """Read when a first proposal asks: half a second for the largest library."""
        found = _functions(self.path)
        if found is None:
            raise HostError(f"{self.path} changed while it was in use")
        return found

    def proposals(self, places: Words, hashes: Words) -> list[int]:
        """Offsets of the library minus places in the code, the most frequent first."""
        low = np.searchsorted(self.keys, hashes << _HALF)
        high = np.searchsorted(self.keys, (hashes + np.uint64(1)) << _HALF)
        found: Counter[int] = Counter()
        for i in np.flatnonzero((high > low) & (high - low <= _MOST_REPEATS)):
            offsets = (self.keys[low[i] : high[i]] & _OFFSET).tolist()
            found.update(offset - int(places[i]) for offset in offsets)
        return [shift for shift, _ in found.most_common(_PROPOSALS)]


@functools.lru_cache(maxsize=16)
def _functions(path: str) -> LibraryFunctions | None:
    return archive_functions(path) if is_archive(path) else library_functions(path)


def library_code(path: str, folder: Path) -> LibraryCode | None:
    """The library with its seeds, which are kept in the folder; None where it has no functions."""
    image: Bytes = np.memmap(path, dtype=np.uint8, mode="r")
    try:
        keys = _kept_keys(path, image, folder)
    except OSError:  # a cache that cannot be written costs time only
        keys = _keys(image, _functions(path))
    return LibraryCode(path, image, keys) if len(keys) else None


def _kept_keys(path: str, image: Bytes, folder: Path) -> Words:
    kept = folder / f"{_identity(path, image)}.npy"
    if not kept.exists():
        with _turn(folder):
            if not kept.exists():
                _store(_keys(image, _functions(path)), kept)
    return np.asarray(np.load(kept, mmap_mode="r"))  # mapped; plain arrays are sliced faster


def _identity(path: str, image: Bytes) -> str:
    """Of the content, without reading all of it: a linker changes the build id with any byte."""
    status = os.stat(path)
    told = hashlib.blake2b(_VERSION, digest_size=16)
    told.update(f"{os.path.basename(path)} {status.st_size} {status.st_mtime_ns}".encode())
    told.update(image[:_IDENTIFYING].tobytes() + image[-_IDENTIFYING:].tobytes())
    return told.hexdigest()


def _keys(image: Bytes, functions: LibraryFunctions | None) -> Words:
    if functions is None or not len(functions.ends):
        return np.empty(0, np.uint64)
    first, last = int(functions.starts[0]), int(functions.ends[-1])
    places, hashes = seeds(image[first:last])
    offsets = places.astype(np.int64) + first
    holders = np.searchsorted(functions.ends, offsets, side="right")
    inside = offsets >= functions.starts[holders]
    inside &= offsets + SEED_BYTES <= functions.ends[holders]
    chosen = functions.computing()[holders] & inside
    return np.sort((hashes[chosen] << _HALF) | offsets[chosen].astype(np.uint64))


def _store(keys: Words, kept: Path) -> None:
    """Whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=kept.parent)
    try:
        with open(handle, "wb") as file:
            np.save(file, keys)
        os.replace(temporary, kept)
    finally:
        Path(temporary).unlink(missing_ok=True)


@contextlib.contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """One process makes the seeds; the others wait for them."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
