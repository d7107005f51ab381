"""Sampler: where the threads of a sandboxed tree are, looked up from outside at random moments.

The rule: the judge looks, the candidate is not asked. Only threads that use a processor count, by
the processor time they used; a sample is the code they are in. The kernel takes the samples where
it lets us, else threads are stopped for a moment (`looks/`). The sampler runs between `start` and
`stop` in a thread of its own; it leaves nothing stopped and nothing attached, whatever happens.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import platform
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.sampling.code_index import code_index
from assay.sampling.looks.clock_events import SamplesRefused
from assay.sampling.looks.clocked_looks import ClockedLooks
from assay.sampling.looks.moment import CountedLook
from assay.sampling.looks.stopped_looks import StoppedLooks
from assay.sampling.looks.stopped_thread import supported
from assay.sampling.mapped_objects import Owner
from assay.sampling.operator_frames import computes
from assay.sampling.sampled_process import SampledCode, SampledProcess, parent_of
from assay.sampling.thread_census import ThreadCensus

RATE_HZ = 800.0  # samples a second of one thread
_PIDS_EVERY_S = 0.02  # how old the list of processes may be, at most
_LISTING_COST = 0.05  # of the time may go into listing them: a helper may live for 1 ms
_JOIN_S = 5.0  # until the sampling thread is given up
_BLOCK = 256  # bytes of code: part of one function
_TOP = 5  # objects and operators that are named
_TORCH = "libtorch"
WITHOUT_TORCH = "the BLAS inside of"  # called by its own address: no operator is on the stack
_PR_SET_TIMERSLACK = 29
_PRIORITY = -10  # of the sampling thread: it sleeps nearly always


@dataclass(frozen=True)
class Samples:
    """What was seen. Counts are samples; a sample is one thread at one moment."""

    counts: Mapping[Owner, int] = field(default_factory=dict)
    objects: tuple[tuple[str, int], ...] = ()  # libraries by name, the most sampled first
    operators: tuple[tuple[str, int], ...] = ()  # computing torch operators on sampled stacks
    in_torch: int = 0  # of those in libraries, in torch
    total: int = 0
    moments: Mapping[Owner, float] = field(default_factory=dict)  # processors in use, added up
    rounds: float = 0.0  # moments at which any thread wanted a processor; clocked, their samples
    seconds: float = 0.0
    reason: str = ""  # why there are none, where something prevented it
    unseen: int = 0  # samples that are missing of threads which ended before they could be met
    clocked: bool = False  # the kernel took them, each after the same processor time

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

    def looked_at_us(self, elapsed_us: float, ran_us: float) -> float:
        """Of the time of a call, the part in which threads were met: all of them ran for `ran_us`.

        The rest went by while nobody wanted a processor: a call waits to be woken, and for the
        host. Charged to those who were met, the runner's own moments were 364 us of each call of an
        honest kernel on a busy machine. Samples by processor time share all of that out.
        """
        if self.clocked:
            return ran_us
        met = sum(self.moments.values())
        return min(elapsed_us, ran_us * self.rounds / met) if met else elapsed_us


class Sampler:
    """Samples the tree whose processes `pids` lists; `scratch` is what the candidate writes to."""

    clocked = True  # whether the kernel may take the samples

    def __init__(
        self,
        pids: Callable[[], list[int]],
        scratch: str,
        rate_hz: float = RATE_HZ,
        turn: threading.Lock | None = None,
        thawed: threading.Event | None = None,
    ) -> None:
        self.tools: tuple[str, ...] = ()  # files that count as libraries: no kernel runs in them
        self._pids = pids
        self._scratch = scratch
        self._rate_hz = rate_hz
        self._looks: StoppedLooks | ClockedLooks = StoppedLooks(
            rate_hz, turn or threading.Lock(), thawed or _always()
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._processes: dict[int, SampledProcess] = {}
        self._list_next = float("-inf")
        self._counts: Counter[Owner] = Counter()
        self._libraries: Counter[str] = Counter()
        self._operators: Counter[str] = Counter()
        self._moments: defaultdict[Owner, float] = defaultdict(float)
        self._unnamed: list[_Unnamed] = []  # own and generated code
        self._generated = 0  # samples in generated code that speak for nobody yet
        self._in_torch = 0
        self._seen_code: defaultdict[int, set[bool]] = defaultdict(set)  # torch's: does it compute?
        self._rounds = 0.0
        self._met = 0
        self._census = ThreadCensus(rate_hz)
        self._unseen = 0
        self._failure = "" if supported() else f"no samples on {platform.machine()}"
        self._started_at = 0.0

    def start(self) -> None:
        """Begin to look: what runs from now on is seen."""
        self._started_at = time.monotonic()
        if self.clocked and not self._failure:
            self._begin_clocked()
        self._thread.start()

    def _begin_clocked(self) -> None:
        """Have the kernel take the samples, where it does."""
        looks = ClockedLooks(self._rate_hz, self._process_of)
        try:
            self._list_processes()
            looks.watch(self._processes.values())
        except SamplesRefused:
            return
        except Exception as error:  # told to the caller, as one of the sampling thread is
            self._failure = f"{type(error).__name__}: {error}"
            return
        self._looks = looks

    def stop(self) -> Samples:
        """End, let go of everything, and say what was seen."""
        self._stop.set()
        self._thread.join(_JOIN_S)
        seconds = time.monotonic() - self._started_at
        self._name_copies()
        total = self.total
        reason = self._failure
        if self._looks.refused > total:  # an exiting thread is refused too, but seldom met
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
            clocked=self._looks.clocked,
        )

    @property
    def total(self) -> int:
        """Samples so far."""
        return sum(self._counts.values())

    @property
    def attributed(self) -> int:
        """Samples so far that speak for or against the candidate."""
        return self._counts[Owner.OWN] + self._counts[Owner.LIBRARY] + self._generated

    @property
    def moving(self) -> int:
        """Samples so far in which torch only moves data."""
        return self._counts[Owner.MOVEMENT]

    def _run(self) -> None:
        """All tracing happens in this thread; when it ends the kernel lets go of what is left."""
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1)  # else each short sleep lasts 50 us more
        with contextlib.suppress(OSError):  # where it is allowed: on a busy machine it looked late
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PRIORITY)
        try:
            while not self._failure:
                if self._looks.due:
                    self._round()
                if self._stop.wait(self._looks.gap_s()):
                    break
            self._last()
        except Exception as error:  # told to the caller, who must not lose the verdict by it
            self._failure = f"{type(error).__name__}: {error}"
        finally:
            self._looks.finish()
            for process in self._processes.values():
                process.close()

    def _last(self) -> None:
        """What was written down after the last reading, and what was missed."""
        if self._looks.clocked and not self._failure:
            self._round()
        unseen = self._census.unseen(self._processes)
        looked_at = self.total / self._met if self._looks.clocked and self._met else 1.0
        self._unseen = round(unseen * looked_at)

    def _round(self) -> None:
        """Look at those that use a processor at this moment."""
        self._list_processes()
        moment = self._looks.taken(self._processes.values())
        self._rounds += moment.rounds
        self._met += len(moment.met)
        for tid in moment.met:
            self._census.note(tid)
        for one in moment.looks:
            owner = self._note(one)
            self._moments[owner] += one.processors
            aside = one.look.is_generated and owner in (Owner.MOVEMENT, Owner.NEUTRAL)
            self._generated += aside
            if owner is Owner.OWN or aside:
                block = one.look.registers.pc // _BLOCK if aside else None
                self._unnamed.append(_Unnamed(owner, one.look.code, one.processors, block))

    def _process_of(self, pid: int, parent: int) -> SampledProcess:
        """Also one that was made since they were listed, and one that is gone already."""
        if pid not in self._processes:
            self._add(pid, parent)
        return self._processes[pid]

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
            self._add(pid)

    def _add(self, pid: int, told: int = 0) -> None:
        parent = self._processes.get(parent_of(pid) or told)
        self._processes[pid] = SampledProcess(pid, self._scratch, parent)
        self._census.begin(pid)

    def _note(self, counted: CountedLook) -> Owner:
        look = counted.look
        owner, name = look.responsible()
        if owner is Owner.INTERPRETER and self.tools and name.startswith(self.tools):
            owner = Owner.LIBRARY
        if owner is Owner.LIBRARY and _TORCH in name:
            owner = self._torch_work(counted, name)
        elif owner is Owner.LIBRARY:
            self._libraries[name] += 1
        self._counts[owner] += 1
        return owner

    def _torch_work(self, counted: CountedLook, name: str) -> Owner:
        """Whether torch computes there, moves data or works for nobody that is known.

        A product's function with a C name computes, whatever thread it runs in. A thread of a pool
        is held against what its main thread does; where the kernel took the samples that may not
        be known, and then code counts as it was seen in other samples.
        """
        look, block = counted.look, counted.look.registers.pc // _BLOCK
        on_stack, product = look.operators(), look.c_function()
        operators = _operators_behind(counted) if on_stack is None else on_stack
        computing = [o for o in operators if computes(o)]
        if operators:
            self._seen_code[block] |= {bool(computing)}
        only_moves = bool(operators) and not computing
        if on_stack is None and not operators:
            only_moves = self._seen_code[block] == {False}
            if self._looks.clocked and not product and not self._seen_code[block]:
                return Owner.NEUTRAL
        if only_moves and not (product and not on_stack):
            return Owner.MOVEMENT
        by_address = product and on_stack == frozenset()
        self._libraries[f"{WITHOUT_TORCH} {name}" if by_address else name] += 1
        self._operators.update(computing)
        self._in_torch += 1
        return Owner.LIBRARY

    def _name_copies(self) -> None:
        """Whose the code in pages of the candidate's is: a library's of which it is a copy, or own.

        Bytes say more than callers: of a copy that was jumped to, the stack tells nothing.
        """
        names = functools.cache(code_index().name)  # a loop is sampled at few places, often
        for one in self._unnamed:
            name = names(one.code.window, one.code.at)
            copied = f"a copy of {name}" if name else ""
            real, library = (Owner.LIBRARY, copied) if name else self._generated_by(one)
            self._counts.update({one.owner: -1})
            self._counts.update({real: 1})
            self._moments[one.owner] -= one.processors
            self._moments[real] += one.processors
            if library:
                self._libraries[library] += 1
                self._in_torch += _TORCH in library
        self._unnamed.clear()
        self._generated = 0

    def _generated_by(self, one: _Unnamed) -> tuple[Owner, str]:
        """Who wrote code that is no copy, and the name of the library if one did.

        Torch generates kernels too. What a thread of its pool does in one is known only where
        other samples of the same code had torch's operators on their stacks.
        """
        if one.block is not None and self._seen_code.get(one.block) == {True}:
            return Owner.LIBRARY, f"code that {_TORCH} generated"
        return Owner.OWN, ""


@dataclass(frozen=True)
class _Unnamed:
    """A sample in pages that were written since the process began, or in a file of its own."""

    owner: Owner  # as counted until now
    code: SampledCode
    processors: float
    block: int | None  # of code that torch seems to have called, else None


def _operators_behind(counted: CountedLook) -> frozenset[str]:
    """A thread of a pool begins in the pool, and works for one that has some on its stack."""
    return frozenset().union(*(other.operators() or () for other in counted.beside()))


def _always() -> threading.Event:
    """Of a tree that nobody freezes."""
    event = threading.Event()
    event.set()
    return event
