"""Sampler: where the threads of a sandboxed tree are, looked up from outside at random moments.

The rule: the judge looks, the candidate is not asked. Only threads that want a processor count, a
sample is the code they are in, and the moments are random, so that no rhythm of the candidate's can
hide from them. The sampler runs between `start` and `stop` in a thread of its own, while the tree
is thawed; it leaves nothing stopped and nothing attached, whatever happens.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import random
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from assay.worker.host.mapped_objects import MappedObjects, MappedRange, Owner
from assay.worker.host.stopped_thread import (
    NotStopped,
    Refused,
    Registers,
    ThreadStopper,
    supported,
)

RATE_HZ = 800.0
_PIDS_EVERY_S = 0.02
_THREADS_A_ROUND = 4
_SETTLE_S = 0.5
_JOIN_S = 5.0
_STACK_BYTES = 4096
_TOP_OBJECTS = 5
_PR_SET_TIMERSLACK = 29
_WORK_FOR_OTHERS = (Owner.GENERATED, Owner.MATHEMATICS)


@dataclass(frozen=True)
class Samples:
    """What was seen. Counts are samples; a sample is one thread at one moment."""

    counts: Mapping[Owner, int] = field(default_factory=dict)
    objects: tuple[tuple[str, int], ...] = ()  # libraries by name, the most sampled first
    total: int = 0
    seconds: float = 0.0
    reason: str = ""  # why there are none, where something prevented it

    def of(self, owner: Owner) -> int:
        """Samples in code of one owner."""
        return self.counts.get(owner, 0)


class Sampler:
    """Samples the tree whose processes `pids` lists; `scratch` is what the candidate writes to."""

    def __init__(
        self, pids: Callable[[], list[int]], scratch: str, rate_hz: float = RATE_HZ
    ) -> None:
        self._pids = pids
        self._scratch = scratch
        self._gap_s = 1.0 / rate_hz
        self._random = random.SystemRandom()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._stopper = ThreadStopper()
        self._processes: dict[int, _Process] = {}
        self._listed_at = float("-inf")
        self._counts: Counter[Owner] = Counter()
        self._libraries: Counter[str] = Counter()
        self._refused = 0
        self._failure = "" if supported() else f"no samples on {platform.machine()}"
        self._started_at = 0.0

    def start(self) -> None:
        """Begin to look."""
        self._started_at = time.monotonic()
        self._thread.start()

    def stop(self) -> Samples:
        """End, let go of everything, and say what was seen."""
        self._stop.set()
        self._thread.join(_JOIN_S)
        seconds = time.monotonic() - self._started_at
        total = sum(self._counts.values())
        reason = self._failure
        if self._refused > total:  # an exiting thread is refused too, but seldom met
            reason = reason or "the kernel refused to let the judge look into the process"
        top = tuple(self._libraries.most_common(_TOP_OBJECTS))
        return Samples(dict(self._counts), top, total, seconds, reason)

    def _run(self) -> None:
        """All tracing happens in this thread; when it ends the kernel lets go of what is left."""
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1)  # else each short sleep lasts 50 us more
        try:
            while not self._failure and not self._stop.is_set():
                self._round()
                time.sleep(self._gap_s * self._random.uniform(0.4, 1.6))
            self._settle()
        except Exception as error:  # told to the caller, who must not lose the verdict by it
            self._failure = f"{type(error).__name__}: {error}"
        finally:
            for process in self._processes.values():
                process.close()

    def _settle(self) -> None:
        deadline = time.monotonic() + _SETTLE_S
        while self._stopper.owed and time.monotonic() < deadline:
            self._stopper.settle()
            time.sleep(0.001)

    def _round(self) -> None:
        """Look at the threads that want a processor at this moment, up to a few of them."""
        self._list_processes()
        running = [(p, tid) for p in self._processes.values() for tid in p.running()]
        if len(running) > _THREADS_A_ROUND:
            running = self._random.sample(running, _THREADS_A_ROUND)
        for process, tid in running:
            try:
                with self._stopper.stopped(tid) as registers:
                    self._note(process, registers)
            except Refused:
                self._refused += 1
            except NotStopped:
                continue

    def _list_processes(self) -> None:
        now = time.monotonic()
        if now - self._listed_at < _PIDS_EVERY_S:
            return
        self._listed_at = now
        listed = set(self._pids())
        for pid in set(self._processes) - listed:
            self._processes.pop(pid).close()
        for pid in listed - set(self._processes):
            self._processes[pid] = _Process(pid, self._scratch)

    def _note(self, process: _Process, registers: Registers) -> None:
        if registers.in_system_call:
            self._counts[Owner.KERNEL] += 1
            return
        owner, name = process.responsible(registers)
        self._counts[owner] += 1
        if owner is Owner.LIBRARY:
            self._libraries[name] += 1


class _Process:
    """One process of the tree: its threads, its mappings and its memory."""

    def __init__(self, pid: int, scratch: str) -> None:
        self._pid = pid
        self.objects = MappedObjects(pid, scratch)
        self._memory: int | None = None

    def running(self) -> list[int]:
        """Threads that run or wait for a processor."""
        try:
            threads = os.listdir(f"/proc/{self._pid}/task")
        except OSError:
            return []
        return [int(tid) for tid in threads if self._state(tid) == b"R"]

    def _state(self, tid: str) -> bytes:
        try:
            with open(f"/proc/{self._pid}/task/{tid}/stat", "rb", buffering=0) as file:
                return file.read(512).rpartition(b") ")[2][:1]
        except OSError:
            return b""

    def responsible(self, registers: Registers) -> tuple[Owner, str]:
        """Whose work a thread is doing, and the name of the object that does it."""
        found = self.objects.find(registers.pc)
        if found is None:
            return Owner.UNKNOWN, ""
        if found.owner not in _WORK_FOR_OTHERS:
            return found.owner, found.name
        callers = list(self._callers(registers))
        generated = Owner.GENERATED in (found.owner, *(c.owner for c in callers))
        last = callers[-1] if callers else found
        if last.owner in (Owner.OWN, Owner.LIBRARY):
            return last.owner, f"{found.name} of {last.name}"
        if generated:
            return Owner.OWN, found.name
        return (last.owner if callers else Owner.NEUTRAL), found.name

    def _callers(self, registers: Registers) -> Iterator[MappedRange]:
        """Return addresses on the stack, up to the first in code that speaks for itself.

        Generated code keeps no frames that could be walked (oneDNN's kernels live in pages like
        Numba's functions do), but the stack holds the addresses to return to: a word counts as
        one where it points into code, right behind a call.
        """
        data = self._read(registers.stack, _STACK_BYTES)
        words = struct.unpack(f"<{len(data) // 8}Q", data[: len(data) & ~7])
        for word in (registers.link, *words):
            found = self.objects.holds(word)
            if found is None or found.owner is Owner.NEUTRAL or not self._after_call(word):
                continue
            yield found
            if found.owner not in _WORK_FOR_OTHERS:
                return

    def _after_call(self, address: int) -> bool:
        code = self._read(address - 8, 8)
        if len(code) < 8:
            return False
        if platform.machine() == "aarch64":  # bl, blr
            word = int.from_bytes(code[4:], "little")
            return word >> 26 == 0x25 or word & 0xFFFFFC1F == 0xD63F0000
        indirect = any(code[-n] == 0xFF and (code[1 - n] >> 3) & 7 == 2 for n in (2, 3, 4, 6, 7))
        return code[-5] == 0xE8 or indirect

    def _read(self, address: int, size: int) -> bytes:
        with contextlib.suppress(OSError, OverflowError):
            if self._memory is None:
                self._memory = os.open(f"/proc/{self._pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
            return os.pread(self._memory, size, address)
        return b""

    def close(self) -> None:
        """Give the descriptor back."""
        if self._memory is not None:
            os.close(self._memory)
            self._memory = None
