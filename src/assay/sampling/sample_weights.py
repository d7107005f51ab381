"""SampleWeights: samples weighed by the processor time that their threads used.

The rule: a sample stands for the processor time of its thread since the last look at that thread.
Threads that are ready and get no processor weigh nothing, and the number of samples stays what it
is: it says how sure the shares are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assay.sampling.mapped_objects import Owner

_FIRST_NS = 1_250_000  # the most that the first look at a thread weighs: one gap of 800 a second


class SampleWeights:
    """Processor time by owner."""

    def __init__(self) -> None:
        self._ran_ns: dict[int, int] = {}  # of each thread, at the last look at it
        self._due_ns: dict[int, int] = {}  # of each thread, since the sample before
        self._by_owner: Counter[Owner] = Counter()
        self._torch_ns = 0

    def looked(self, tid: int, ran_ns: int | None) -> None:
        """A thread was looked at that has run for so long; None where the kernel does not say."""
        if ran_ns is None:
            self._due_ns[tid] = _FIRST_NS
            return
        before = self._ran_ns.get(tid)
        grown = min(ran_ns, _FIRST_NS) if before is None else max(0, ran_ns - before)
        self._due_ns[tid] = self._due_ns.get(tid, 0) + grown
        self._ran_ns[tid] = ran_ns

    def add(self, tid: int, owner: Owner, in_torch: bool = False) -> None:
        """The thread's last look was a sample of this owner."""
        weight = self._due_ns.pop(tid, 0)
        self._by_owner[owner] += weight
        self._torch_ns += weight * in_torch

    def counts(self, samples: Mapping[Owner, int]) -> dict[Owner, int]:
        """As many samples, shared out by processor time; as they are where none is known."""
        spent, total = sum(self._by_owner.values()), sum(samples.values())
        if not spent:
            return dict(samples)
        return {owner: round(total * ns / spent) for owner, ns in self._by_owner.items() if ns}

    def in_torch(self, samples: Mapping[Owner, int], counted: int) -> int:
        """Of the library's samples those in torch, shared out in the same way."""
        spent = sum(self._by_owner.values())
        return round(sum(samples.values()) * self._torch_ns / spent) if spent else counted
