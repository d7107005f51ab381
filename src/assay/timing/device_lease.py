"""DeviceLease: who of the judges of one user may use the device now.

    shared   calls of several candidates, side by side
    aside    a build, or an exam that is drawn: it needs the host's processors, hardly the device
    alone    timing: no calls of others; on a device that is the host's own, no builds either
    quiet    a candidate judged once more: no process of another candidate is there at all

The rule: who waits to be alone is waited for by those who want to share, so timing is never
starved; those who share give way between two batches. (Letting them have a batch between two that
are alone was tried on an H200: looks that take milliseconds waited for it, and eight candidates
took twice as long.) Who waits for quiet keeps out new candidates, and lets those that are there
come to their end. A thread gives up what it holds before it waits for something else, so no two
threads wait for each other.

Threads of one process know each other by the counts here. Other judge processes on a device of its
own are known by `JudgesLock`, whose locks are tried again and again; processors of the host are
kept by the lock in `timing_turn.py`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from enum import Enum, auto

from assay.devices.judges_lock import POLL_S, JudgesLock


class Hold(Enum):
    """What a thread holds."""

    NOTHING = auto()
    SHARED = auto()
    ASIDE = auto()
    ALONE = auto()
    QUIET = auto()  # alone, and no other candidate's process is alive


_ALONE = (Hold.ALONE, Hold.QUIET)
_PRESENT = (Hold.SHARED, Hold.ASIDE)  # who holds them has a candidate there


class DeviceLease:
    """Of one device, among the threads of this process and, with a lock, other judges."""

    def __init__(
        self, builds_beside_timing: bool = False, judges_lock: JudgesLock | None = None
    ) -> None:
        self.at_once = 1  # candidates that may be at work at the same time
        self.lanes = 1  # judge processes that the caller has on the device, each with as many
        self._builds_beside_timing = builds_beside_timing
        self._judges = judges_lock
        self._changed = threading.Condition()
        self._held = dict.fromkeys(Hold, 0)
        self._wanted = dict.fromkeys(Hold, 0)
        self._present = 0  # threads with a candidate whose processes may be alive
        self._mine = threading.local()
        if judges_lock is not None:
            judges_lock.join()

    @property
    def is_among_judges(self) -> bool:
        """Whether other judge processes are told what is held here."""
        return self._judges is not None

    @property
    def is_needed(self) -> bool:
        """Whether others may come while the device is used: threads, or a judge that starts."""
        return self.at_once > 1 or self.is_among_judges

    @property
    def had_company(self) -> bool:
        """Whether others may have been on the device at some time of this process."""
        if self._now() is Hold.QUIET:
            return False
        return self.at_once > 1 or (self._judges is not None and self._judges.has_met_others)

    @property
    def has_company(self) -> bool:
        """Whether processes of other candidates may be at work on the device beside this thread's.

        A candidate that waits stands still, but what it has queued goes on.
        """
        with self._changed:
            if self._now() in _ALONE:
                return False
            if self._present > self._is_present():
                return True
        return self._judges is not None and self._judges.has_company

    @contextlib.contextmanager
    def shared(self, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """Use the device beside others; within another hold nothing changes, but for aside."""
        if self._now() not in (Hold.NOTHING, Hold.ASIDE):
            yield
            return
        comes = not self._is_present()
        with self._changed_to(Hold.SHARED, waiting):
            try:
                yield
            finally:
                if comes:
                    self._leave()

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

        Who asks for quiet has ended its own processes, and is there again before others can be.
        `waiting` is called where that cannot be had at once. Whose `calls_over` goes on aside,
        beside others that are timed.
        """
        if self._now() in _ALONE:
            yield
            return
        goes = quiet and self._is_present()
        if goes:
            self._leave()
        then = Hold.ASIDE if calls_over and self._builds_beside_timing else None
        with self._changed_to(Hold.QUIET if quiet else Hold.ALONE, waiting, then):
            try:
                yield
            finally:
                if goes:
                    self._arrive()

    @contextlib.contextmanager
    def others_kept_out(self) -> Iterator[None]:
        """No other judge uses the device; the threads of this one make no calls meanwhile."""
        if self._judges is None:
            yield
            return
        with self._judges.others_kept_out():
            yield

    def give_way(self, waiting: Callable[[], None] | None = None) -> None:
        """Between two calls of one that shares: whoever waits to be alone has the device first."""
        if self._now() is not Hold.SHARED:
            return
        others = self._judges is not None and self._judges.others_want_alone
        if self._wanted[Hold.ALONE] or others:
            self._give_up()
            self._take(Hold.SHARED, waiting)

    def _is_present(self) -> bool:
        return getattr(self._mine, "present", False)

    def _arrive(self) -> None:
        """In quiet, where nobody can refuse it."""
        with self._changed:
            self._present += 1
            if self._judges is not None:
                self._judges.arrive()
            self._changed.notify_all()
        self._mine.present = True

    def _leave(self) -> None:
        with self._changed:
            self._present -= 1
            if self._judges is not None:
                self._judges.leave()
            self._changed.notify_all()
        self._mine.present = False

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
            self._take(before, None)

    def _take(self, hold: Hold, waiting: Callable[[], None] | None) -> None:
        """A candidate that was not there has come once it is taken."""
        arrives = hold in _PRESENT and not self._is_present()
        found = False
        with self._changed:
            self._wanted[hold] += 1
            try:
                found = self._takes(hold, arrives)
                if waiting is not None and not found:
                    waiting()
                while not found:
                    self._changed.wait(self._patience_s(hold))
                    found = self._takes(hold, arrives)
            finally:
                self._wanted[hold] -= 1
                if not found and hold in _ALONE and self._judges is not None:
                    self._judges.want_no_more(hold is Hold.QUIET)
                self._changed.notify_all()
            self._held[hold] += 1
            self._present += arrives
        self._mine.hold = hold
        self._mine.present = self._is_present() or arrives

    def _takes(self, hold: Hold, arrives: bool) -> bool:
        """Whether it is this thread's now, also by what other judges hold."""
        judges = self._judges
        if not self._is_free(hold):
            if judges is not None and hold in _ALONE:
                judges.want(hold is Hold.QUIET)  # they make room while this process does
            return False
        if judges is None:
            return True
        match hold:
            case Hold.SHARED:
                return judges.share(arrives)
            case Hold.ASIDE:
                return not arrives or judges.arrive()
            case Hold.ALONE | Hold.QUIET:
                return judges.take_alone(hold is Hold.QUIET)
            case _:
                return True

    def _patience_s(self, hold: Hold) -> float | None:
        """Until it is tried again; who waits for threads of this process alone is woken by them."""
        judges = self._judges
        if judges is None:
            return None
        known = hold not in _ALONE or judges.want(hold is Hold.QUIET)
        return None if known and not self._is_free(hold) else POLL_S

    def _give_up(self) -> None:
        hold = self._now()
        with self._changed:
            self._held[hold] -= 1 if hold is not Hold.NOTHING else 0
            if self._judges is not None:
                if hold is Hold.SHARED:
                    self._judges.unshare()
                elif hold in _ALONE:
                    self._judges.end_alone()
            self._changed.notify_all()
        self._mine.hold = Hold.NOTHING

    def _is_free(self, hold: Hold) -> bool:
        """By the threads of this process."""
        held, wanted = self._held, self._wanted
        alone = held[Hold.ALONE] + held[Hold.QUIET]
        match hold:
            case Hold.SHARED:
                kept_out = wanted[Hold.QUIET] and not self._is_present()
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
