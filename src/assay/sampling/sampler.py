"""Sampler: where the threads of a sandboxed tree are, looked up from outside at random moments.

The rule: the judge looks, the candidate is not asked. Only threads that want a processor count, by
the processor time they used; a sample is the code they are in, and the moments are random, so that
no rhythm of the candidate's can hide from them. The sampler runs between `start` and `stop` in a
thread of its own, while the tree is thawed; it leaves nothing stopped and nothing attached,
whatever happens.
"""

from __future__ import annotations

import ctypes
import functools
import math
import platform
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.sampling.code_index import code_index
from assay.sampling.mapped_objects import Owner
from assay.sampling.operator_frames import computes
from assay.sampling.processor_use import ProcessorUse
from assay.sampling.sampled_process import Look, SampledCode, SampledProcess, parent_of
from assay.sampling.stopped_thread import AttachRefused, NotStopped, ThreadStopper, supported
from assay.sampling.thread_census import ThreadCensus

RATE_HZ = 800.0  # samples a second of one thread
_PIDS_EVERY_S = 0.02  # how old the list of processes may be, at most
_LISTING_COST = 0.05  # of the time may go into listing them: a helper may live for 1 ms
_THREADS_A_ROUND = 4  # stopped one after the other; of more, some are drawn
_SHORTEST, _LONGEST = 0.4, 1.6  # gaps between moments, in those of the rate
_STILL_S = 0.02  # between looks whether a tree that stands still is to be left
_SETTLE_S = 0.5  # for threads that are still to be let go
_JOIN_S = 5.0  # until the sampling thread is given up
_TOP = 5  # objects and operators that are named
_TORCH = "libtorch"
WITHOUT_TORCH = "the BLAS inside of"  # called by its own address: no operator is on the stack
_PR_SET_TIMERSLACK = 29


@dataclass(frozen=True)
class Samples:
    """What was seen. Counts are samples; a sample is one thread at one moment."""

    counts: Mapping[Owner, int] = field(default_factory=dict)
    objects: tuple[tuple[str, int], ...] = ()  # libraries by name, the most sampled first
    operators: tuple[tuple[str, int], ...] = ()  # computing torch operators on sampled stacks
    in_torch: int = 0  # of those in libraries, in torch
    total: int = 0
    moments: Mapping[Owner, float] = field(default_factory=dict)  # processors in use, added up
    rounds: int = 0  # moments at which any thread wanted a processor
    seconds: float = 0.0
    reason: str = ""  # why there are none, where something prevented it
    unseen: int = 0  # samples that are missing of threads which ended before they could be met

    def of(self, owner: Owner) -> int:
        """Samples in code of one owner."""
        return self.counts.get(owner, 0)

    @property
    def unowned(self) -> int:
        """Samples in system calls and in code of nobody that is known."""
        return self.of(Owner.KERNEL) + self.of(Owner.UNKNOWN)

    def thread_us(self, owner: Owner, elapsed_us: float) -> float:
        """Processor time that threads spent in code of one owner while so much time went by.

        On a busy machine a thread has a processor for a part of that time alone.
        """
        return elapsed_us * self.moments.get(owner, self.of(owner)) / max(1, self.rounds)


class Sampler:
    """Samples the tree whose processes `pids` lists; `scratch` is what the candidate writes to."""

    def __init__(
        self,
        pids: Callable[[], list[int]],
        scratch: str,
        rate_hz: float = RATE_HZ,
        turn: threading.Lock | None = None,
        thawed: threading.Event | None = None,
    ) -> None:
        self.tools: tuple[str, ...] = ()  # files that count as libraries: no kernel runs in them
        self._turn = turn or threading.Lock()  # a tree that is being frozen is not looked at
        self._thawed = thawed or _always()  # while it is not set no thread of the tree can run
        self._pids = pids
        self._scratch = scratch
        self._gap_s = 1.0 / rate_hz
        self._random = random.SystemRandom()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._stopper = ThreadStopper()
        self._processes: dict[int, SampledProcess] = {}
        self._list_next = float("-inf")
        self._counts: Counter[Owner] = Counter()
        self._libraries: Counter[str] = Counter()
        self._operators: Counter[str] = Counter()
        self._moments: defaultdict[Owner, float] = defaultdict(float)
        self._own_code: list[tuple[SampledCode, float]] = []
        self._in_torch = 0
        self._rounds = 0
        self._refused = 0
        self._processor_use = ProcessorUse()
        self._census = ThreadCensus(rate_hz)
        self._unseen = 0
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
        self._name_copies()
        total = self.total
        reason = self._failure
        if self._refused > total:  # an exiting thread is refused too, but seldom met
            reason = reason or "the kernel refused to let the judge look into the process"
        return Samples(
            counts=dict(self._counts),
            objects=tuple(self._libraries.most_common(_TOP)),
            operators=tuple(self._operators.most_common(_TOP)),
            in_torch=self._in_torch,
            total=total,
            moments=dict(self._moments),
            rounds=self._rounds,
            seconds=seconds,
            reason=reason,
            unseen=self._unseen,
        )

    @property
    def total(self) -> int:
        """Samples so far."""
        return sum(self._counts.values())

    @property
    def attributed(self) -> int:
        """Samples so far that speak for or against the candidate."""
        return self._counts[Owner.OWN] + self._counts[Owner.LIBRARY]

    @property
    def moving(self) -> int:
        """Samples so far in which torch only moves data."""
        return self._counts[Owner.MOVEMENT]

    def _run(self) -> None:
        """All tracing happens in this thread; when it ends the kernel lets go of what is left."""
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1)  # else each short sleep lasts 50 us more
        try:
            while not self._failure:
                if self._thawed.is_set():
                    self._round()
                    gap = self._random.uniform(_SHORTEST, _LONGEST)
                else:
                    gap = self._await_thaw()
                if self._stop.wait(self._gap_s * gap):
                    break
            self._unseen = self._census.unseen(self._processes)
            self._settle()
        except Exception as error:  # told to the caller, who must not lose the verdict by it
            self._failure = f"{type(error).__name__}: {error}"
        finally:
            for process in self._processes.values():
                process.close()

    def _await_thaw(self) -> float:
        """Until something can run; how much of a gap is then left.

        What is left of a gap in which a random moment lies: moments are as likely soon after a thaw
        as at any other time.
        """
        self._stopper.settle()
        if not self._thawed.wait(_STILL_S):
            return 0.0
        self._stopper.settle()  # one that stopped late would stay so
        whole = math.sqrt(self._random.uniform(_SHORTEST**2, _LONGEST**2))
        return whole * self._random.random()

    def _settle(self) -> None:
        deadline = time.monotonic() + _SETTLE_S
        while self._stopper.owed and time.monotonic() < deadline:
            self._stopper.settle()
            time.sleep(0.001)

    def _round(self) -> None:
        """Look at the threads that want a processor at this moment, up to a few of them."""
        self._stopper.settle()  # one that stopped late does not run, and would stay so
        self._list_processes()
        running = [(p, tid) for p in self._processes.values() for tid in p.running()]
        weight = max(1.0, len(running) / _THREADS_A_ROUND)
        if weight > 1.0:
            running = self._random.sample(running, _THREADS_A_ROUND)
        looks = [look for p, tid in running if (look := self._look(p, tid)) is not None]
        self._rounds += bool(looks)
        for look in looks:
            self._census.note(look.tid)
        for look in looks:
            if self._random.random() > self._processor_use.weight(look.tid):
                continue
            owner = self._note(look, [other for other in looks if other.process is look.process])
            processors = weight * self._processor_use.busiest(look.tid)
            self._moments[owner] += processors
            if owner is Owner.OWN:
                self._own_code.append((look.code, processors))

    def _look(self, process: SampledProcess, tid: int) -> Look | None:
        if not self._turn.acquire(blocking=False):  # those that stopped late are to be let go
            return None
        try:
            with self._stopper.stopped(tid) as registers:
                stack, code = process.stack(registers), process.code(registers)
                ran_ns = process.ran_ns(tid)
        except AttachRefused:
            self._refused += 1
            return None
        except NotStopped:
            return None
        finally:
            self._turn.release()
        self._processor_use.note(tid, ran_ns, time.monotonic_ns())
        return Look(process, tid, registers, stack, code)

    def _list_processes(self) -> None:
        now = time.monotonic()
        if now < self._list_next:
            return
        listed = set(self._pids())
        cost_s = time.monotonic() - now
        self._list_next = now + min(_PIDS_EVERY_S, cost_s / _LISTING_COST)
        for pid in set(self._processes) - listed:
            self._processes.pop(pid).close()
        for pid in listed - set(self._processes):
            parent = self._processes.get(parent_of(pid))
            self._processes[pid] = SampledProcess(pid, self._scratch, parent)
            self._census.begin(pid)

    def _note(self, look: Look, together: list[Look]) -> Owner:
        owner, name = look.responsible()
        if owner is Owner.INTERPRETER and self.tools and name.startswith(self.tools):
            owner = Owner.LIBRARY
        if owner is Owner.LIBRARY:
            operators = self._operators_behind(look, together) if _TORCH in name else frozenset()
            computing = [o for o in operators if computes(o)]
            if operators and not computing:
                owner = Owner.MOVEMENT
            else:
                if _TORCH in name and look.operators() == frozenset() and look.c_function():
                    name = f"{WITHOUT_TORCH} {name}"
                self._libraries[name] += 1
                self._operators.update(computing)
                self._in_torch += _TORCH in name
        self._counts[owner] += 1
        return owner

    def _name_copies(self) -> None:
        """Samples in the candidate's pages that hold a copy of a library's function."""
        names = functools.cache(code_index().name)  # a loop is sampled at few places, often
        for code, weight in self._own_code:
            name = names(code.window, code.at)
            if name:
                self._counts.update({Owner.OWN: -1, Owner.LIBRARY: 1})
                self._moments[Owner.OWN] -= weight
                self._moments[Owner.LIBRARY] += weight
                self._libraries[f"a copy of {name}"] += 1
                self._in_torch += _TORCH in name
        self._own_code.clear()

    def _operators_behind(self, look: Look, together: list[Look]) -> frozenset[str]:
        """On its stack; a thread of a pool begins in the pool, and works for one that has some."""
        operators = look.operators()
        if operators is not None:
            return operators
        seen = [other for other in together if other is not look]
        main = look.process.pid
        if look.tid != main and all(other.tid != main for other in seen):
            seen += filter(None, [self._look(look.process, main)])
        return frozenset().union(*(other.operators() or () for other in seen))


def _always() -> threading.Event:
    """Of a tree that nobody freezes."""
    event = threading.Event()
    event.set()
    return event
