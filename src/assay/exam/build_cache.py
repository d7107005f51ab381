"""BuildCache: what candidates built before any input existed, kept by the hash of everything.

The rule: a candidate can only ever meet what the very same candidate left under the very same
toolchain and the very same Assay, taken by the trusted side before the first input was drawn.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import assay
from assay.data.candidate import Candidate
from assay.data.record import content_id
from assay.exam.builds.extension_compiler import ExtensionCompiler
from assay.exam.builds.standard_headers import standard_headers
from assay.exam.builds.unit_compiler import UnitCompiler

_LIMIT_BYTES = 4 << 30


def default_folder() -> Path:
    """Where builds are kept: $ASSAY_CACHE, else the user's cache folder."""
    chosen = os.environ.get("ASSAY_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "assay" / "builds"


@functools.cache
def compiler() -> str:
    """The system's C++ compiler in its own words; empty where there is none."""
    path = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if path is None:
        return ""
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


def toolchain(torch_version: str, device: str) -> str:
    """Everything besides the candidate that decides what a build produces."""
    parts = (sys.version, torch_version, platform.platform(), compiler(), device)
    return content_id(assay.__version__, *parts)


class BuildCache:
    """Archives of scratch folders by key."""

    def __init__(self, folder: Path, toolchain_id: str) -> None:
        self._folder = folder
        self._toolchain = toolchain_id

    @functools.cached_property
    def extensions(self) -> ExtensionCompiler:
        """Objects of torch extensions, and headers precompiled for them."""
        return ExtensionCompiler.of(self._folder, self._toolchain)

    def headers(self, candidate: Candidate, unit_compiler: UnitCompiler) -> dict[str, bytes]:
        """What is laid beside a bare C++ file while it is compiled, by path."""
        folder, tools = self._folder / "standard_headers", self.extensions.toolchain_id
        return standard_headers(candidate, folder, tools, unit_compiler)

    def key(self, candidate: Candidate) -> str:
        """The name under which this candidate's build is kept."""
        return content_id(candidate.id, self._toolchain)

    def load(self, candidate: Candidate) -> bytes | None:
        """The archive, or None."""
        path = self._path(candidate)
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        return data

    def store(self, candidate: Candidate, archive: bytes) -> None:
        """Keep an archive, whole or not at all; a cache that cannot be written is no error."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._folder)
            try:
                with open(handle, "wb") as file:
                    file.write(archive)
                os.replace(temporary, self._path(candidate))
            finally:
                Path(temporary).unlink(missing_ok=True)
            self._shrink()

    def _path(self, candidate: Candidate) -> Path:
        return self._folder / f"{self.key(candidate)}.tar"

    def _shrink(self) -> None:
        """Drop the longest unused archives beyond the limit."""
        files = sorted(self._folder.glob("*.tar"), key=lambda p: p.stat().st_mtime, reverse=True)
        kept = 0
        for path in files:
            kept += path.stat().st_size
            if kept > _LIMIT_BYTES:
                path.unlink(missing_ok=True)
