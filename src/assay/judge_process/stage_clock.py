"""StageClock: how many seconds each stage of a candidate took.

The rule: it measures between the progress reports that are made anyway. A stage's time ends where
the next report names another stage.
"""

from __future__ import annotations

import time

from assay.data.progress import Report


class StageClock:
    """A report that passes on what it is told, and adds up how long each stage took."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._seconds: dict[str, float] = {}
        self._stage = ""
        self._since_s = self._began_s = time.monotonic()

    def __call__(self, stage: str, fraction: float | None) -> None:
        """A stage begins or goes on."""
        self._close()
        self._stage = stage
        self._report(stage, fraction)

    @property
    def elapsed_s(self) -> float:
        """Since it was made."""
        return time.monotonic() - self._began_s

    def seconds(self) -> dict[str, float]:
        """By stage, in the order in which they began, up to now."""
        self._close()
        return {stage: round(seconds, 4) for stage, seconds in self._seconds.items()}

    def _close(self) -> None:
        now_s = time.monotonic()
        if self._stage:
            self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + now_s - self._since_s
        self._since_s = now_s
