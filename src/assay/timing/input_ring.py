"""InputRing: the inputs of a timed batch, each at a place of its own, never twice the same.

The rule: all of it is written once, and before every batch a few secretly placed elements of each
input change. What a call was given can be told afterwards, to judge what it returned.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import torch

from assay.sandbox.host.arena import POISON, Region
from assay.sandbox.host.call_content import Content, few_changed, is_symmetric
from assay.sandbox.host.planned_call import Laid, PlannedCall
from assay.sandbox.host.session import Session
from assay.sandbox.host.tensor_bytes import span_bytes

_CHANGES = 2  # elements of an input, from one timed call to the next
_SPOILT, _SPOILT_BYTES = 8, 64  # places of a slot that carry the pattern, and bytes of each
_PATTERN = np.full(_SPOILT_BYTES, POISON, np.uint8)
_SMALL_BYTES = 1 << 15  # of inputs that are written anew as quickly as changed


class InputRing:
    """The calls of one session that are timed."""

    def __init__(self, session: Session, calls: Sequence[PlannedCall], rng: random.Random) -> None:
        self._session = session
        self._rng = rng
        self._calls = calls
        self.laid: list[Laid] = [session.lay(call, i) for i, call in enumerate(calls)]
        self._rewritten: dict[int, Content] = {}
        self._changes: list[dict[int, torch.Tensor]] = [{} for _ in calls]
        distinct = {id(call.content): call for call in calls}
        known = {key: _changing(call) for key, call in distinct.items()}
        self._changing = [known[id(call.content)] for call in calls]
        session.memory.guard()
        session.process.freeze()
        for one in self.laid:
            session.write(one)

    def refresh(self, length: int, judged: int = 0) -> None:
        """New contents for the first `length` calls; the pattern where one of them will answer."""
        for slot in self.laid[judged].slots:
            self._session.memory.poison(slot)
        self._renew(length)

    def refresh_all(self, length: int, one_place: bool = False) -> None:
        """New contents for the first `length` calls; a part of the pattern where each will answer.

        With `one_place` only the first call's inputs are used, by all of them.

        All of them alike: who could see where it lies would know which answer is judged. An answer
        of an earlier batch that is left there is wrong wherever the pattern is.
        """
        for one in self.laid[:length]:
            self._session.memory.poison(one.slots[0])  # the record and the headers
            for slot in one.slots[1:]:
                self._spoil(slot)
        self._renew(1 if one_place else length)

    def _spoil(self, slot: Region) -> None:
        if slot.nbytes <= _SPOILT_BYTES * _SPOILT:
            self._session.memory.poison(slot)
            return
        for _ in range(_SPOILT):
            start = self._rng.randrange(slot.nbytes - _SPOILT_BYTES)
            self._session.memory.put_soon(slot, start, _PATTERN)

    def _renew(self, length: int) -> None:
        for index in range(length):
            number = self._changing[index]
            if number is None:
                self._rewrite(index)
            else:
                self._change(index, number)
        self._session.memory.settle()

    def content(self, index: int) -> Content:
        """What a call was given last."""
        if index in self._rewritten:
            return self._rewritten[index]
        given, number = self._calls[index].content, self._changing[index]
        if number is None or not self._changes[index]:
            return given
        old = given.tensors[number]
        changed = old.clone(memory_format=torch.preserve_format)
        for place, value in self._changes[index].items():
            changed.view(-1)[place] = value
        return Content(tuple(changed if value is old else value for value in given.inputs))

    def _change(self, index: int, number: int) -> None:
        """A few elements take the values of others."""
        tensor, region = self._calls[index].content.tensors[number], self.laid[index].inputs[number]
        flat, size = tensor.view(-1), tensor.element_size()
        raw = span_bytes(flat)
        for _ in range(_CHANGES):
            place, source = (self._rng.randrange(tensor.numel()) for _ in range(2))
            self._changes[index][place] = flat[source]
            value = raw[source * size : source * size + size]
            self._session.memory.put_soon(region, place * size, value)

    def _rewrite(self, index: int) -> None:
        """All of it: the last call may have changed its inputs, or they are few."""
        changed = few_changed(self._calls[index].content, self._rng)
        self._rewritten[index] = changed
        for tensor, region in zip(changed.tensors, self.laid[index].inputs, strict=True):
            self._session.memory.put(region, tensor)


def _changing(planned: PlannedCall) -> int | None:
    """The largest float input that may change in place; None where all is written anew."""
    tensors = planned.content.tensors
    small = sum(t.nbytes for t in tensors) < _SMALL_BYTES
    floats = [i for i, t in enumerate(tensors) if t.is_floating_point() and t.numel() > 1]
    if small or planned.updates or not floats:
        return None
    number = max(floats, key=lambda i: tensors[i].numel())
    dense = tensors[number].is_contiguous()
    return number if dense and not is_symmetric(tensors[number]) else None
