"""Archive writer: plain files as a .tar.gz.

The rule: the same files in the same order give the same bytes: no times, no owners, no file name of
the archive itself.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from typing import BinaryIO

from assay.data.published.bundle import BundledFile

_LEVEL = 6


class ArchiveWriter:
    """Takes one file after the other; nothing but their hashes is kept."""

    def __init__(self, target: BinaryIO) -> None:
        self._packed = gzip.GzipFile("", "wb", _LEVEL, target, mtime=0)
        self._tar = tarfile.TarFile("", "w", self._packed, tarfile.USTAR_FORMAT)
        self.files: list[BundledFile] = []

    def add(self, path: str, text: str) -> None:
        """Add a text under a path that no earlier one has."""
        data = text.encode("utf-8")
        member = tarfile.TarInfo(path)
        member.size, member.mode = len(data), 0o644
        self._tar.addfile(member, io.BytesIO(data))
        digest = hashlib.sha256(data).hexdigest()
        self.files.append(BundledFile(path=path, bytes=len(data), sha256=digest))

    def close(self) -> None:
        """Write the end; the target stays open."""
        self._tar.close()
        self._packed.close()
