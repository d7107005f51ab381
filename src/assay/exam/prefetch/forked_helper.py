"""ForkedHelper: a copy of the judge in a process of its own, on half of the judge's cores.

The rule: it is forked, so that it knows what the judge knew, and its work is what the judge would
do anyway. Whatever goes wrong in it the judge will meet itself. It dies with the judge.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import signal
import threading
import warnings
from collections.abc import Callable

import torch

from assay.sandbox.host.activity import runnable_seconds

FORK = multiprocessing.get_context("fork")
_PR_SET_PDEATHSIG = 1
_AT_WORK_S = 0.01


class ForkedHelper:
    """Started once and stopped once; in between the judge has the other half of its cores."""

    def __init__(self, work: Callable[[], None]) -> None:
        """Forks at once: no other thread of this process may touch torch."""
        self._work = work
        self._threads = torch.get_num_threads()
        self._seen_s = 0.0
        self._process = FORK.Process(target=self._run_forked, daemon=True)
        torch.set_num_threads(self._threads // 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()

    @staticmethod
    def possible() -> bool:
        """Whether there is a core for it."""
        return torch.get_num_threads() > 1

    def stop(self) -> None:
        """Whatever it is at is given up."""
        self._process.kill()
        self._process.join()
        torch.set_num_threads(self._threads)

    def is_alive(self) -> bool:
        """Whether it still works."""
        return self._process.is_alive()

    def has_worked(self) -> bool:
        """Whether it computed, or wanted to, since this was asked last."""
        before, self._seen_s = self._seen_s, runnable_seconds(self._process.pid or 0)
        return self._seen_s - before > _AT_WORK_S

    def _run_forked(self) -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the judge decides when to stop
        thread = threading.Thread(target=self._work_anew)
        thread.start()
        thread.join()

    def _work_anew(self) -> None:
        """In a thread of its own: OpenMP's team of the forked one was not forked with it.

        Who keeps its number of threads to itself, as oneDNN does on ARM, would wait for it.
        """
        torch.set_num_threads(self._threads - self._threads // 2)
        with contextlib.suppress(Exception):
            self._work()
