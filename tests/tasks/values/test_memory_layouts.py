"""Every layout takes tensors of every rank, with nothing, one element or one column in them."""

from __future__ import annotations

import pytest
import torch

from assay.data.workload import Layout
from assay.tasks.values.input_structure import Structure
from assay.tasks.values.memory_layouts import applies, lay_out

SHAPES = ((), (0,), (1,), (5,), (3, 0), (3, 1), (4, 6), (2, 3, 4), (2, 3, 4, 5), (2, 2, 3, 2, 3))
PROMISES = (Structure.FREE, Structure.POSITIVE, Structure.FIXED)


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_layout_keeps_the_shapes(layout: Layout, shape: tuple[int, ...]) -> None:
    for promise in PROMISES:
        inputs = (torch.rand(()), torch.rand(shape), 3, torch.rand(shape))
        promises = (promise,) * 4
        applies(inputs, layout, promises)
        laid = lay_out(inputs, layout, promises)
        assert laid[2] == 3
        assert [laid[n].shape for n in (0, 1, 3)] == [inputs[n].shape for n in (0, 1, 3)]
