"""The inputs of a timed batch: never twice the same, and known afterwards."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
import torch

from assay.sandbox.host.call_content import Content
from assay.sandbox.host.changes.few_changes import NO_CHANGES
from assay.sandbox.host.planned_call import BatchOptions, Place, PlannedCall, Spot
from assay.sandbox.host.session import Session
from assay.timing.input_ring import InputRing
from support.walls import Room


@pytest.fixture
def session(best_room: Room) -> Iterator[Session]:
    with best_room.enter() as entered:
        yield entered.session


LARGE, SMALL = (64, 512), (3, 5)


def calls(shape: tuple[int, ...], count: int = 4) -> list[PlannedCall]:
    drawn = torch.randn(shape, generator=torch.Generator().manual_seed(8))
    drawn[0, 1] = 9.0  # a first row that happens to be in order would never change
    content = Content((drawn, 2.5))
    return [PlannedCall(0, Place(0, Spot(f"timed {i}")), content, ()) for i in range(count)]


def held(session: Session, ring: InputRing, index: int) -> torch.Tensor:
    like = ring.content(index).tensors[0]
    return session.memory.held(ring.laid[index].inputs[0], like)


def test_every_refresh_changes_what_lies_there(session: Session) -> None:
    for shape in (LARGE, SMALL):
        ring = InputRing(session, calls(shape), random.Random(3))
        seen = [held(session, ring, 0)]
        for _ in range(5):
            ring.refresh(4)
            seen.append(held(session, ring, 0))
        distinct = {tuple(tensor.flatten().tolist()) for tensor in seen}
        assert len(distinct) >= 5  # an element may take the value of an equal one


def test_what_a_call_was_given_is_known_afterwards(session: Session) -> None:
    for shape in (LARGE, SMALL):
        ring = InputRing(session, calls(shape), random.Random(4))
        for _ in range(3):
            ring.refresh(4)
        for index in range(4):
            content = ring.content(index)
            assert torch.equal(content.tensors[0], held(session, ring, index))
            assert content.inputs[1] == 2.5
        others = [ring.content(index).tensors[0] for index in range(4)]
        assert not torch.equal(others[0], others[1])


def test_every_float_input_changes_in_every_call(session: Session) -> None:
    content = Content((torch.randn(64, 512), torch.arange(9), torch.randn(300)))
    planned = [PlannedCall(0, Place(0, Spot(f"timed {i}")), content, ()) for i in range(3)]
    ring = InputRing(session, planned, random.Random(6))
    ring.refresh(3)
    for index in range(3):
        found, laid = ring.content(index), ring.laid[index]
        for number, (given, now) in enumerate(zip(content.tensors, found.tensors, strict=True)):
            assert torch.equal(session.memory.held(laid.inputs[number], given), now)
            assert torch.equal(given, now) is not given.is_floating_point()
        assert (found.tensors[0] != content.tensors[0]).any(dim=1).all()  # whoever keeps rows


def test_every_slot_is_spoilt(session: Session) -> None:
    content = Content((torch.randn(64, 512),))
    planned = [PlannedCall(0, Place(0, Spot(f"timed {i}")), content, (8192,)) for i in range(3)]
    ring = InputRing(session, planned, random.Random(7))
    like = torch.zeros(8192, dtype=torch.uint8)
    for one in ring.laid:
        session.memory.put(one.slots[1], like)
    ring.refresh(3)
    for one in ring.laid:
        spoilt = session.memory.held(one.slots[1], like) != 0
        assert 64 <= int(spoilt.sum()) <= 512


def test_symmetric_matrices_stay_symmetric(session: Session) -> None:
    square = torch.randn(128, 128)
    content = Content((square + square.T,))
    planned = [PlannedCall(0, Place(0, Spot("timed 0")), content, ())]
    ring = InputRing(session, planned, random.Random(5))
    ring.refresh(1)
    found = held(session, ring, 0)
    assert torch.equal(found, found.T) and not torch.equal(found, content.tensors[0])
    assert session.take(ring.laid[0], BatchOptions(check_inputs=False)).record is None


def test_a_place_shares_hardly_an_element_with_what_it_held(session: Session) -> None:
    contents = [Content((torch.randn(64, 512), torch.randn(300))) for _ in range(2)]
    planned = [PlannedCall(0, Place(0, Spot(f"timed {i}")), contents[i % 2], ()) for i in range(4)]
    ring = InputRing(session, planned, random.Random(8))
    before = [ring.content(index).tensors for index in range(4)]
    for _ in range(4):
        ring.refresh(4)
        now = [ring.content(index).tensors for index in range(4)]
        for index in range(4):
            for old, new in zip((before[index], now[index - 1]), (now[index],) * 2, strict=True):
                assert (old[0] == new[0]).float().mean() < 0.02
            assert torch.equal(held(session, ring, index), now[index][0])
        before = now


def test_no_symmetric_matrix_comes_back(session: Session) -> None:
    square = torch.randn(6, 40, 40)
    content = Content((square + square.transpose(-1, -2),))
    ring = InputRing(
        session, [PlannedCall(0, Place(0, Spot("timed 0")), content, ())], random.Random(9)
    )
    seen = [*content.tensors[0]]
    for _ in range(3):
        ring.refresh(1)
        found = ring.content(0).tensors[0]
        assert not any(torch.equal(one, other) for one in found for other in seen)
        seen += [*found]


def test_complex_numbers_and_codes_change_as_floats_do(session: Session) -> None:
    codes = torch.randint(-127, 128, (64, 512), dtype=torch.int8)
    numbers = torch.randn(64, 64, dtype=torch.complex64)
    for content in (Content((codes, torch.rand(4))), Content((numbers,)), Content((codes,))):
        planned = [PlannedCall(0, Place(0, Spot(f"timed {i}")), content, ()) for i in range(2)]
        ring = InputRing(session, planned, random.Random(10))
        ring.refresh(2)
        for index in range(2):
            found = ring.content(index).tensors[0]
            assert torch.equal(held(session, ring, index), found)
            assert (found == content.tensors[0]).float().mean() < 0.02


def test_what_lies_on_a_device_is_told_without_a_copy(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = InputRing(session, calls(LARGE), random.Random(5))
    content, few = ring.given(0)
    assert few is NO_CHANGES and torch.equal(content.tensors[0], held(session, ring, 0))
    monkeypatch.setattr("assay.timing.input_ring.on_device", lambda tensor: True)
    ring._few[0][0, 7] = torch.tensor(123.0)
    content, few = ring.given(0)
    given = ring._calls[0].content
    assert content is given
    with few.made():
        assert given.tensors[0].view(-1)[7] == 123.0
    assert given.tensors[0].view(-1)[7] != 123.0
    assert ring.given(1)[1] == NO_CHANGES


def test_on_a_device_a_few_elements_change_in_every_input(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Content((torch.randn(64, 512), torch.arange(9), torch.randn(300)))
    planned = [PlannedCall(0, Place(0, Spot(f"timed {i}")), content, (8192,)) for i in range(3)]
    ring = InputRing(session, planned, random.Random(6))
    monkeypatch.setattr(session.memory, "shared_bytes", lambda region: None)
    for _ in range(3):
        ring.refresh(3)
    for index in range(3):
        few = ring._few[index]
        assert 2 < len(few) <= 12 and {number for number, _ in few} == {0, 2}
        for number, given in enumerate(content.tensors):
            now = ring.content(index).tensors[number]
            assert torch.equal(session.memory.held(ring.laid[index].inputs[number], given), now)
            changed = int((now != given).sum())
            assert (0 < changed <= 6) is given.is_floating_point()
