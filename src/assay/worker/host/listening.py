"""Listening: what is alive and at work in a candidate's tree when nobody asks anything."""

from __future__ import annotations

import os

from assay.data.observation import LeftoverSeen
from assay.worker.host.process import IDLE_WINDOW_S, SandboxedProcess
from assay.worker.host.pulse import Pulse

_IDLE_SHARE = 0.4
_MOST_THREADS = 64 + 8 * (os.cpu_count() or 1)  # a few pools of one thread a processor


def listen(process: SandboxedProcess, number: int) -> list[LeftoverSeen]:
    """After batch `number`: does something still compute, are there threads without end?"""
    when, found = f"after batch {number}", []
    busy_s = process.busy_while_idle_s()
    if busy_s > _IDLE_SHARE * IDLE_WINDOW_S:
        text = f"{1e3 * busy_s:.0f} ms of computing in {1e3 * IDLE_WINDOW_S:.0f} ms of silence"
        found.append(LeftoverSeen(when=when, processes=0, running_threads=1, text=text))
    threads = process.threads()
    if threads > _MOST_THREADS:
        text = f"{threads} threads alive while nobody asks anything"
        found.append(LeftoverSeen(when=when, processes=0, text=text))
    return found


def feel(pulse: Pulse, number: int) -> list[LeftoverSeen]:
    """After batch `number`: is the device still at work?"""
    busy_us = pulse.busy_us()
    if busy_us is None:
        return []
    took = f"a fill of {pulse.usual_us:.0f} us took {busy_us:.0f}"
    text = f"the device is at work though every call was called done: {took}"
    return [LeftoverSeen(when=f"after batch {number}", processes=0, text=text)]


def strangers(number: int, count: int) -> LeftoverSeen:
    """Processes that were alive after the calls of batch `number` had returned."""
    text = f"{count} other processes alive after the call returned"
    return LeftoverSeen(when=f"batch {number}", processes=count, running_threads=0, text=text)
