"""LabelledJudging: groups of candidates, one task each, judged side by side on one device.

The rule: every worker is a thread with a warm Judge, hence a judge process, and a share of the
cores. What a compiler builds is handed out one by one: of 44 such candidates of few tasks six were
done in 140 s with twelve workers, while builds of one task waited for each other. No candidate is
begun after the end; what is going on then is waited for a little and given up without a row, so
that a later call judges it.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from labelled_record import LabelledRow, row_of
from labelled_sets import Labelled

from assay.data.settings import Settings
from assay.engine.judge import Judge

PATIENCE_S = 30.0  # for what is being judged when the time is over
_POLL_S = 60.0  # a wait has a largest length, and there may be no end
_AT_ONCE = frozenset({"torch", "triton", "numba"})  # built in seconds, as they are first called

Group = Sequence[Labelled]


@dataclass(frozen=True)
class Asked:
    """How every candidate is judged, and until when one may be begun."""

    settings: Settings
    ends: float  # of the monotonic clock

    @property
    def is_over(self) -> bool:
        """Whether nothing more may begin."""
        return time.monotonic() > self.ends

    def judge(self) -> Judge:
        """One candidate at a time; each worker has its own."""
        given = self.settings.model_dump(exclude_unset=True, exclude={"device", "jobs"})
        return Judge(self.settings.device, jobs=1, **given)


def side_by_side(groups: Sequence[Group], asked: Asked, jobs: int) -> Iterator[LabelledRow]:
    """Rows as they come."""
    groups = spread(groups)
    parts = shares(sorted(os.sched_getaffinity(0)), max(1, min(jobs, len(groups))))
    workers = _Workers(asked, deque(groups), alone=len(parts) == 1)
    judges = [asked.judge() for _ in parts]
    for judge, cores in zip(judges, parts, strict=True):
        threading.Thread(target=workers.work, args=(judge, cores), daemon=True).start()
    try:
        yield from workers.arrived(len(parts))
    finally:
        for judge in judges:
            judge.close()


def spread(groups: Sequence[Group]) -> list[Group]:
    """Compiled candidates each alone, the first ones of all tasks first; others stay together."""
    parts: list[list[Group]] = []
    for group in groups:
        quick = [one for one in group if one.candidate.language in _AT_ONCE]
        slow = [[one] for one in group if one.candidate.language not in _AT_ONCE]
        parts.append([*([quick] if quick else []), *slow])
    return [one for one in chain.from_iterable(zip_longest(*parts)) if one]


def shares(cores: Sequence[int], jobs: int) -> list[list[int]]:
    """The cores of each worker, none without one."""
    parts = [list(cores[number::jobs]) for number in range(jobs)]
    return [part or [cores[number % len(cores)]] for number, part in enumerate(parts)]


@dataclass(frozen=True)
class _Workers:
    """Groups that wait, and rows that have come."""

    asked: Asked
    waiting: deque[Group]
    alone: bool
    found: queue.SimpleQueue[LabelledRow | None] = field(default_factory=queue.SimpleQueue)

    def work(self, judge: Judge, cores: Sequence[int]) -> None:
        """In a thread: groups from the list until it is empty or the time is over."""
        os.sched_setaffinity(0, cores)  # of this thread, and of the process that its Judge starts
        try:
            while not self.asked.is_over:
                for one in self.waiting.popleft():
                    if self.asked.is_over:
                        return
                    self.found.put(_judged(judge, one, self.alone))
        except (IndexError, CancelledError):  # nothing is left, or the patience is over
            return
        finally:
            self.found.put(None)

    def arrived(self, at_work: int) -> Iterator[LabelledRow]:
        """Until every worker is through, or the patience is."""
        until = self.asked.ends + PATIENCE_S
        while at_work:
            try:
                row = self.found.get(timeout=min(_POLL_S, max(0.0, until - time.monotonic())))
            except queue.Empty:
                if time.monotonic() >= until:
                    return
                continue
            if row is None:
                at_work -= 1
            else:
                yield row


def _judged(judge: Judge, one: Labelled, alone: bool) -> LabelledRow:
    began_s = time.monotonic()
    try:
        verdict, failure = judge.evaluate(one.task, one.candidate), ""
    except CancelledError:
        raise
    except Exception as error:  # one candidate must not cost the others
        verdict, failure = None, f"{type(error).__name__}: {error}"
    return row_of(one, verdict, failure, alone, time.monotonic() - began_s)
