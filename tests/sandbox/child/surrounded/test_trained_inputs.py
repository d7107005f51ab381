"""Trained inputs: leaves in one call, results of another operation in the next."""

from __future__ import annotations

import torch

from assay.sandbox.child.surrounded.trained_inputs import trained_inputs


def test_inputs_are_leaves_and_computed_ones_in_turn() -> None:
    x, whole = torch.randn(4, 6).t(), torch.arange(3)
    kinds = set()
    for _ in range(2):
        first, second, third = trained_inputs([x, whole, x])
        assert first is third and second is whole
        assert first.requires_grad and first.data_ptr() == x.data_ptr()
        assert first.stride() == x.stride()
        kinds.add(first.grad_fn is None)
    assert kinds == {True, False}


def test_a_lone_row_cut_out_of_more_keeps_its_stride() -> None:
    row = torch.randn(1, 9)[:, :5]
    assert row.is_contiguous() and row.stride() == (9, 1)
    for _ in range(2):
        (given,) = trained_inputs([row])
        assert given.stride() == (9, 1)
