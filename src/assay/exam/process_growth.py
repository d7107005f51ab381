"""Process growth: whether memory or descriptors of a process grow with every call it answers.

The rule: read from outside between batches of the same questions. Only growth that goes on counts:
in both halves of the later calls at least half of what they returned, and more than a cache of the
few contents can explain. It is suspicious at most, since a pool may be meant.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.data.evidence import Evidence, EvidenceKind, Severity

_LEAST_CALLS = 8  # in each half
_SETTLED = 0.2  # of the calls are made before growth counts
_LEAST_BYTES = 8 << 20  # in each half
_RESULT_SHARE = 0.5  # of a result, for each call
_LEAST_DESCRIPTORS = 6  # in each half
_DESCRIPTOR_SHARE = 1 / 32  # for each call


@dataclass(frozen=True)
class ProcessSize:
    """A tree of processes after so many calls."""

    calls: int
    memory_bytes: int
    descriptors: int


def process_size(pids: Sequence[int], calls: int) -> ProcessSize:
    """Of all processes together; what is gone counts as nothing."""
    return ProcessSize(calls, sum(map(_anonymous_bytes, pids)), sum(map(_descriptors, pids)))


def _anonymous_bytes(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) << 10
    return 0


def _descriptors(pid: int) -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/fd"))
    return 0


def growth_findings(sizes: Sequence[ProcessSize], result_bytes: int) -> tuple[Evidence, ...]:
    """What grew, in words; `result_bytes` is what one call returns."""
    if not sizes:
        return ()
    settled = [one for one in sizes if one.calls >= _SETTLED * sizes[-1].calls]
    first, last = settled[0], settled[-1]
    middle = min(settled, key=lambda one: abs(2 * one.calls - first.calls - last.calls))
    halves = ((first, middle), (middle, last))
    if min(end.calls - start.calls for start, end in halves) < _LEAST_CALLS:
        return ()
    calls = last.calls - first.calls
    found = []
    if all(_leaks_memory(*half, result_bytes) for half in halves):
        grown = last.memory_bytes - first.memory_bytes
        found.append(f"its memory grew by {grown >> 20} MiB in {calls} calls of the same questions")
    if all(_leaks_descriptors(*half) for half in halves):
        grown = last.descriptors - first.descriptors
        found.append(f"{grown} descriptors more are open after {calls} calls of the same questions")
    kind, severity = EvidenceKind.LEFTOVER, Severity.SUSPICIOUS
    return tuple(Evidence(kind=kind, severity=severity, text=text) for text in found)


def _leaks_memory(start: ProcessSize, end: ProcessSize, result_bytes: int) -> bool:
    least = max(_LEAST_BYTES, _RESULT_SHARE * result_bytes * (end.calls - start.calls))
    return end.memory_bytes - start.memory_bytes >= least


def _leaks_descriptors(start: ProcessSize, end: ProcessSize) -> bool:
    least = max(_LEAST_DESCRIPTORS, _DESCRIPTOR_SHARE * (end.calls - start.calls))
    return end.descriptors - start.descriptors >= least
