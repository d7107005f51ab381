"""Inputs that share memory, rows that overlap, dimensions that cannot be merged."""

from __future__ import annotations

import torch

from assay.data.workload import Layout
from assay.tasks.values.input_structure import Structure
from assay.tasks.values.memory_layouts import applies, lay_out

FREE = (Structure.FREE, Structure.FREE)


def _pair() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(4, 6), torch.randn(4, 6)


def test_one_tensor_is_passed_twice() -> None:
    one, other = lay_out(_pair(), Layout.SAME, FREE)
    assert one is other and applies(_pair(), Layout.SAME, FREE)


def test_interleaved_inputs_keep_their_values_in_one_storage() -> None:
    inputs = _pair()
    one, other = lay_out(inputs, Layout.INTERLEAVED, FREE)
    assert torch.equal(one, inputs[0]) and torch.equal(other, inputs[1])
    assert one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()
    assert one.stride() == other.stride() == (12, 1)


def test_what_is_not_alike_stays_apart() -> None:
    inputs = (torch.randn(4, 6), torch.randn(4, 5))
    assert not applies(inputs, Layout.SAME, FREE)
    fixed = (Structure.FREE, Structure.FIXED)
    assert not applies(_pair(), Layout.SAME, fixed)
    one, other = lay_out(_pair(), Layout.INTERLEAVED, fixed)
    assert one.untyped_storage().data_ptr() != other.untyped_storage().data_ptr()


def test_rows_overlap() -> None:
    (laid,) = lay_out((torch.randn(2, 3, 6),), Layout.OVERLAPPING, FREE[:1])
    assert laid.shape == (2, 3, 6) and laid.stride() == (9, 3, 1)
    assert torch.equal(laid[0, 0, 3:], laid[0, 1, :3])


def test_promises_about_rows_forbid_overlap() -> None:
    probabilities = torch.randn(4, 6).softmax(-1)
    (laid,) = lay_out((probabilities,), Layout.OVERLAPPING, (Structure.FIXED,))
    assert torch.equal(laid, probabilities) and laid.is_contiguous()


def test_a_slice_cannot_be_merged() -> None:
    value = torch.randn(2, 3, 6)
    (laid,) = lay_out((value,), Layout.SLICED, FREE[:1])
    assert torch.equal(laid, value) and laid.stride(-1) == 1
    assert laid.stride(0) != 3 * laid.stride(1) and laid.stride(1) > 6


def test_one_item_of_a_larger_input_is_contiguous_and_its_first_stride_tells_no_size() -> None:
    for shape in ((1, 6), (1, 3, 6)):
        (laid,) = lay_out((torch.randn(shape),), Layout.SLICED, FREE[:1])
        assert laid.is_contiguous() and laid.stride(0) > laid.numel()


def test_an_input_is_the_transpose_of_another_in_one_memory() -> None:
    inputs = (torch.randn(2, 4, 6), torch.randn(3), torch.randn(2, 6, 4))
    free = (Structure.FREE,) * 3
    one, _, other = lay_out(inputs, Layout.MIRRORED, free)
    assert torch.equal(one, inputs[0]) and torch.equal(other, one.transpose(1, 2))
    assert one.data_ptr() == other.data_ptr() and applies(inputs, Layout.MIRRORED, free)


def test_what_is_no_transpose_stays_as_it_is() -> None:
    assert not applies(_pair(), Layout.MIRRORED, FREE)
    square = (torch.randn(4, 4), torch.randn(4, 4))
    assert applies(square, Layout.MIRRORED, FREE)
    assert not applies(square, Layout.MIRRORED, (Structure.FREE, Structure.POSITIVE))
