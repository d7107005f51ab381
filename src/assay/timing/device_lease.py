"""DeviceLease: who of one judge process may use the device now.

    shared   calls of several candidates, side by side
    aside    a build, which needs the host's processors and hardly the device
    alone    timing: no calls of others; on a device that is the host's own, no builds either

The rule: who waits to be alone is waited for by those who want to share, so timing is never
starved. A thread gives up what it holds before it waits for something else, so no two threads wait
for each other. Other processes are kept out by the lock in `timing_turn.py`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from enum import Enum, auto


class Hold(Enum):
    """What a thread holds."""

    NOTHING = auto()
    SHARED = auto()
    ASIDE = auto()
    ALONE = auto()
    QUIET = auto()  # alone, and nothing is being built


_ALONE = (Hold.ALONE, Hold.QUIET)


class DeviceLease:
    """Of one device, among the threads of this process."""

    def __init__(self, builds_beside_timing: bool = False) -> None:
        self.at_once = 1  # candidates that may be at work at the same time
        self._builds_beside_timing = builds_beside_timing
        self._changed = threading.Condition()
        self._held = dict.fromkeys(Hold, 0)
        self._wanted = dict.fromkeys(Hold, 0)
        self._mine = threading.local()

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Use the device beside others; within another hold nothing changes."""
        if self._now() is not Hold.NOTHING:
            yield
            return
        with self._changed_to(Hold.SHARED, None):
            yield

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Build while others are timed, where the device is not the host's own."""
        if self._now() is not Hold.SHARED or not self._builds_beside_timing:
            yield
            return
        with self._changed_to(Hold.ASIDE, None):
            yield

    @contextlib.contextmanager
    def alone(
        self, waiting: Callable[[], None] | None = None, quiet: bool = False
    ) -> Iterator[None]:
        """Use the device with no calls of others; `quiet`: with no builds either.

        `waiting` is called where that cannot be had at once.
        """
        if self._now() in _ALONE:
            yield
            return
        with self._changed_to(Hold.QUIET if quiet else Hold.ALONE, waiting):
            yield

    def _now(self) -> Hold:
        found: Hold = getattr(self._mine, "hold", Hold.NOTHING)
        return found

    @contextlib.contextmanager
    def _changed_to(self, hold: Hold, waiting: Callable[[], None] | None) -> Iterator[None]:
        """Give up what this thread holds, take the other, and change back."""
        before = self._now()
        self._give_up()
        try:
            self._take(hold, waiting)
            yield
        finally:
            self._give_up()
            self._take(before, None)

    def _take(self, hold: Hold, waiting: Callable[[], None] | None) -> None:
        with self._changed:
            self._wanted[hold] += 1
            try:
                if waiting is not None and not self._is_free(hold):
                    waiting()
                self._changed.wait_for(lambda: self._is_free(hold))
            finally:
                self._wanted[hold] -= 1
                self._changed.notify_all()
            self._held[hold] += 1
        self._mine.hold = hold

    def _give_up(self) -> None:
        with self._changed:
            self._held[self._now()] -= 1 if self._now() is not Hold.NOTHING else 0
            self._changed.notify_all()
        self._mine.hold = Hold.NOTHING

    def _is_free(self, hold: Hold) -> bool:
        held, wanted = self._held, self._wanted
        alone = held[Hold.ALONE] + held[Hold.QUIET]
        match hold:
            case Hold.SHARED:
                return not (alone or wanted[Hold.ALONE] or wanted[Hold.QUIET])
            case Hold.ASIDE:
                return not (held[Hold.QUIET] or wanted[Hold.QUIET])
            case Hold.ALONE:
                return not (alone or held[Hold.SHARED])
            case Hold.QUIET:
                return not (alone or held[Hold.SHARED] or held[Hold.ASIDE])
            case _:
                return True
