"""Inputs that share memory lie in one region, at the distance that they have."""

from __future__ import annotations

import torch

from assay.sandbox.host.arena import Region
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.input_regions import reserve_inputs
from assay.sandbox.host.planned_call import AT_END, Place, PlannedCall
from assay.sandbox.host.shared_memory import SharedMemory


def _regions(
    *tensors: torch.Tensor, updates: tuple[int, ...] = ()
) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
    memory = SharedMemory(2, lambda request, arena: None)
    call = PlannedCall(0, Place(0, AT_END), Content(tensors), (), updates=updates)
    try:
        return reserve_inputs(memory, call)
    finally:
        memory.close()


def test_inputs_of_their_own_lie_apart() -> None:
    own, outer = _regions(torch.ones(4), torch.ones(4))
    assert own == outer and own[0] != own[1]


def test_one_tensor_passed_twice_is_one_region() -> None:
    one = torch.ones(4)
    (first, second), outer = _regions(one, one)
    assert first == second == outer[0] == outer[1]


def test_interleaved_views_keep_their_distance() -> None:
    whole = torch.ones(3, 2, 5)
    (first, second), outer = _regions(whole[:, 0], whole[:, 1])
    assert second.offset - first.offset == 5 * 4 and outer[0] == outer[1]
    assert outer[0].nbytes == 30 * 4 and first.nbytes == second.nbytes == 25 * 4


def test_parts_of_one_storage_that_do_not_overlap_lie_apart() -> None:
    whole = torch.ones(8)
    own, outer = _regions(whole[4:], whole[:4])
    assert own == outer and own[0] != own[1]


def test_a_call_that_changes_an_input_shares_none() -> None:
    one = torch.ones(4)
    own, _ = _regions(one, one, updates=(0,))
    assert own[0] != own[1]
