"""RunEnd: a benchmark's time is over, or SIGTERM came: its main thread is told, then it ends.

    with RunEnd(seconds, grace_s=10) as end:
        ...                 # TimeIsUpError is raised here once
    end.leave(code)         # whatever threads and processes still do

The rule: the process is gone `grace_s` after it was told, whatever it waits for. Judge processes
end with the process that started them.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import AbstractContextManager
from types import FrameType
from typing import NoReturn

ENDED_BY_TIME = 124  # as `timeout` has it


class TimeIsUpError(Exception):
    """The time of the run is over, or it was asked to end."""


class RunEnd(AbstractContextManager["RunEnd"]):
    """Raises TimeIsUpError in the main thread, once."""

    def __init__(self, seconds: float, grace_s: float = 15.0) -> None:
        self._grace_s = grace_s
        self.came = False
        signal.signal(signal.SIGALRM, self._tell)
        signal.signal(signal.SIGTERM, self._tell)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, seconds))

    def _tell(self, number: int, _: FrameType | None) -> None:
        if self.came:
            return
        self.came = True
        last = threading.Timer(self._grace_s, os._exit, (ENDED_BY_TIME,))
        last.daemon = True
        last.start()
        asked = number == signal.SIGTERM
        raise TimeIsUpError("the run was asked to end" if asked else "the time was up")

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    def leave(self, code: int) -> NoReturn:
        """End now: nothing that still runs is waited for."""
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
