"""The journal: writes of a branch that leaves are unseen behind it, and found by the next call."""

from __future__ import annotations

from assay.source_analysis.interpreter.interpreter_state import Heap, Holder
from assay.source_analysis.interpreter.tags import Origin, Tag
from assay.source_analysis.interpreter.values import Box, Constant, ref

ONE, TWO, THREE = (ref(Constant(number)) for number in (1, 2, 3))
PAST = Tag(Origin.PAST)


def test_an_item_is_taken_back_and_replayed_beside_what_stands_there() -> None:
    heap, holder = Heap(), Holder({"a": ONE})
    mark = heap.journal.mark(heap.buffers)
    heap.journal.set_item(holder, "a", TWO)
    heap.journal.set_item(holder, "b", THREE)
    heap.journal.go_back(mark)
    assert holder == {"a": ONE}
    heap.journal.replay()
    assert holder["a"].refs == ONE.refs | TWO.refs
    assert holder["b"] == THREE


def test_the_rest_of_a_container_is_taken_back_and_replayed() -> None:
    heap, held = Heap(), Box()
    mark = heap.journal.mark(heap.buffers)
    heap.journal.set_rest(held, ONE)
    heap.journal.go_back(mark)
    assert held.rest is None
    heap.journal.replay()
    assert held.rest == ONE


def test_storage_that_a_branch_wrote_is_told_at_the_replay() -> None:
    heap = Heap()
    [written] = heap.new().buffers
    heap.new()
    mark = heap.journal.mark(heap.buffers)
    written.tags.add(PAST)
    heap.journal.go_back(mark)
    assert written.tags == set()
    assert heap.journal.replay() == {written}
    assert heap.journal.replay() == set()
