"""JudgePool: requests that wait, and the lanes that serve them.

The rule: the oldest group of requests is served first, by the process that keeps its exam; several
requests of a group go as one job. Timing on the host's own processors takes the whole pool, and
younger requests wait for it. A second process draws the same exam only where many wait for it.

A device of its own has two lanes where there are processors and jobs for them. A judge process
holds its interpreter for 0.44 to 0.64 s of each candidate, and one of them with sixteen jobs on an
H200 left four to five of 16 processors idle. The lanes divide the jobs and the device's memory, and
take turns by `DeviceLease`; each is at one group at a time. (Jobs of several tasks in one process
were tried on an H200: eight verdicts took 113 s instead of 47 s, probably because those who wait to
time wait for the calls of all.)
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path

from assay.devices.judges_lock import turns_can_be_taken
from assay.engine.judge_lane import JudgeLane, LaneWork
from assay.engine.judge_request import JudgeRequest, LaneKind
from assay.errors import UsageError
from assay.judge_process.messages import Keep

_MOST_OF_A_JOB = 16  # candidates: others get their turn after them
_WAVES = 4  # of a job whose candidates have the device in turns: the first and the last wait idly
_MOST_THREADS = 4  # of one process without timing: the reference runs in one at a time
_WORTH_DRAWING = 8  # see `JudgePool._worth_drawing`
_DEVICE_LANES = 2
_LANES_PROCESSORS, _LANES_JOBS = 8, 4  # from so many on a device has them
_GATHER_S, _MOST_GATHER_S = 0.02, 0.2  # without a further request, before a process is started
_SHARE = 4  # of memory, a quarter for judge processes: sandboxes and compilers need the rest
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
_LEAST_BYTES, _MOST_BYTES = 3 << 29, 8 << 30  # a judge process with torch takes 0.5 GB


@dataclass(frozen=True)
class JudgeCounts:
    """What a pool has done so far."""

    processes: int  # started
    exams: int  # drawn, by jobs that are through


@dataclass
class _Groups:
    """Waiting requests by group."""

    waiting: dict[str, deque[JudgeRequest]] = field(default_factory=dict)

    def add(self, request: JudgeRequest) -> None:
        self.waiting.setdefault(request.group, deque()).append(request)

    def by_age(self) -> list[str]:
        """Cancelled requests are forgotten on the way."""
        for group in list(self.waiting):
            queue = self.waiting[group]
            while queue and not queue[0].wanted:
                queue.popleft().cancel()
            if not queue:
                del self.waiting[group]
        return sorted(self.waiting, key=lambda group: self.waiting[group][0].number)

    def take(self, group: str, most: int) -> tuple[JudgeRequest, ...]:
        queue = self.waiting[group]
        found: list[JudgeRequest] = []
        while queue and len(found) < most:
            request = queue.popleft()
            if request.wanted:
                found.append(request)
            else:
                request.cancel()
        if not queue:
            del self.waiting[group]
        return tuple(found)


class JudgePool:
    """A bounded number of judge processes, for any number of threads."""

    def __init__(self, jobs: int, share: bool) -> None:
        self.jobs = jobs
        self.closed = False
        self._share = share  # whether processors are divided from the start
        self._pid = os.getpid()
        self._changed = threading.Condition()
        self._groups = _Groups()
        self._numbers = itertools.count()
        self._submitted = 0  # requests so far
        self._lanes: dict[LaneKind, list[JudgeLane]] = defaultdict(list)
        self._used: dict[str, int] = defaultdict(int)  # slots, by device
        self._device_lanes = 0  # once it was asked

    def keep(self, kind: LaneKind) -> Keep:
        """What a process of that kind may keep: as many as there may be share the memory."""
        room = _machine_bytes() // _SHARE // self._most_lanes(kind)
        return Keep(resident_bytes=max(_LEAST_BYTES, min(_MOST_BYTES, room)))

    def submit(self, request: JudgeRequest) -> None:
        """Have it judged; its future will say."""
        if os.getpid() != self._pid:
            raise UsageError(f"this Judge belongs to process {self._pid}: a fork makes its own")
        _ = request.group, request.kind
        with self._changed:
            if self.closed:
                raise UsageError("this Judge is closed")
            request.number = next(self._numbers)
            self._submitted += 1
            self._groups.add(request)
            self._open_lane(request.kind)
            self._changed.notify_all()

    def close(self) -> None:
        """Cancel what waits, stop what is going on, end every process."""
        if os.getpid() != self._pid:
            return
        with self._changed:
            self.closed = True
            for queue in self._groups.waiting.values():
                for request in queue:
                    request.cancel()
            self._groups.waiting.clear()
            lanes = [lane for lanes in self._lanes.values() for lane in lanes]
            self._changed.notify_all()
        for lane in lanes:
            if lane.thread is not threading.current_thread():
                lane.thread.join()

    def counts(self) -> JudgeCounts:
        """So far; a process that has given its answers is waited for until it says the rest."""
        with self._changed:
            lanes = [lane for lanes in self._lanes.values() for lane in lanes]
            self._changed.wait_for(lambda: not any(one.is_settling for one in lanes))
            drawn = sum(lane.exams_drawn for lane in lanes)
            return JudgeCounts(sum(lane.started for lane in lanes), drawn)

    def next_work(self, lane: JudgeLane) -> LaneWork | None:
        """Wait for work that this lane can do; None once the pool is closed."""
        with self._changed:
            while not self.closed:
                if not lane.is_warm and not self._gather():
                    break
                work = self._pick(lane)
                if work is not None:
                    lane.begin(work)
                    self._used[lane.kind.device] += work.slots
                    self._open_lanes()
                    return work
                self._changed.wait()
        return None

    def _gather(self) -> bool:
        """Let a burst of requests come in first: a process that starts takes seconds.

        The first of many was judged alone, and the others of its group waited for it. False where
        the pool was closed meanwhile: nobody would wake a lane that waits after that.
        """
        ends_s, known = time.monotonic() + _MOST_GATHER_S, -1
        while self._submitted != known and time.monotonic() < ends_s and not self.closed:
            known = self._submitted
            self._changed.wait(_GATHER_S)
        return not self.closed

    def finished(self, lane: JudgeLane, work: LaneWork) -> None:
        """Its slots are free again."""
        with self._changed:
            lane.busy = False
            self._used[lane.kind.device] -= work.slots
            self._changed.notify_all()

    def neighbours(self, lane: JudgeLane) -> int:
        """Lanes that share the processors with it, itself counted."""
        with self._changed:
            if self._share:
                return self._most_lanes(lane.kind)
            return sum(one.busy for one in self._lanes[lane.kind])

    def _most_lanes(self, kind: LaneKind) -> int:
        processors = len(os.sched_getaffinity(0))
        if kind.timed:
            return 1
        if not kind.is_accelerated:
            return max(1, min(self.jobs, processors))
        if not self._device_lanes:
            several = processors >= _LANES_PROCESSORS and self.jobs >= _LANES_JOBS
            self._device_lanes = _DEVICE_LANES if several and turns_can_be_taken() else 1
        return self._device_lanes

    def _least_slots(self, kind: LaneKind) -> int:
        """As many are free before a lane of this kind begins."""
        if kind.timed:
            return self.jobs
        return self.jobs // self._most_lanes(kind) if kind.is_accelerated else 1

    def _worth_drawing(self, kind: LaneKind) -> int:
        """Requests that wait for a busy process, so that another draws their exam too."""
        if not kind.is_accelerated:
            return _WORTH_DRAWING
        return min(_WORTH_DRAWING, 2 * self._least_slots(kind))

    def _open_lanes(self) -> None:
        """For what still waits: requests of a burst all came while no lane was at work yet."""
        for group in self._groups.by_age():
            self._open_lane(self._groups.waiting[group][0].kind)

    def _open_lane(self, kind: LaneKind) -> None:
        """One more, where all are at work and there may be more."""
        lanes = self._lanes[kind]
        if all(lane.busy for lane in lanes) and len(lanes) < self._most_lanes(kind):
            lanes.append(JudgeLane(kind, self))
            lanes[-1].thread.start()

    def _pick(self, lane: JudgeLane) -> LaneWork | None:
        """The oldest group that is for this lane, if there is room for it."""
        free = self.jobs - self._used[lane.kind.device]
        groups = self._groups.by_age()
        if lane.kind.is_accelerated:  # no exam is drawn twice while another one waits
            groups.sort(key=lambda group: bool(self._holders(lane, group)))
        for group in groups:
            first = self._groups.waiting[group][0]
            if first.kind == lane.kind:
                if free < self._least_slots(lane.kind):
                    return None
                if self._is_for(lane, group):
                    work = self._work(lane, group, free, len(groups))
                    if work is not None:
                        return work
            elif first.kind.device == lane.kind.device and first.kind.timed:
                return None  # it has waited longer, and needs all there is
        return None

    def _is_for(self, lane: JudgeLane, group: str) -> bool:
        """Whether no other lane of its kind would serve the group better."""
        if group in lane.held:
            return True
        if holders := self._holders(lane, group):
            many = len(self._groups.waiting[group]) >= self._worth_drawing(lane.kind)
            return many and all(one.busy for one in holders)
        others = [one for one in self._lanes[lane.kind] if one is not lane]
        return lane.is_warm or not any(one.is_warm and not one.busy for one in others)

    def _holders(self, lane: JudgeLane, group: str) -> list[JudgeLane]:
        """The lanes that have its exam, where this one has not."""
        if group in lane.held:
            return []
        return [one for one in self._lanes[lane.kind] if group in one.held]

    def _work(self, lane: JudgeLane, group: str, free: int, groups: int) -> LaneWork | None:
        """Several requests of the group; the other groups that wait get their share of slots.

        None where all of them were cancelled meanwhile: a future is cancelled without our lock.
        """
        requests = self._groups.take(group, self._most_of_a_job(lane, group, free, groups))
        if not requests:
            return None
        lanes = 1
        if lane.kind.timed:
            at_once = slots = self.jobs
        elif lane.kind.is_accelerated:
            lanes = self._most_lanes(lane.kind)
            # Nobody needs the others' share where all that waits is in this job.
            wanted = 0 if group in self._groups.waiting or groups > 1 else len(requests)
            at_once = slots = min(free, max(-(-self.jobs // lanes), wanted))
        else:
            share = max(1, free // groups)
            at_once = slots = min(len(requests), share, _MOST_THREADS)
        replay = requests[0].job.replay
        is_kept = replay is None or not replay.is_drawn
        lane.hold(group if is_kept else None, self.keep(lane.kind).exams)
        return LaneWork(requests, at_once, slots, lanes)

    def _most_of_a_job(self, lane: JudgeLane, group: str, free: int, groups: int) -> int:
        """Few of the last group while others are at work: what is left goes on with their slots.

        A lane that took all of it judged one by one while the other processors were idle. On a
        device of its own each lane has its part of a last group that is worth another exam.
        """
        if lane.kind.timed:
            return max(_MOST_OF_A_JOB, _WAVES * self.jobs)
        if lane.kind.is_accelerated:
            lanes, waiting = self._most_lanes(lane.kind), len(self._groups.waiting[group])
            most = max(_MOST_OF_A_JOB, _WAVES * self.jobs // lanes)
            divided = groups == 1 and waiting >= lanes * self._worth_drawing(lane.kind)
            return min(most, -(-waiting // lanes)) if divided else most
        if groups > 1 or free == self.jobs:
            return _MOST_OF_A_JOB
        return min(_MOST_OF_A_JOB, max(2, len(self._groups.waiting[group]) // 4))


def _machine_bytes() -> int:
    """Memory of this machine, or of the container that this process is in."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # "max" where there is no limit
        found = min(found, int(_CONTAINER_LIMIT.read_text()))
    return found
