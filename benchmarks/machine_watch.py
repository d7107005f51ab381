"""What a machine does while something runs: the GPU's busy share, and the memory of our processes.

The rule: a thread samples; what could not be sampled is null with the reason beside it.
"""

from __future__ import annotations

import contextlib
import os
import platform
import resource
import shutil
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

_EVERY_MS = 200
_PAGE = os.sysconf("SC_PAGE_SIZE")


class GpuBusy:
    """A context: how busy the first GPU is, by its own counter."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._seen: list[tuple[float, float]] = []  # when, and per cent
        self.reason = ""

    def __enter__(self) -> Self:
        if shutil.which("nvidia-smi") is None:
            self.reason = "there is no nvidia-smi"
            return self
        command = "nvidia-smi --id=0 --query-gpu=utilization.gpu --format=csv,noheader,nounits -lms"
        self._process = subprocess.Popen(
            [*command.split(), str(_EVERY_MS)], stdout=subprocess.PIPE, text=True
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def share(self, since_s: float = 0.0) -> float | None:
        """The mean from a moment on, 0 to 1."""
        seen = [busy for at_s, busy in self._seen if at_s >= since_s]
        return round(statistics.mean(seen) / 100, 4) if seen else None

    def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                self._seen.append((time.monotonic(), float(line)))


class TreeMemory:
    """A context: the largest resident memory of this process and of everything below it."""

    def __init__(self, every_s: float = 0.5) -> None:
        self._every_s = every_s
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.largest_bytes = 0  # of the whole tree; shared pages count once for each process
        self.own_bytes = 0  # of this process, at the end

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self.own_bytes = _resident(os.getpid())

    def _watch(self) -> None:
        while not self._end.wait(self._every_s):
            total = sum(_resident(pid) for pid in tree(os.getpid()))
            self.largest_bytes = max(self.largest_bytes, total)


class ProcessorTime:
    """A context: processor seconds of this process and of what it started and waited for.

    Neighbours on the machine change the wall time; this they change little.
    """

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> Self:
        self._before_s = _processor_seconds()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = _processor_seconds() - self._before_s


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def tree(root: int) -> Iterator[int]:
    """A process and all below it."""
    yield root
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{root}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from tree(int(child))


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def environment() -> dict[str, Any]:
    """The machine and the versions, without importing any of them."""
    gpu = None
    if shutil.which("nvidia-smi"):
        asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
        gpu = said.strip() or None
    return {
        "gpu": gpu,
        "cores": len(os.sched_getaffinity(0)),
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "platform": platform.platform(),
        **{name: _version(name) for name in ("kernel-assay", "torch", "triton")},
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _version(name: str) -> str | None:
    with contextlib.suppress(PackageNotFoundError):
        return version(name)
    return None
