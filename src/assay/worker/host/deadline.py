"""Deadline: when waiting for a candidate ends.

The rule: a hang is not a build. Time in which a compiler works does not count against the ordinary
limit, but has a limit of its own.
"""

from __future__ import annotations

import time


class Deadline:
    """Two limits from one beginning, in monotonic seconds."""

    def __init__(self, at: float, at_most: float) -> None:
        self._at = at
        self._at_most = at_most
        self._seen = time.monotonic()

    @classmethod
    def after(cls, seconds: float, compiling_s: float = 0.0) -> Deadline:
        """So many seconds from now; `compiling_s` where all the time goes to a compiler."""
        now = time.monotonic()
        return cls(now + seconds, now + max(seconds, compiling_s))

    def passed(self, compiling: bool = False) -> bool:
        """Whether it is over. Asked again and again; `compiling` speaks of the time since."""
        now = time.monotonic()
        if compiling:
            self._at = min(self._at_most, self._at + now - self._seen)
        self._seen = now
        return now > self._at
