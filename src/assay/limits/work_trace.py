"""Work trace: follows one call of a reference on tensors without values, and adds up its work.

The rule: nothing is computed. What is an input, a parameter or a buffer is external; what an
operation makes lives in cache or registers, unless it is a result or changes something external.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from assay.limits.known_structures import Structures
from assay.limits.layer_work import LayerWork
from assay.limits.operation_work import OperationWork
from assay.limits.work import Operation, Storage, Work, distinct, storage


@dataclass
class WorkTrace:
    """Gathers the work of what runs inside `watching`, of external tensors told before."""

    structures: Structures = field(default_factory=Structures)
    _operations: list[Operation] = field(default_factory=list)
    _external: dict[Storage, tuple[int, int]] = field(default_factory=dict)  # elements, item bytes
    _lasting: set[Storage] = field(default_factory=set)  # parameters and buffers
    _alive: list[torch.Tensor] = field(default_factory=list)  # so that no memory is given twice
    _counts: bool = False  # structures are noted while inputs are drawn, work only in the call

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Tensors have no values in here."""
        fake = FakeTensorMode(allow_non_fake_inputs=True)
        with fake, OperationWork(self.structures, self.add), LayerWork(self.add):
            yield

    def external(self, given: Iterable[torch.Tensor], kept: Iterable[torch.Tensor] = ()) -> None:
        """Inputs, and the parameters and buffers kept; from here on work is counted."""
        kept = list(kept)
        self._lasting |= {storage(tensor) for tensor in kept}
        for tensor in [*given, *kept]:
            size = tensor.untyped_storage().nbytes() // max(1, tensor.element_size())
            known = self.structures.elements(tensor)
            elements = size if known is None else min(size, known)
            self._external[storage(tensor)] = (elements, tensor.element_size())
            self._alive.append(tensor)
        self._counts = True

    def add(self, operation: Operation, made: Iterable[torch.Tensor]) -> None:
        """One operation, and what it made."""
        if self._counts:
            self._operations.append(operation)
            self._alive += made

    def finish(self, outputs: Iterable[torch.Tensor]) -> Work:
        """The work behind the results, and behind what was changed in place."""
        results = [one for one in outputs if storage(one) not in self._external]
        changed = {s for one in self._operations for s in one.made if s in self._external}
        work = Work()
        views: dict[Storage, dict[object, int]] = defaultdict(dict)
        for one in self._needed({storage(tensor) for tensor in results} | changed):
            for read in one.reads:
                if read.storage in self._external:
                    seen = views[read.storage]
                    seen[read.view] = max(read.elements, seen.get(read.view, 0))
            if one.flops:
                work.flops[one.dtype] += one.flops
            else:
                work.elementwise += one.elements
        for key, seen in views.items():
            elements, size = self._external[key]
            nbytes = min(elements, sum(seen.values())) * size
            work.bytes_read += nbytes
            work.bytes_kept += nbytes if key in self._lasting else 0
        work.bytes_written = _written(results)
        work.bytes_written += sum(n * size for n, size in map(self._external.__getitem__, changed))
        return work

    def _needed(self, wanted: set[Storage]) -> list[Operation]:
        """Operations on which the wanted memory depends."""
        found = []
        for one in reversed(self._operations):
            if one.made & wanted:
                found.append(one)
                wanted |= one.taken
        return found


def _written(results: Iterable[torch.Tensor]) -> int:
    """Bytes of the results, those that share memory once."""
    sizes: dict[Storage, int] = {}
    for tensor in results:
        nbytes = distinct(tensor) * tensor.element_size()
        sizes[storage(tensor)] = max(nbytes, sizes.get(storage(tensor), 0))
    return sum(sizes.values())
