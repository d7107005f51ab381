"""DeviceLease: who of one judge process may use the device now.

    shared   calls of several candidates, side by side
    aside    a build, which needs the host's processors and hardly the device
    alone    timing: no calls of others; on a device that is the host's own, no builds either
    quiet    a candidate judged once more: no process of another candidate is there at all

The rule: who waits to be alone is waited for by those who want to share, so timing is never
starved; those who share give way between two batches. (Letting them have a batch between two that
are alone was tried on an H200: looks that take milliseconds waited for it, and eight candidates
took twice as long.) Who waits for quiet keeps out new candidates, and lets those that are there
come to their end. A thread gives up what it holds before it waits for something else, so no two
threads wait for each other. Other processes are kept out by the lock in `timing_turn.py`.
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
    QUIET = auto()  # alone, and no other candidate's process is alive


_ALONE = (Hold.ALONE, Hold.QUIET)


class DeviceLease:
    """Of one device, among the threads of this process."""

    def __init__(self, builds_beside_timing: bool = False) -> None:
        self.at_once = 1  # candidates that may be at work at the same time
        self._builds_beside_timing = builds_beside_timing
        self._changed = threading.Condition()
        self._held = dict.fromkeys(Hold, 0)
        self._wanted = dict.fromkeys(Hold, 0)
        self._present = 0  # threads with a candidate whose processes may be alive
        self._mine = threading.local()

    @property
    def has_company(self) -> bool:
        """Whether processes of other candidates may be at work on the device beside this thread's.

        A candidate that waits stands still, but what it has queued goes on.
        """
        with self._changed:
            mine = self._now() in (Hold.SHARED, Hold.ASIDE)
            return self._now() not in _ALONE and self._present > mine

    @contextlib.contextmanager
    def shared(self, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """Use the device beside others; within another hold nothing changes."""
        if self._now() is not Hold.NOTHING:
            yield
            return
        with self._changed_to(Hold.SHARED, waiting):
            self._come(1)
            try:
                yield
            finally:
                self._come(-1)

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
        self,
        waiting: Callable[[], None] | None = None,
        quiet: bool = False,
        calls_over: bool = False,
    ) -> Iterator[None]:
        """Use the device with no calls of others; `quiet`: with no other candidate there.

        Who asks for quiet has ended its own processes. `waiting` is called where that cannot be had
        at once. Whose `calls_over` goes on aside, beside others that are timed.
        """
        if self._now() in _ALONE:
            yield
            return
        absent = 1 if quiet and self._now() is not Hold.NOTHING else 0
        self._come(-absent)
        try:
            then = Hold.ASIDE if calls_over and self._builds_beside_timing else None
            with self._changed_to(Hold.QUIET if quiet else Hold.ALONE, waiting, then):
                yield
        finally:
            self._come(absent)

    def give_way(self, waiting: Callable[[], None] | None = None) -> None:
        """Between two calls of one that shares: whoever waits to be alone has the device first."""
        if self._now() is Hold.SHARED and self._wanted[Hold.ALONE]:
            self._give_up()
            self._take(Hold.SHARED, waiting, back=True)

    def _come(self, count: int) -> None:
        with self._changed:
            self._present += count
            self._changed.notify_all()

    def _now(self) -> Hold:
        found: Hold = getattr(self._mine, "hold", Hold.NOTHING)
        return found

    @contextlib.contextmanager
    def _changed_to(
        self, hold: Hold, waiting: Callable[[], None] | None, then: Hold | None = None
    ) -> Iterator[None]:
        """Give up what this thread holds, take the other, and change back, or to a third."""
        before = self._now() if then is None or self._now() is Hold.NOTHING else then
        self._give_up()
        try:
            self._take(hold, waiting)
            yield
        finally:
            self._give_up()
            self._take(before, None, back=True)

    def _take(self, hold: Hold, waiting: Callable[[], None] | None, back: bool = False) -> None:
        with self._changed:
            self._wanted[hold] += 1
            try:
                if waiting is not None and not self._is_free(hold, back):
                    waiting()
                self._changed.wait_for(lambda: self._is_free(hold, back))
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

    def _is_free(self, hold: Hold, back: bool = False) -> bool:
        """`back`: the thread had it before, so that its candidate is there already."""
        held, wanted = self._held, self._wanted
        alone = held[Hold.ALONE] + held[Hold.QUIET]
        match hold:
            case Hold.SHARED:
                kept_out = wanted[Hold.QUIET] and not back
                return not (alone or wanted[Hold.ALONE] or kept_out)
            case Hold.ASIDE:
                return not held[Hold.QUIET]
            case Hold.ALONE:
                return not (alone or held[Hold.SHARED])
            case Hold.QUIET:
                others = held[Hold.SHARED] or held[Hold.ASIDE] or self._present
                return not (alone or others)
            case _:
                return True
