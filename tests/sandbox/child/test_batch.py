"""What of a call's result lies in memory that another result must not share."""

from __future__ import annotations

import torch

from assay.sandbox.child.batch import extents, flatten


def test_a_python_number_lies_nowhere() -> None:
    """The tensor made of it for the hand-over is gone at once, and its place is used again."""
    kept = torch.ones(3)
    assert extents({"loss": 1.5, "count": 3, "kept": kept}) == [
        (kept.data_ptr(), kept.data_ptr() + 12)
    ]


def test_a_python_number_is_handed_over_as_a_tensor() -> None:
    assert [leaf.item() for leaf in flatten((1.5, [True, None, 3]))] == [1.5, True, 3]
