"""Activity: what the threads of one process do, read from outside."""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import dataclass

_LINE_BYTES = 4096


def runnable_seconds(pid: int) -> float:
    """Time all threads of one process have computed or waited for a processor; 0 once it is gone.

    On a loaded machine a busy thread mostly waits: its processor time alone would look like rest.
    """
    total_ns = 0
    for path in _threads(pid, "schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            total_ns += sum(map(int, _words(path)[:2]))
    return total_ns / 1e9


@dataclass(frozen=True)
class Scheduled:
    """How long one thread has computed, and has waited for a processor."""

    ran_ns: int
    queued_ns: int

    def since(self, before: Scheduled) -> Scheduled:
        """What came since an earlier look."""
        return Scheduled(self.ran_ns - before.ran_ns, self.queued_ns - before.queued_ns)


def scheduled(pid: int) -> dict[str, Scheduled]:
    """Both times of every thread of one process, by its path."""
    found = {}
    for path in _threads(pid, "schedstat"):
        with contextlib.suppress(OSError, ValueError):
            ran, queued, _ = map(int, _words(path))
            found[path] = Scheduled(ran, queued)
    return found


def queued_ns(pid: int) -> dict[str, int]:
    """How long each thread of one process has waited for a processor, by its path."""
    return {path: one.queued_ns for path, one in scheduled(pid).items()}


def wants_processor(pid: int) -> bool:
    """Whether some thread computes or waits for a processor at this moment."""
    return any(map(_is_runnable, _threads(pid, "stat")))


def other_threads_compute() -> bool:
    """Whether a thread of this process other than the calling one does."""
    own = str(threading.get_native_id())
    others = [path for path in _threads(os.getpid(), "stat") if path.split("/")[-2] != own]
    return any(map(_is_runnable, others))


def _is_runnable(path: str) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return _text(path).rpartition(b")")[2].split()[0] == b"R"
    return False


def thread_count(pid: int) -> int:
    """Threads of one process; 0 once it is gone."""
    return len(_threads(pid, "stat"))


def _threads(pid: int, name: str) -> list[str]:
    """That file of each thread; none once the process is gone."""
    folder = f"/proc/{pid}/task"
    with contextlib.suppress(OSError):
        return [f"{folder}/{tid}/{name}" for tid in os.listdir(folder)]
    return []


def _words(path: str) -> list[bytes]:
    return _text(path).split()


def _text(path: str) -> bytes:
    """Of a small file of the kernel's; they are read some thousand times for each candidate."""
    with open(path, "rb", buffering=0) as file:
        return file.read(_LINE_BYTES)
