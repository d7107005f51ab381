"""Gate: the words by which host, child and device tell each other how far they are.

The rule: the host alone opens the gate, and the clock runs from there to the word that the device
itself writes when it is through. In between the candidate's process stands still, unless it has to
take part: one that synchronises inside a call never finishes queueing, and is let through early.
Whoever is to be compared with such a one is timed the same way, with nothing held back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from assay.data.observations.observation import EndCause
from assay.sandbox.host.arena import HostArena
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import Laid
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import (
    DONE_WORD,
    ENQUEUED_WORD,
    GATE_ARENA,
    GATE_WORD,
    LAUNCHED_WORD,
    STARTED_WORD,
    RunGated,
)
from assay.timing.device_round_times import GatedRun

_BYTES = 4096
_LOOKS = 2000  # at a word between two looks at the process
_STILL_S = 1.0


class Gate:
    """One session's gate."""

    def __init__(self, session: Session) -> None:
        self._session = session
        arena = HostArena(GATE_ARENA, _BYTES)
        self._words = arena.bytes.view(np.uint32)
        self._number = 0
        session.lend(arena)

    def run(
        self,
        laid: Sequence[Laid],
        refresh: Callable[[], None],
        patience_s: float,
        deadline: Deadline,
        recorded: bool = False,
    ) -> GatedRun:
        """Let queue, stop the process, `refresh` the inputs, open, and wait for the device."""
        process = self._session.process
        self._number += 1
        request = RunGated(tuple(one.call() for one in laid), self._number, recorded)
        start = process.begin(request)
        until = start + int(1e9 * patience_s)
        self._wait(STARTED_WORD, until)
        started = time.perf_counter_ns()
        launched = self._wait(LAUNCHED_WORD, until)
        launch_ns = time.perf_counter_ns() - started
        gated = launched and self._wait(ENQUEUED_WORD, until)
        process.freeze()
        refresh()
        if not gated:
            process.thaw()
        opened = time.perf_counter_ns()
        self._words[GATE_WORD] = self._number
        outside_ns = self._through(opened, deadline)
        after_us = self._look_us()
        process.thaw()
        self._answer(start, deadline)
        return GatedRun(self._inside_ns(laid), outside_ns, launch_ns, gated, after_us)

    def run_open(
        self,
        laid: Sequence[Laid],
        refresh: Callable[[], None],
        deadline: Deadline,
        recorded: bool = False,
    ) -> GatedRun:
        """`refresh` the inputs, then let queue and run at once: launches are part of the time."""
        process = self._session.process
        self._number += 1
        process.freeze()
        refresh()
        self._words[GATE_WORD] = self._number
        request = RunGated(tuple(one.call() for one in laid), self._number, recorded)
        start = process.begin(request)
        outside_ns = self._through(start, deadline)
        after_us = self._look_us()
        self._answer(start, deadline)
        return GatedRun(self._inside_ns(laid), outside_ns, outside_ns, False, after_us)

    def _look_us(self) -> float:
        """What the device makes us wait, now that all it was given is said to be done."""
        idle_probe = self._session.idle_probe
        return idle_probe.look_us() if idle_probe is not None else 0.0

    def _through(self, opened: int, deadline: Deadline) -> int:
        """Wait for the device's word; nanoseconds since the gate was opened."""
        process, limit_s = self._session.process, deadline.left_s()
        done = self._wait(DONE_WORD, opened + int(1e9 * min(_STILL_S, limit_s)))
        if not done:  # a kernel that faulted says nothing: the process has to
            process.thaw()
            done = self._wait(DONE_WORD, opened + int(1e9 * limit_s))
        outside_ns = time.perf_counter_ns() - opened
        if not done and not process.answered():
            raise ProcessLost(
                EndCause.TIMED_OUT, 0, "the device did not finish within the time limit"
            )
        return outside_ns

    def _answer(self, start: int, deadline: Deadline) -> None:
        reply, _ = self._session.process.finish(start, deadline)
        if reply.code != ReplyCode.OK:
            raise ProcessLost(EndCause.EXITED, 0, self._session.statement()[-500:])

    def _inside_ns(self, laid: Sequence[Laid]) -> int:
        records = [self._session.record(one) for one in laid]
        return sum(record.inside_ns for record in records if record is not None)

    def _wait(self, word: int, until_ns: int) -> bool:
        """Look as often as can be; False where the time is up or the process has answered."""
        words, number, process = self._words, self._number, self._session.process
        while True:
            for _ in range(_LOOKS):
                if words[word] == number:
                    return True
            if time.perf_counter_ns() > until_ns or process.answered():
                return bool(words[word] == number)
