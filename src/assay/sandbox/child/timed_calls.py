"""Timed calls: a batch that runs like a plain loop, `result = model(x)`.

The rule: a result is handed over at once and released when the next call has returned, so that
memory is reused as in a loop; and before the first call the library's threads are awake: by a fill,
which whoever samples the batch takes for no computation. Everything
here happens in the null candidate's batch as well, and none of it is the candidate's code.
"""

from __future__ import annotations

import time
from typing import Any

import torch

from assay.sandbox.child.batch import call_once, hand_over, prepare
from assay.sandbox.child.child_memory import Memory
from assay.sandbox.protocol.requests import PlanTimed

_WAKING_ELEMENTS = 1 << 18  # enough for every thread of the library to get a part
_WAKING_STEPS = 8  # about 0.4 ms on two cores
# glibc maps a block that is larger than any block freed before, and pages of it are faulted in
# anew in every call (4 us each on a virtual machine). It learns from the largest block freed, up to
# 32 MiB. One side was examined on large shapes and has learnt, the other has not: both learn here.
FREED_BYTES = 31 << 20


class TimedCalls:
    """The calls of one process that are timed, prepared once."""

    def __init__(self, plan: PlanTimed, instances: dict[int, Any], memory: Memory) -> None:
        self._calls = plan.calls
        self._instances = instances
        self._memory = memory
        self._inputs = [prepare(call, memory) for call in plan.calls]
        self._waking = torch.zeros(_WAKING_ELEMENTS)
        torch.empty(FREED_BYTES, dtype=torch.uint8)

    def run(self, length: int) -> int:
        """Make the first calls of the plan; how long handing over their results took, in us."""
        for _ in range(_WAKING_STEPS):
            self._waking.fill_(1.0)
        result = None  # of the call before, alive until the next has returned
        handed_ns = 0
        for call, inputs in zip(self._calls[:length], self._inputs[:length], strict=True):
            instance = self._instances[call.instance]
            result = call_once(instance, inputs, None)
            start = time.perf_counter_ns()
            hand_over(call, result, instance, self._memory)
            handed_ns += time.perf_counter_ns() - start
        return handed_ns // 1000
