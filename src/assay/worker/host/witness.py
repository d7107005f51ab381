"""Witness: whose code runs while the candidate computes, sampled from outside.

The rule: the calls are ordinary ones of the own shape, without slots, so that the runner copies
nothing and all that computes is the candidate's doing.
"""

from __future__ import annotations

import time

from assay.data.observation import ProvenanceSeen
from assay.worker.host.exam import Exam, Question
from assay.worker.host.mapped_objects import Owner
from assay.worker.host.process import Deadline
from assay.worker.host.reading import output_bytes
from assay.worker.host.sampler import Sampler, Samples
from assay.worker.host.session import BatchOptions, Place, PlannedCall, Session

_ENOUGH_SAMPLES = 150
_BUSY_S = 0.8
_WALL_S = 3.0
_BATCH_S = 0.1
_MOST_CALLS = 256
_LIVE_BYTES = 64e6  # results of one batch that may be alive at once


def watch(exam: Exam, session: Session, deadline: Deadline, interpreted: bool) -> ProvenanceSeen:
    """Call the own shape again and again until enough is seen or the time is up."""
    call = PlannedCall(0, Place(0, "m"), exam.content(Question(0)), ())
    options = BatchOptions(copy_each=False, poison=False, check_inputs=False)
    call_s = session.run([call], options, deadline).outside_ns / 1e9
    size = sum(output_bytes(exam.expectation(Question(0), 0)))
    length = max(1, min(_MOST_CALLS, int(_LIVE_BYTES / max(1, size)), int(_BATCH_S / call_s)))
    sampler = Sampler(session.process.processes.pids, session.process.scratch_path)
    busy_s, calls, ends = 0.0, 0, time.monotonic() + _WALL_S
    sampler.start()
    try:
        while sampler.attributed < _ENOUGH_SAMPLES and busy_s < _BUSY_S:
            busy_s += session.run([call] * length, options, deadline).outside_ns / 1e9
            calls += length
            if time.monotonic() > ends:
                break
    finally:
        samples = sampler.stop()
    return _seen(samples, 1e6 * busy_s / max(1, calls), interpreted)


def _seen(samples: Samples, call_us: float, interpreted: bool) -> ProvenanceSeen:
    names = (*samples.objects[:2], *samples.operators[:3])
    return ProvenanceSeen(
        own=samples.of(Owner.OWN),
        library=samples.of(Owner.LIBRARY),
        in_torch=samples.in_torch,
        bystanders=samples.of(Owner.INTERPRETER) + samples.of(Owner.MOVEMENT),
        library_us=samples.thread_us(Owner.LIBRARY, call_us),
        names=tuple(name for name, _ in names),
        interpreted=interpreted,
        reason=samples.reason,
    )
