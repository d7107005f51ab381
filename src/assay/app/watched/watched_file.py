"""WatchedFile: one candidate on disk, and whether it was saved since it was last read.

The rule: a save is a change of content. The time stamps say when to look; a file that was only
touched is not judged again. A save interrupts whatever waits inside `interrupted_by_save`, in the
main thread, and nothing outside it.
"""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

POLL_S = 0.3

_Stamp = tuple[tuple[str, int, int], ...]  # name, modification time, size


class FileSaved(Exception):
    """The file has another content than when it was last read."""


@dataclass
class WatchedFile:
    """A file or a folder, which need not exist."""

    path: Path
    poll_s: float = POLL_S
    _known: dict[_Stamp, str] = field(default_factory=dict)  # the content of the last stamp

    def content(self) -> str:
        """A hash of what is there now; empty where nothing is."""
        stamp = self._stamp()
        if stamp not in self._known:
            self._known = {stamp: self._hash(stamp)}
        return self._known[stamp]

    def wait(self, content: str) -> None:
        """Return once the content is another one."""
        while self.content() == content:
            time.sleep(self.poll_s)

    @contextmanager
    def interrupted_by_save(self, content: str) -> Iterator[None]:
        """Within it `FileSaved` is raised, once, when the content is another one."""

        def look(_: int, __: FrameType | None) -> None:
            if self.content() != content:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                raise FileSaved

        before = signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, self.poll_s, self.poll_s)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGALRM) is look:  # else who ends the program has taken it
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                signal.signal(signal.SIGALRM, before)

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        found = (Path(folder) / name for folder, _, names in os.walk(self.path) for name in names)
        return sorted(one for one in found if "__pycache__" not in one.parts)

    def _stamp(self) -> _Stamp:
        stamps = []
        for one in self._files():
            try:
                status = one.stat()
            except OSError:
                continue  # not there yet, or between two writes
            stamps.append((str(one), status.st_mtime_ns, status.st_size))
        return tuple(stamps)

    def _hash(self, stamp: _Stamp) -> str:
        if not stamp:
            return ""
        digest = hashlib.sha256()
        for name, _, _ in stamp:
            try:
                data = Path(name).read_bytes()
            except OSError:
                continue
            digest.update(f"{name} {len(data)} ".encode() + data)
        return digest.hexdigest()
