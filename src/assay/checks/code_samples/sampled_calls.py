"""Sampled calls: calls of one workload that are made in order to see whose code runs.

The rule: they are like timed ones, of contents and places of their own, and go on until enough is
seen or the time is up. Time counts while the candidate has a processor: on a busy machine it is
looked at for longer.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from assay.checks.check_contract import CheckContext
from assay.checks.code_samples.provenance_record import (
    code_sampler,
    provenance_seen,
    with_movement,
)
from assay.data.check import Execution
from assay.data.observations.observation import ProvenanceSeen
from assay.exam.exam import ContentKey
from assay.exam.workloads.movement_tasks import CopiesCount, copies_count
from assay.sampling.processor_use import processors_ns
from assay.sampling.sampler import RATE_HZ
from assay.sandbox.host.activity import queued_ns
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.changes.spread_change import all_changed
from assay.sandbox.host.deadline import own_seconds
from assay.sandbox.host.planned_call import BatchOptions, Place, PlannedCall, Spot, output_bytes
from assay.sandbox.host.session import Session

PLAIN = BatchOptions(copy_each=False, poison=False, check_inputs=False)
_ENOUGH_SAMPLES = 120  # that belong to somebody
_LEAST_SAMPLES = 40  # asked for a while longer where there are fewer
_FEW_SAMPLES = range(1, 20)  # computing was seen, and nearly too seldom to say whose it is
_FEW_PATIENCE = 10.0  # times the usual one, there
_TELLING = 30  # of anybody's code; with fewer it cannot be told whether anybody computes
BUSY_S = 0.8  # of calls with a processor, where there are enough samples for a start
PATIENT_S = 3.0  # of the same, where there are fewer
_WALL_S = 10.0  # by the host's clock
_LAST_S = 40.0  # the same, where too little was seen to tell whose code it is
_BATCH_S = 0.1  # of calls in one batch
_LEAST_BATCHES = 3  # places come back, as they do in timed rounds, from the second on
_MOST_CALLS = 16  # of one batch: to make a content takes ten times as long as a short call
_LIVE_BYTES = 64e6  # of contents of one batch, and of results that may be alive at once


@dataclass(frozen=True)
class LookLength:
    """How long is looked: seconds of calls with a processor, and by the host's clock."""

    busy_s: float = BUSY_S  # where there are enough samples for a start
    patient_s: float = PATIENT_S  # where there are fewer
    wall_s: float = _WALL_S
    more_s: float = _LAST_S - _WALL_S  # where too little was seen: on a busy machine
    content: Content | None = None  # other than the workload's, and no larger

    def enough_s(self, seen: int) -> float:
        """Seconds with a processor after which it ends, with that many samples of somebody."""
        if seen > _LEAST_SAMPLES:
            return self.busy_s
        return self.patient_s * (_FEW_PATIENCE if seen in _FEW_SAMPLES else 1.0)


USUAL = LookLength()


def sampled(
    context: CheckContext, workload: int, call_s: float, look: LookLength = USUAL
) -> ProvenanceSeen:
    """Calls of contents and places of their own, as timed ones are."""
    exam, session, deadline = context.exam, context.session, context.deadline
    content = look.content or exam.content(ContentKey(workload))
    counts = copies_count(exam, content, own_shape=not workload and look.content is None)
    moves = counts is not CopiesCount.NEVER
    contents = _Contents(content, exam.secret.random(f"sampling {workload}"))
    size = sum(output_bytes(exam.expectation(ContentKey(workload))))
    size += sum(tensor.nbytes for tensor in content.tensors)
    most = max(1, min(_MOST_CALLS, int(_LIVE_BYTES / max(1, size))))
    sampler = code_sampler(session, RATE_HZ)
    busy_s, own_s, made, batches = 0.0, 0.0, 0, 0
    ends = time.monotonic() + look.wall_s
    ran_ns = -processors_ns(session.process.processes.pids())
    sampler.start()
    try:
        while True:
            seen = sampler.attributed + moves * sampler.moving
            enough = seen >= _ENOUGH_SAMPLES and batches >= _LEAST_BATCHES
            if enough or own_s > look.enough_s(seen):
                break
            batches += 1
            length = max(1, min(most, int(_BATCH_S / call_s)))
            batch = [_asked(workload, i, one) for i, one in enumerate(contents.batch(length))]
            before = _queued(session)
            batch_s = session.run(batch, PLAIN, deadline).outside_ns / 1e9
            busy_s, own_s = busy_s + batch_s, own_s + _own_s(batch_s, before, _queued(session))
            made += length
            call_s = batch_s / length  # the very first call paid for new pages
            little = sampler.total < _TELLING or seen in _FEW_SAMPLES
            if time.monotonic() > ends + (look.more_s if little else 0.0):
                break
    finally:
        samples = sampler.stop()
    ran_ns += processors_ns(session.process.processes.pids())
    interpreted = context.execution is Execution.INTERPRETER
    call_us = samples.looked_at_us(1e6 * busy_s / max(1, made), 1e-3 * ran_ns / max(1, made))
    found = provenance_seen(samples, call_us, interpreted)
    return with_movement(found, samples, call_us, counts) if moves else found


def _queued(session: Session) -> dict[str, int]:
    pids = session.process.processes.pids()
    return {path: ns for pid in pids for path, ns in queued_ns(pid).items()}


def _own_s(elapsed_s: float, before: dict[str, int], after: dict[str, int]) -> float:
    """Time in which the thread that waited most had a processor: only then it is sampled.

    Of an honest kernel beside ten busy processes on two cores 3 s of calls gave 7 samples.
    """
    grown = [ns - before[path] for path, ns in after.items() if path in before]
    return own_seconds(elapsed_s, max(grown, default=0) / 1e9)


class _Contents:
    """Contents of sampled calls: no two of a batch alike, and a quarter of each batch is new.

    To make all of them new takes ten times as long as the calls of an elementwise kernel.
    """

    def __init__(self, first: Content, rng: random.Random) -> None:
        self._kept = [all_changed(first, rng)]
        self._rng = rng

    def batch(self, length: int) -> list[Content]:
        """So many, in a random order."""
        while len(self._kept) < length:
            self._kept.append(all_changed(self._kept[-1], self._rng))
        for place in self._rng.sample(range(length), -(-length // 4)):
            self._kept[place] = all_changed(self._kept[place], self._rng)
        return self._rng.sample(self._kept[:length], length)


def _asked(workload: int, number: int, content: Content) -> PlannedCall:
    return PlannedCall(0, Place(workload, Spot(f"sampled {number}")), content, ())
