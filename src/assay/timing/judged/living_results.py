"""Living results: batches of the timed process whose results stay alive and are looked at.

The rule: a process that is timed is asked one shape alone, so it can be told from one that is
examined. What is asked of results and inputs there is asked here too: that results which are alive
together share no memory, nor any with an input, and that inputs are as they were. Contents, places
and order are those of a timed batch. Such batches are not timed; the answer that shows something is
judged like any other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.exam.exam import Exam
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import BatchOptions, Laid
from assay.sandbox.host.raw_call import RawCall
from assay.sandbox.protocol.replies import OutputFlag
from assay.sandbox.protocol.requests import RunBatch
from assay.timing.host_side import HostSide
from assay.timing.judged.judged_rounds import TakenCall

_LIVE_BYTES = 32 << 20  # of results that are alive together, where rounds follow: the heap grows
_LOOKED_AT_BYTES = 32 << 20  # of inputs that are compared with what they were
_SHARING = OutputFlag.SHARED | OutputFlag.WITHIN | OutputFlag.OF_INPUT | OutputFlag.FOLDED
_FIRST_ROUNDS = 12  # of which one is followed by such a batch; another follows the last round


def place_of_first(rng: random.Random) -> int:
    """The round that is followed by the first of them."""
    return rng.randrange(_FIRST_ROUNDS)


def living_results(
    exam: Exam, side: HostSide, rng: random.Random, deadline: Deadline, last: bool = False
) -> TakenCall | None:
    """One batch: a call whose result shares memory or whose inputs have changed, if there is one.

    The last one, which nothing timed follows, is as long as the ring.
    None where a call did not return: that is for timed rounds to say.
    """
    if exam.stateful:
        return None  # a call may return what it was given, and change what a later one finds
    length = len(side.laid) if last else _length(side)
    process, session = side.session.process, side.session
    process.freeze()
    side.ring.refresh(length, side.warm)
    calls = tuple(one.call() for one in side.laid[:length])
    process.ask(RunBatch(calls, copy_each=False, poison=False, apart=exam.keeps_apart), deadline)
    process.freeze()
    if side.unanswered(length) is not None:
        return None
    options = BatchOptions(check_inputs=False)
    looked_at = set(_looked_at(side, length, rng))
    for index in range(length):
        raw = session.take(side.laid[index], options)
        changed = tuple(_changed(side, index)) if index in looked_at else ()
        if changed or (exam.keeps_apart and _shares(raw)):
            content = side.ring.content(0 if side.warm else index)
            return TakenCall(index, length, content, replace(raw, inputs_changed=changed))
    return None


def _length(side: HostSide) -> int:
    """At least two, where the ring holds two: one result shares nothing."""
    nbytes = max(1, sum(side.laid[0].planned.output_bytes))
    return min(len(side.laid), max(2, _LIVE_BYTES // nbytes))


def _looked_at(side: HostSide, length: int, rng: random.Random) -> Sequence[int]:
    """Calls whose inputs are compared, the last one of a warm batch: all share one place."""
    if side.warm:
        return [length - 1]
    nbytes = max(1, sum(t.nbytes for t in side.laid[0].planned.content.tensors))
    return rng.sample(range(length), min(length, max(1, _LOOKED_AT_BYTES // nbytes)))


def _changed(side: HostSide, index: int) -> Iterator[str]:
    """Inputs that are not as they were, but for those that the call may change."""
    one: Laid = side.laid[index]
    content = side.ring.content(0 if side.warm else index)
    free = content.tensor_numbers(one.planned.updates)
    for number, (tensor, region) in enumerate(zip(content.tensors, one.inputs, strict=True)):
        if number not in free and not side.session.memory.holds(region, tensor):
            yield f"input {number}"


def _shares(raw: RawCall) -> bool:
    headers = [output.header for output in raw.outputs if output.header is not None]
    return any(header.flags & _SHARING for header in headers)
