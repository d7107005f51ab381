"""Lengths of reductions, one row an operation."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from assay.numerics.budget.reduction import ReductionWatch

r = torch.randn
LENGTHS: dict[str, tuple[int, Callable[[], object]]] = {
    "matmul": (17, lambda: r(4, 17) @ r(17, 5)),
    "matrix times vector": (7, lambda: r(5, 7) @ r(7)),
    "batched": (7, lambda: r(2, 5, 7) @ r(2, 7, 3)),
    "linear": (33, lambda: F.linear(r(2, 4, 33), r(5, 33), r(5))),
    "einsum": (17, lambda: torch.einsum("bik,bkj->bij", r(2, 3, 17), r(2, 17, 4))),
    "grouped conv2d": (27, lambda: F.conv2d(r(2, 6, 8, 8), r(4, 3, 3, 3), groups=2)),
    "transposed conv": (54, lambda: F.conv_transpose2d(r(2, 6, 8, 8), r(6, 3, 3, 3))),
    "sum over rows": (5, lambda: r(5, 7).sum(0)),
    "mean of all": (35, lambda: r(5, 7).mean()),
    "variance": (7, lambda: r(5, 7).var(1)),
    "norm": (35, lambda: torch.linalg.norm(r(5, 7))),
    "softmax along 0": (5, lambda: r(5, 7).softmax(0)),
    "layer norm": (30, lambda: F.layer_norm(r(4, 5, 6), (5, 6))),
    "group norm": (32, lambda: F.group_norm(r(2, 6, 4, 4), 3)),
    "batch norm": (128, lambda: F.batch_norm(r(8, 3, 4, 4), None, None, training=True)),
    "batch norm, given": (
        1,
        lambda: F.batch_norm(r(8, 3, 4, 4), torch.zeros(3), torch.ones(3)),
    ),
    "cumsum": (11, lambda: r(4, 11).cumsum(1)),
    "average pooling": (9, lambda: F.avg_pool2d(r(1, 2, 8, 8), 3)),
    "maximum pooling": (1, lambda: F.max_pool2d(r(1, 2, 8, 8), 3)),
    "mse": (35, lambda: F.mse_loss(r(5, 7), r(5, 7))),
    "cross entropy": (9, lambda: F.cross_entropy(r(9, 7), torch.zeros(9, dtype=torch.long))),
    "attention": (19, lambda: F.scaled_dot_product_attention(*(r(1, 2, 19, 8),) * 3)),
    "wide attention": (64, lambda: F.scaled_dot_product_attention(*(r(1, 2, 9, 64),) * 3)),
    "fft": (16, lambda: torch.fft.fft(r(3, 16))),
    "scatter": (12, lambda: torch.zeros(3).scatter_add(0, torch.zeros(12).long(), r(12))),
    "sort": (1, lambda: r(50).sort()),
    "argmax": (1, lambda: r(50).argmax()),
    "elementwise": (1, lambda: r(50).relu()),
    "nothing": (1, lambda: None),
    "the longest of several": (40, lambda: (r(3, 40) @ r(40, 5)).sum(1)),
}


def longest_reduction(compute: Callable[[], object]) -> int:
    watch = ReductionWatch()
    with watch:
        compute()
    return watch.longest


@pytest.mark.parametrize("name", LENGTHS)
def test_length(name: str) -> None:
    length, compute = LENGTHS[name]
    assert longest_reduction(compute) == length


def test_backward_counts() -> None:
    x = r(50, 3, requires_grad=True)
    weight = r(3, 4, requires_grad=True)
    assert longest_reduction(lambda: (x @ weight).relu().backward(torch.ones(50, 4))) == 50
