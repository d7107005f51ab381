"""Turns: how many judge processes of this process are at work at the same time.

The rule: as many as there are usable cores, or as `ASSAY_JUDGES` says; others wait. A turn is held
only while a judgement is awaited, never while the caller does something with one, so a caller
that holds several unfinished iterators waits for none of its own.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

_VARIABLE = "ASSAY_JUDGES"


class Turns:
    """A counter that threads wait on."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._at_work = 0

    @contextlib.contextmanager
    def turn(self) -> Iterator[int]:
        """Wait for a turn and hold it; how many are at work then, this one counted."""
        with self._changed:
            self._changed.wait_for(lambda: self._at_work < most_at_once())
            self._at_work += 1
            at_work = self._at_work
        try:
            yield at_work
        finally:
            with self._changed:
                self._at_work -= 1
                self._changed.notify()


def most_at_once() -> int:
    """Usable cores, or what the environment says."""
    asked = os.environ.get(_VARIABLE, "")
    return int(asked) if asked.isdigit() and int(asked) else len(os.sched_getaffinity(0))


_turns = Turns()


def turn() -> contextlib.AbstractContextManager[int]:
    """A turn of this process."""
    return _turns.turn()


def _anew() -> None:
    """A forked copy has none of the threads that held a turn."""
    global _turns
    _turns = Turns()


os.register_at_fork(after_in_child=_anew)
