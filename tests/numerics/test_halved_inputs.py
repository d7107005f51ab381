"""Inputs of which the second half is not read."""

from __future__ import annotations

import torch

from assay.numerics.halved_inputs import Filling, Halving, halvings
from support.references import normal


def test_the_second_half_is_replaced_and_the_rest_stays() -> None:
    x = torch.arange(10.0).reshape(2, 5)
    repeated = Halving((0,), 1, Filling.REPEATED).of([x])
    zeros = Halving((0,), 1, Filling.ZEROS).of([x])
    assert repeated is not None and zeros is not None
    assert repeated[0][0].tolist() == [0.0, 1.0, 2.0, 0.0, 1.0]
    assert zeros[0][1].tolist() == [5.0, 6.0, 7.0, 0.0, 0.0]
    assert x[0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_inputs_that_share_a_dimension_are_halved_together_first() -> None:
    labels = torch.zeros(4, dtype=torch.int64)
    found = list(halvings([normal(4, 3), labels, 0.5]))
    assert found[0] == Halving((0, 1), 0, Filling.REPEATED)
    assert {(h.inputs, h.dimension) for h in found} == {((0, 1), 0), ((0,), 0), ((0,), 1)}


def test_what_has_no_half_is_left_alone() -> None:
    assert list(halvings([normal(1, 1), torch.empty(0, 4), 3])) == []
    assert Halving((0,), 2, Filling.ZEROS).of([normal(4, 4)]) is None
    assert Halving((1,), 0, Filling.ZEROS).of([normal(4, 4)]) is None
