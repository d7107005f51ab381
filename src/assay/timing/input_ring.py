"""InputRing: the inputs of a timed batch, each at a place of its own, never twice the same.

The rule: all of it is written once, and before every batch every float and complex input changes,
and every one of integers that bears another order. On a CPU each
element becomes another one, taken from one of the contents that are timed and laid out anew, so
neither the place nor the call before shares more than chance with it; where the input's structure
does not bear that, elements all over it change. On a device a few secretly placed ones do. All
calls of a batch are treated alike, so nothing tells which answer is judged. What a call was given
can be told afterwards.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence, Set

import numpy as np
import torch

from assay.sandbox.host.arena import POISON, Bytes, Region
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.changes.few_changes import NO_CHANGES, FewChanges
from assay.sandbox.host.changes.spread_change import (
    SpreadChange,
    as_words,
    bears_spread,
    with_changes,
    words_of,
)
from assay.sandbox.host.changes.whole_change import (
    Shuffle,
    WholeChange,
    bears_shuffle,
    changing_integers,
    random_bits,
    shuffled,
)
from assay.sandbox.host.planned_call import Laid, PlannedCall
from assay.sandbox.host.session import Session
from assay.sandbox.host.tensor_bytes import on_device, span_bytes

_CHANGES = 2  # elements of an input on a device, from one timed call to the next
_SPOILT, _SPOILT_BYTES = 8, 64  # places of a slot that carry the pattern, and bytes of each
_PATTERN = np.full(_SPOILT_BYTES, POISON, np.uint8)
_LONG_PATTERN = np.full(_SPOILT * _SPOILT_BYTES, POISON, np.uint8)  # at one place of a device's
_WORD = 8  # bytes; what lies at a multiple of it goes to a device most quickly
_SMALL_BYTES = 1 << 15  # of inputs that are written anew as quickly as changed


class InputRing:
    """The calls of one session that are timed."""

    def __init__(self, session: Session, calls: Sequence[PlannedCall], rng: random.Random) -> None:
        self._session = session
        self._rng = rng
        self._calls = calls
        self.laid: list[Laid] = [session.lay(call, i) for i, call in enumerate(calls)]
        self._rewritten: dict[int, Content] = {}
        self._changes: dict[int, WholeChange] = {}  # by content
        self._few: list[dict[tuple[int, int], torch.Tensor]] = [{} for _ in calls]
        self._spread: list[dict[int, list[SpreadChange]]] = [{} for _ in calls]
        self._whole: list[dict[int, tuple[torch.Tensor, Shuffle]]] = [{} for _ in calls]
        distinct = {id(call.content): call for call in calls}
        self._sources = [call.content for call in distinct.values()]
        tensors = {id(t): t for call in distinct.values() for t in call.content.tensors}
        whole = {id(c.inputs[i]) for c in self._sources for i in changing_integers(c)}
        self._shuffled = {
            key
            for key, tensor in tensors.items()
            if not on_device(tensor)
            and (key in whole if _is_whole(tensor) else bears_shuffle(tensor))
        }
        self._bits = {key: random_bits(tensors[key]) for key in self._shuffled}
        known = {key: _changing(call, self._shuffled) for key, call in distinct.items()}
        self._changing = [known[id(call.content)] for call in calls]
        session.memory.guard()
        session.process.freeze()
        for one in self.laid:
            session.write(one)

    def refresh(self, length: int, one_place: bool = False) -> None:
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
        memory = self._session.memory
        room = slot.nbytes - _LONG_PATTERN.nbytes
        if memory.shared_bytes(slot) is None:
            place = _WORD * self._rng.randrange(1 + max(0, room) // _WORD)
            memory.put_soon(slot, place, _LONG_PATTERN[: slot.nbytes])
        elif room <= 0:
            memory.poison(slot)
        else:
            for _ in range(_SPOILT):
                memory.put_soon(slot, self._rng.randrange(slot.nbytes - _SPOILT_BYTES), _PATTERN)

    def _renew(self, length: int) -> None:
        few: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by tensor
        for index in range(length):
            if not self._changing[index]:
                self._rewrite(index)
            for number in self._changing[index]:
                region = self.laid[index].inputs[number]
                data = self._session.memory.shared_bytes(region)
                if data is None:
                    few[id(self._given(index, number))].append((index, number))
                else:
                    self._change(index, number, data)
        for chosen in few.values():
            self._change_few(self._given(*chosen[0]), chosen)
        self._session.memory.settle()

    def _given(self, index: int, number: int) -> torch.Tensor:
        return self._calls[index].content.tensors[number]

    def content(self, index: int) -> Content:
        """What a call was given last."""
        if index in self._rewritten:
            return self._rewritten[index]
        given = self._calls[index].content
        changed = {
            id(given.tensors[number]): self._changed(index, number)
            for number in self._changing[index]
        }
        return Content(tuple(changed.get(id(value), value) for value in given.inputs))

    def given(self, index: int) -> tuple[Content, FewChanges]:
        """The same without a copy of what lies on a device: what changed there is told apart."""
        content = self._calls[index].content
        tensors = content.tensors
        whole = index in self._rewritten or len({id(t) for t in tensors}) < len(tensors)
        if whole or not all(map(on_device, tensors)):
            return self.content(index), NO_CHANGES
        few = [
            (tensor, tuple((place, v) for (n, place), v in self._few[index].items() if n == number))
            for number, tensor in enumerate(content.tensors)
        ]
        return content, FewChanges(tuple((tensor, changes) for tensor, changes in few if changes))

    def _changed(self, index: int, number: int) -> torch.Tensor:
        if number in self._whole[index]:
            return shuffled(*self._whole[index][number])
        tensor = self._calls[index].content.tensors[number]
        spread = self._spread[index].get(number, [])
        changed = tensor.clone() if on_device(tensor) else with_changes(tensor, spread)
        for (input_number, place), value in self._few[index].items():
            if input_number == number:
                changed.view(-1)[place] = value
        return changed

    def _change(self, index: int, number: int, data: Bytes) -> None:
        """In the host's memory all elements take the values of others."""
        tensor = self._given(index, number)
        if id(tensor) in self._shuffled:
            source = self._source(tensor, number)
            whole = Shuffle.draw(tensor.numel(), self._rng, self._bits[id(source)])
            whole.make(as_words(data, tensor), words_of(source))
            self._whole[index][number] = source, whole
            return
        change = SpreadChange.draw(tensor, self._rng)
        change.make(as_words(data, tensor), words_of(tensor))
        self._spread[index].setdefault(number, []).append(change)

    def _source(self, tensor: torch.Tensor, number: int) -> torch.Tensor:
        """One of the timed contents' inputs of that number that could stand for this one."""
        others = [content.tensors[number] for content in self._sources]
        alike = [t for t in others if (t.shape, t.dtype) == (tensor.shape, tensor.dtype)]
        return self._rng.choice([t for t in alike if id(t) in self._shuffled])

    def _change_few(self, tensor: torch.Tensor, chosen: Sequence[tuple[int, int]]) -> None:
        """On a device a few elements of each input take such values, where calls were given one."""
        size, count = tensor.element_size(), tensor.numel()
        if _is_whole(tensor) and size > 1:
            return  # indices may have to be distinct
        chosen = [one for one in chosen for _ in range(_CHANGES)]
        sources = torch.tensor([self._rng.randrange(count) for _ in chosen])
        values = tensor.view(-1)[sources].cpu()
        rows = span_bytes(values).reshape(-1, size)
        for (index, number), value, row in zip(chosen, values, rows, strict=True):
            place, region = self._rng.randrange(count), self.laid[index].inputs[number]
            self._few[index][number, place] = value
            self._session.memory.put_soon(region, place * size, row)

    def _rewrite(self, index: int) -> None:
        """All of it: the last call may have changed its inputs, or they are few."""
        given = self._calls[index].content
        if id(given) not in self._changes:
            self._changes[id(given)] = WholeChange(given)
        changed = self._changes[id(given)].make(given, self._rng)
        self._rewritten[index] = changed
        for tensor, region in zip(changed.tensors, self.laid[index].inputs, strict=True):
            self._session.memory.put(region, tensor)


def _is_whole(tensor: torch.Tensor) -> bool:
    """Integers or flags."""
    return not (tensor.is_floating_point() or tensor.is_complex())


def _changing(planned: PlannedCall, shuffled: Set[int]) -> tuple[int, ...]:
    """The inputs that change in place; none where all is written anew."""
    tensors = planned.content.tensors
    small = sum(t.nbytes for t in tensors) < _SMALL_BYTES
    floats = [i for i, t in enumerate(tensors) if not _is_whole(t) and t.numel() > 1]
    whole = [
        i for i, t in enumerate(tensors) if _is_whole(t) and id(t) in shuffled and t.is_contiguous()
    ]
    if small or planned.updates or not (floats or whole):
        return ()
    if not floats:
        return tuple(whole)
    largest = max(floats, key=lambda i: tensors[i].numel())
    borne = [i for i in floats if bears_spread(tensors[i])]
    return (*borne, *whole) * bears_spread(tensors[largest])
