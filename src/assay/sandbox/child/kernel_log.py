"""KernelLog: the kernels that some calls launched, one line each.

Testimony: it is collected in the candidate's process. What it shows may convict.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from assay.devices.cupti import KernelRecord
from assay.devices.driver import Accelerator
from assay.devices.loaded_modules import LoadedModules
from assay.errors import DeviceError
from assay.sandbox.child.batch import call_once, prepare
from assay.sandbox.child.child_memory import Memory
from assay.sandbox.protocol.requests import TraceKernels

_MOST_NAMES = 200
_NAME_LENGTH = 400
_SYMBOL_LENGTH = 120
_MOST_CODES = 8
_PAGE = 1500  # lines of at most 137 bytes fit the statement


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
        return _text(found, self._accelerator.modules)


def code_text(modules: LoadedModules, page: int) -> str:
    """`digest, symbol` of a page of the functions that were loaded. Raises where none is known."""
    if modules.reason:
        raise DeviceError(modules.reason)
    held = modules.all_codes()[page * _PAGE : (page + 1) * _PAGE]
    return "\n".join(f"{code}\t{symbol[:_SYMBOL_LENGTH]}" for code, symbol in held)


def _text(records: list[KernelRecord], modules: LoadedModules) -> str:
    """`name, calls, ns, registers, shared bytes, grid, block, codes`, tabs in between."""
    groups: dict[str, list[KernelRecord]] = defaultdict(list)
    for record in records:
        groups[record.name].append(record)
    lines = []
    for name, found in list(groups.items())[:_MOST_NAMES]:
        first, spent_ns = found[0], sum(one.end_ns - one.start_ns for one in found)
        shape = ("x".join(map(str, first.grid)), "x".join(map(str, first.block)))
        name = " ".join(name.split())[:_NAME_LENGTH]
        codes = ",".join(modules.codes(first.symbol)[:_MOST_CODES])
        fields = (name, len(found), spent_ns, first.registers, first.shared_bytes, *shape, codes)
        lines.append("\t".join(map(str, fields)))
    return "\n".join(lines)
