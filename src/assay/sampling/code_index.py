"""CodeIndex: the computing functions of every library a candidate can reach, by their bytes.

The rule: code is named by what it is, wherever it was mapped from: a copy in a memfd, in an
unlinked file, in anonymous pages or under other symbols is the library's function still. A name is
given only where the same bytes occur in no function that does not compute: header templates and
run-time support may be in an honest candidate too. The index is made at the first use on a machine
(tens of seconds for torch) and kept in the judge's cache, which no candidate sees.
"""

from __future__ import annotations

import functools
import mmap
import os
from pathlib import Path

import numpy as np

from assay.sampling.code_match import longest_run, matched
from assay.sampling.code_seeds import Bytes, seeds
from assay.sampling.installed_libraries import computing_libraries, support_libraries
from assay.sampling.library_code import LibraryCode, library_code


class CodeIndex:
    """Of some libraries; `support` are those whose code honest candidates share."""

    def __init__(self, libraries: list[LibraryCode], support: tuple[str, ...]) -> None:
        self._libraries = libraries
        self._support = support
        self._proposals = functools.lru_cache(maxsize=256)(self._propose)
        self._unique: dict[str, bool] = {}

    def name(self, code: bytes, at: int) -> str:
        """The library function that the code at index `at` is a copy of; empty where it is none."""
        window: Bytes = np.frombuffer(code, np.uint8)
        for library, shift in self._proposals(code):
            function = matched(library, shift, window, at)
            name = f"{readable(function)} of {os.path.basename(library.path)}"
            if function and name not in self._unique:
                self._unique[name] = self._is_unique(longest_run(library, shift, window, at))
            if function and self._unique[name]:
                return name
        return ""

    def _propose(self, code: bytes) -> list[tuple[LibraryCode, int]]:
        places, hashes = seeds(np.frombuffer(code, np.uint8))
        found = ((library, library.proposals(places, hashes)) for library in self._libraries)
        return [(library, shift) for library, shifts in found for shift in shifts]

    def _is_unique(self, run: bytes) -> bool:
        """Whether the bytes are in computing functions only."""
        if any(_holds(path, run) for path in self._support):
            return False
        return all(
            library.functions.computes_at(place)
            for library in self._libraries
            for place in _places(library.path, run)
        )


@functools.cache
def code_index() -> CodeIndex:
    """Of this machine's installed libraries; made at the first call where none is kept."""
    folder = _folder()
    found = [library_code(path, folder) for path in computing_libraries()]
    return CodeIndex([one for one in found if one is not None], support_libraries())


def readable(name: str) -> str:
    """A symbol name as evidence shows it: a mangled one without its argument types."""
    if not name.startswith("_Z"):
        return name
    return name if len(name) <= 60 else f"{name[:57]}..."


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "assay" / "code_index"


def _places(path: str, run: bytes) -> list[int]:
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
        found: list[int] = []
        at = image.find(run)
        while at >= 0 and len(found) < 64:
            found.append(at)
            at = image.find(run, at + 1)
        return found


def _holds(path: str, run: bytes) -> bool:
    try:
        return bool(_places(path, run))
    except (OSError, ValueError):
        return False
