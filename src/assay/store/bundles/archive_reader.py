"""Archive reader: a .tar.gz unpacked, whoever wrote it.

The rule: only plain files with names of the expected form are taken, under numbers and not under
their names, so that no name is ever a path. Headers are read one by one: links, devices, extended
and sparse headers are refused before they mean anything. Sizes are capped while they are read.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from assay.errors import UsageError

_BLOCK = 512
_CHUNK = 2**20
_NAME = re.compile(
    r"(?:[a-z]{1,20}\.jsonl?|(?:tasks|candidates|judgements)/[0-9a-f]{16,64}\.json"
    r"|sources/[0-9a-f]{16}/[0-9]{2,5}_[A-Za-z0-9._-]{1,60})"
)


@dataclass(frozen=True)
class ArchiveCaps:
    """How much an archive may hold."""

    files: int = 400_000
    file_bytes: int = 256 * 2**20
    total_bytes: int = 8 * 2**30
    expansion: int = 300  # times the archive's own size, beyond `free_bytes`
    free_bytes: int = 64 * 2**20


@dataclass(frozen=True)
class UnpackedFile:
    """One file, where its content lies now."""

    path: Path
    bytes: int
    sha256: str


def unpacked(
    archive: Path, folder: Path, caps: ArchiveCaps | None = None
) -> dict[str, UnpackedFile]:
    """Every file of the archive, by its name there; a UsageError says what is wrong with it."""
    try:
        with archive.open("rb") as packed, gzip.GzipFile(fileobj=packed) as stream:
            given = caps or ArchiveCaps()
            most = max(given.free_bytes, given.expansion * archive.stat().st_size)
            bounded = _Bounded(stream, min(given.total_bytes, most))
            return _Unpacking(bounded, folder, given).files()
    except EOFError as error:
        raise UsageError(f"{archive} is truncated: the archive ends too early") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(f"{archive} is no gzip archive, or is damaged: {error}") from error
    except (tarfile.TarError, UnicodeDecodeError) as error:
        raise UsageError(f"{archive} is no tar archive, or is damaged: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {archive}: {error.strerror or error}") from error
    except _RefusedError as error:
        raise UsageError(f"{archive} is refused: {error}") from error


class _RefusedError(Exception):
    """Something that a bundle never holds."""


@dataclass
class _Bounded:
    """A stream that gives at most so many bytes, and all that it is asked for."""

    stream: gzip.GzipFile
    left: int

    def exactly(self, count: int) -> bytes:
        """So many bytes; EOFError where the stream ends before."""
        self._take(count)
        found = self.stream.read(count)
        if len(found) != count:
            raise EOFError
        return found

    def rest_is_empty(self) -> bool:
        """Whether nothing but zeros follows."""
        while found := self.stream.read(_CHUNK):
            self._take(len(found))
            if found.strip(b"\0"):
                return False
        return True

    def _take(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise _RefusedError("it unpacks to more than its size or the cap allows")


@dataclass
class _Unpacking:
    """One archive on its way into a folder."""

    stream: _Bounded
    folder: Path
    caps: ArchiveCaps

    def files(self) -> dict[str, UnpackedFile]:
        """Every member, in order."""
        found: dict[str, UnpackedFile] = {}
        while (header := self.stream.exactly(_BLOCK)).strip(b"\0"):
            member = tarfile.TarInfo.frombuf(header, "utf-8", "strict")
            self._check(member, found)
            target = self.folder / f"{len(found):06}"
            with target.open("xb") as out:
                digest = self._copy(member.size, out)
            found[member.name] = UnpackedFile(target, member.size, digest)
        if not self.stream.rest_is_empty():
            raise _RefusedError("something follows the end of the archive")
        return found

    def _check(self, member: tarfile.TarInfo, found: dict[str, UnpackedFile]) -> None:
        shown = ascii(member.name[:80])
        if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
            raise _RefusedError(f"{shown} is no plain file")
        if not _NAME.fullmatch(member.name):
            raise _RefusedError(f"no file of a bundle is called {shown}")
        if member.name in found:
            raise _RefusedError(f"{shown} is in it twice")
        if not 0 <= member.size <= self.caps.file_bytes:
            raise _RefusedError(f"{shown} has {member.size} bytes")
        if len(found) >= self.caps.files:
            raise _RefusedError(f"it holds more than {self.caps.files} files")

    def _copy(self, size: int, out: BinaryIO) -> str:
        digest, left = hashlib.sha256(), size
        while left:
            data = self.stream.exactly(min(left, _CHUNK))
            digest.update(data)
            out.write(data)
            left -= len(data)
        self.stream.exactly(-size % _BLOCK)
        return digest.hexdigest()
