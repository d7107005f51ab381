"""ThreadPrefetch: a thread works out expectations while the judge waits for a build or a compiler.

Beside a device there is no second process for it: one that has met the driver cannot fork.

The rule: it works out only what the judge would work out and keep anyway, in the order of the
script. It is through with what it is at before `stop` returns, so that nothing is timed beside it.
What fails in it is left to the judge, who asks again and is told why.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence

from assay.errors import TaskError
from assay.exam.exam import Exam
from assay.exam.prefetch.script_prefetch import prefetch_order
from assay.exam.script import ScriptedBatch


class ThreadPrefetch:
    """Works in the exam itself, whose turn it takes for one expectation at a time."""

    def __init__(
        self,
        exam: Exam,
        script: Sequence[ScriptedBatch],
        afterwards: Callable[[], object] | None = None,
    ) -> None:
        self._exam = exam
        self._script = script
        self._afterwards = afterwards  # what the judge needs beside expectations, and keeps
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin at the start of the script."""
        self._over.clear()
        self._thread = threading.Thread(target=self._work, name="assay-prefetch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """What it has not begun by now the judge works out itself."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self._thread = None

    def _work(self) -> None:
        with contextlib.suppress(Exception):
            for key in prefetch_order(self._exam, self._script):
                if self._over.is_set():
                    return
                with contextlib.suppress(TaskError):
                    self._exam.expectation(*key)
            if self._afterwards is not None and not self._over.is_set():
                self._afterwards()
