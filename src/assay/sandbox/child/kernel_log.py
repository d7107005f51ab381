"""KernelLog: the kernels that some calls launched, one line each.

Testimony: it is collected in the candidate's process. What it shows may convict.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from assay.devices.cupti import KernelRecord
from assay.devices.driver import Accelerator
from assay.sandbox.child.batch import call_once, prepare
from assay.sandbox.child.child_memory import Memory
from assay.sandbox.protocol.requests import TraceKernels

_MOST_NAMES = 200
_NAME_LENGTH = 400


class KernelLog:
    """One trace a process."""

    def __init__(self, accelerator: Accelerator) -> None:
        self._accelerator = accelerator
        self._trace = accelerator.kernel_trace()

    def run(self, request: TraceKernels, instances: dict[int, Any], memory: Memory) -> str:
        """Call, and say what ran; nothing is handed over."""
        prepared = [prepare(call, memory) for call in request.calls]
        self._accelerator.finish()
        self._trace.start()
        results = [
            call_once(instances[call.instance], inputs, None)
            for call, inputs in zip(request.calls, prepared, strict=True)
        ]
        self._accelerator.finish()
        found = self._trace.stop()
        results.clear()
        return _text(found)


def _text(records: list[KernelRecord]) -> str:
    """`name, calls, ns, registers, shared bytes, grid, block`, tabs in between."""
    groups: dict[str, list[KernelRecord]] = defaultdict(list)
    for record in records:
        groups[record.name].append(record)
    lines = []
    for name, found in list(groups.items())[:_MOST_NAMES]:
        first, spent_ns = found[0], sum(one.end_ns - one.start_ns for one in found)
        shape = ("x".join(map(str, first.grid)), "x".join(map(str, first.block)))
        name = " ".join(name.split())[:_NAME_LENGTH]
        fields = (name, len(found), spent_ns, first.registers, first.shared_bytes, *shape)
        lines.append("\t".join(map(str, fields)))
    return "\n".join(lines)
