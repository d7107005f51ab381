"""KeptFiles: files by key in one folder; beyond its limit the longest unused are removed.

The rule: a file is there whole or not at all, and a folder that cannot be written is no error.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class KeptFiles:
    """Only the trusted side writes here."""

    folder: Path
    suffix: str
    limit_bytes: int

    def path(self, key: str) -> Path:
        """Where the file of a key is, or would be."""
        return self.folder / f"{key}{self.suffix}"

    def found(self, key: str) -> Path | None:
        """The file of a key, marked as used now; None where there is none."""
        path = self.path(key)
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def load(self, key: str) -> bytes | None:
        """What is kept under a key, or None."""
        path = self.found(key)
        try:
            return None if path is None else path.read_bytes()
        except OSError:  # another process has removed it meanwhile
            return None

    def store(self, key: str, data: bytes) -> None:
        """Keep it."""
        with self.filling(key) as temporary, contextlib.suppress(OSError):
            temporary.write_bytes(data)

    @contextlib.contextmanager
    def filling(self, key: str) -> Iterator[Path]:
        """A place to write to; what is there at the end is kept, unless it is empty."""
        temporary = Path(os.devnull)
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder)
            os.close(handle)
            temporary = Path(name)
        try:
            yield temporary
            if temporary.is_file() and temporary.stat().st_size:
                with contextlib.suppress(OSError):
                    temporary.chmod(0o400)
                    os.replace(temporary, self.path(key))
        finally:
            if temporary.is_file():
                temporary.unlink()
        self._shrink()

    def _shrink(self) -> None:
        kept = 0
        for path in sorted(self.folder.glob(f"*{self.suffix}"), key=_age_s):
            with contextlib.suppress(OSError):
                kept += path.stat().st_size
                if kept > self.limit_bytes:
                    path.unlink()


def _age_s(path: Path) -> float:
    """How long ago it was used, the most recent first."""
    with contextlib.suppress(OSError):
        return -path.stat().st_mtime
    return 0.0


def copied(source: int, target: Path) -> None:
    """Copy an open file, however large."""
    with open(source, "rb", closefd=False) as given, open(target, "wb") as taken:
        shutil.copyfileobj(given, taken, 1 << 22)
