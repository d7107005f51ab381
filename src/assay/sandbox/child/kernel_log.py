"""KernelLog: the kernels that some calls launched, one line each.

Testimony: it is collected in the candidate's process. What it shows may convict. A small kernel of
our own runs before the calls and one after them: records without these say nothing of the calls.
Names that take the longest are said one by one; what is left of very many is summed in one line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from assay.devices.driver import Accelerator
from assay.devices.recorder.cupti import KernelRecord
from assay.devices.recorder.launches import without_record
from assay.devices.recorder.loaded_modules import LoadedModules
from assay.errors import DeviceError
from assay.sandbox.child.batch import call_once, prepare
from assay.sandbox.child.child_memory import Memory
from assay.sandbox.protocol.replies import FAILED, MARKED, MORE_KERNELS, UNRECORDED
from assay.sandbox.protocol.requests import TraceKernels

_MOST_NAMES = 150
_NAME_BYTES = 400
_SYMBOL_LENGTH = 120
_MOST_CODES = 64  # digests of functions of one name, two of each
_MARKS = 2  # before the calls and after them
_PAGE = 1500  # lines of at most 155 bytes fit the statement


class KernelLog:
    """One trace a process."""

    def __init__(self, accelerator: Accelerator) -> None:
        self._accelerator = accelerator
        self._trace = accelerator.kernel_trace()

    def run(self, request: TraceKernels, instances: dict[int, Any], memory: Memory) -> str:
        """Call, and say what ran; nothing is handed over. Raises where the recorder was stopped."""
        prepared = [prepare(call, memory) for call in request.calls]
        results: list[Any] = []

        def call_all() -> None:
            for call, inputs in zip(request.calls, prepared, strict=True):
                results.append(call_once(instances[call.instance], inputs, None))

        return self._recorded(call_all)

    def around(self, work: Callable[[], object]) -> str:
        """Do it once in any case, and say what ran, or why that is not known."""
        done = []
        try:
            return self._recorded(lambda: done.append(work()))
        except DeviceError as error:
            if not done:
                work()
            return failure(error)

    def _recorded(self, work: Callable[[], object]) -> str:
        accelerator, launches = self._accelerator, self._accelerator.launches
        accelerator.mark()  # what it needs is made before anything is recorded
        accelerator.finish()
        self._trace.start()
        launches.start()
        accelerator.mark()
        ours = launches.taken()
        work()
        accelerator.take_back()
        theirs = launches.taken()
        accelerator.mark()
        ours += launches.taken()
        accelerator.finish()
        records = self._trace.stop()
        launches.stop()
        accelerator.modules.check()
        found, marks = without_marks(records, accelerator.mark_name)
        recorded = {record.launch for record in records}
        missing = without_record(theirs, ours, recorded) if marks == _MARKS else 0
        said = [MARKED] if marks == _MARKS else []
        said += [f"{UNRECORDED}\t{missing}"] if missing else []
        return "\n".join([*said, *_lines(found, accelerator.modules)])


def failure(error: DeviceError) -> str:
    """A log that says why there is none."""
    return f"{FAILED}\t{' '.join(str(error).split())}"


def code_text(modules: LoadedModules, page: int) -> str:
    """`digests, symbol` of a page of the functions that were loaded. Raises where none is known."""
    if modules.reason:
        raise DeviceError(modules.reason)
    held = modules.all_codes()[page * _PAGE : (page + 1) * _PAGE]
    return "\n".join(
        f"{','.join(code.digests)}\t{symbol[:_SYMBOL_LENGTH]}" for code, symbol in held
    )


def without_marks(records: list[KernelRecord], name: str) -> tuple[list[KernelRecord], int]:
    """All but the first and the last of our own small kernels, and how many of these there are."""
    ours = [n for n, record in enumerate(records) if name in record.name and _is_one(record)]
    marks = {*ours[:1], *ours[-1:]}
    return [record for n, record in enumerate(records) if n not in marks], len(marks)


def _is_one(record: KernelRecord) -> bool:
    return record.grid == (1, 1, 1)


def _lines(records: list[KernelRecord], modules: LoadedModules) -> list[str]:
    """`name, calls, ns, registers, shared bytes, grid, block, codes`, tabs in between."""
    groups: dict[str, list[KernelRecord]] = defaultdict(list)
    for record in records:
        groups[record.name].append(record)
    longest = sorted(groups.items(), key=lambda item: _spent_ns(item[1]), reverse=True)
    named = longest if len(longest) <= _MOST_NAMES else longest[: _MOST_NAMES - 1]
    lines = [_line(name, found, _codes(modules, found[0].symbol)) for name, found in named]
    others = [record for _, found in longest[len(named) :] for record in found]
    return [*lines, _line(MORE_KERNELS, others, ())] if others else lines


def _line(name: str, found: list[KernelRecord], codes: Iterable[str]) -> str:
    first, data = found[0], " ".join(name.split()).encode("utf-8", "replace")
    name = data[:_NAME_BYTES].decode("utf-8", "ignore")
    shape = ("x".join(map(str, first.grid)), "x".join(map(str, first.block)))
    resources = (first.registers, first.shared_bytes)
    fields = (name, len(found), _spent_ns(found), *resources, *shape, ",".join(codes))
    return "\t".join(map(str, fields))


def _spent_ns(found: list[KernelRecord]) -> int:
    return sum(one.end_ns - one.start_ns for one in found)


def _codes(modules: LoadedModules, symbol: str) -> tuple[str, ...]:
    """Raises where so many functions have that name that one of them may hide among them."""
    codes = modules.codes(symbol)
    if len(codes) > _MOST_CODES:
        raise DeviceError(f"too many functions are called {symbol[:_SYMBOL_LENGTH]}")
    return codes
