"""Journal: writes to objects that outlive a block, so that a branch that leaves can be taken back.

The rule: after `if a: store(y); return y` the rest of the function must not see the store, but the
next call must.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from assay.guard.tags import Tag
from assay.source_analysis.values import BoxObject, Buffer, Value, join

Holder = dict[Any, Value]


@dataclass(frozen=True, slots=True)
class _ItemWrite:
    holder: Holder
    key: object
    old: Value | None


@dataclass(frozen=True, slots=True)
class _RestWrite:
    box: BoxObject
    old: Value | None


@dataclass(slots=True)
class Mark:
    """A moment to go back to."""

    position: int
    tags: list[tuple[Buffer, frozenset[Tag]]]


@dataclass(slots=True)
class Journal:
    """Every write, in order, and what was taken back."""

    writes: list[_ItemWrite | _RestWrite] = field(default_factory=list)
    later: list[tuple[Holder | BoxObject, object, Value]] = field(default_factory=list)
    touched: set[Buffer] = field(default_factory=set)  # tagged in a branch that left

    def set_item(self, holder: Holder, key: object, value: Value) -> None:
        """Write one item."""
        self.writes.append(_ItemWrite(holder, key, holder.get(key)))
        holder[key] = value

    def set_rest(self, box: BoxObject, value: Value) -> None:
        """Write what a container holds under no constant key."""
        self.writes.append(_RestWrite(box, box.rest))
        box.rest = value

    def mark(self, buffers: Iterable[Buffer]) -> Mark:
        """Remember this moment."""
        return Mark(len(self.writes), [(buffer, frozenset(buffer.tags)) for buffer in buffers])

    def go_back(self, mark: Mark) -> None:
        """Take back everything since a moment; `replay` brings it again for the next call."""
        while len(self.writes) > mark.position:
            self._undo(self.writes.pop())
        for buffer, tags in mark.tags:
            if len(buffer.tags) != len(tags):
                self.touched.add(buffer)
                buffer.tags = set(tags)

    def _undo(self, write: _ItemWrite | _RestWrite) -> None:
        if isinstance(write, _RestWrite):
            if write.box.rest is not None:
                self.later.append((write.box, None, write.box.rest))
            write.box.rest = write.old
            return
        self.later.append((write.holder, write.key, write.holder[write.key]))
        if write.old is None:
            del write.holder[write.key]
        else:
            write.holder[write.key] = write.old

    def replay(self) -> set[Buffer]:
        """Write again what was taken back, beside what stands there; the buffers it concerned."""
        for target, key, value in self.later:
            if isinstance(target, BoxObject):
                target.rest = join([target.rest, value]) if target.rest is not None else value
            else:
                old = target.get(key)
                target[key] = join([old, value]) if old is not None else value
        touched = self.touched
        self.writes, self.later, self.touched = [], [], set()
        return touched
