"""Deadline: when waiting for a candidate ends.

The rule: a hang is not a build, and a busy machine is nobody's fault. Time in which a compiler
works does not count against the ordinary limit, but has a limit of its own; time spent waiting for
a processor counts neither, until the limit has passed three times over.
"""

from __future__ import annotations

import time

_QUEUED = 3.0  # times the limit, all in all: a candidate's own threads can stand in its way


def own_seconds(elapsed_s: float, queued_s: float) -> float:
    """What of some time counts as the candidate's own, however long its threads have queued."""
    return max(elapsed_s / _QUEUED, elapsed_s - queued_s)


class Deadline:
    """Limits from one beginning, in monotonic seconds."""

    def __init__(self, seconds: float, compiling_s: float) -> None:
        self._seen = time.monotonic()
        self._at = self._seen + seconds
        self._at_most = self._seen + max(seconds, compiling_s)
        self._queued_at_most = self._at_most + (_QUEUED - 1.0) * max(0.0, seconds)
        self.compiling = False  # the host compiles for it at this moment
        self.stopped = False  # the host works for itself: that time counts for nobody

    @classmethod
    def after(cls, seconds: float, compiling_s: float = 0.0) -> Deadline:
        """So many seconds from now; `compiling_s` where all the time goes to a compiler."""
        return cls(seconds, compiling_s)

    def left_s(self) -> float:
        """Seconds until it is over, as things stand."""
        return max(0.0, self._at - time.monotonic())

    def compiling_left_s(self) -> float:
        """Seconds until it is over where all of them go to a compiler."""
        return max(0.0, self._at_most - time.monotonic())

    def passed(self, compiling: bool = False, queued_s: float = 0.0) -> bool:
        """Whether it is over. Asked again and again; the arguments speak of the time since."""
        now = time.monotonic()
        if self.stopped:
            waited = now - self._seen
            self._at += waited
            self._at_most += waited
            self._queued_at_most += waited
        elif compiling or self.compiling:
            self._at = min(self._at_most, self._at + now - self._seen)
        elif queued_s > 0.0:
            given = self._at + min(queued_s, now - self._seen)
            self._at = max(self._at, min(self._queued_at_most, given))
        self._seen = now
        return now > self._at
