"""One number, or a few, for each row."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Expression, Float, task

FAMILY = {"category": "Reduce", "kerneleval": "reduction", "level": "K1"}
AXES = {
    "rows": {"own": 512, "high": 4096, "role": "batch"},
    "cols": {"own": 2048, "high": 16384},
}


def _half_zeros(rows, cols):
    """Normal numbers, half of them zeros."""
    return torch.randn(rows, cols) * (torch.rand(rows, cols) < 0.5)


@task(backward=True, library=True)
def mean(x: Float["rows cols"]) -> Tensor:
    """The mean of each row."""
    return x.mean(dim=-1)


@task(library=True)
def minimum(x: Float["rows cols"]) -> Tensor:
    """The smallest element of each row."""
    return x.amin(dim=-1)


@task()
def min_gelu(x: Expression["torch.randn(rows, cols) + 4"]) -> Tensor:
    """The smallest GELU of each row."""
    return F.gelu(x).amin(dim=-1)


@task(library=True, difficulty="medium", low={"cols": 2})
def std(x: Float["rows cols"]) -> Tensor:
    """The standard deviation of each row, with one degree of freedom less."""
    return x.std(dim=-1)


@task(difficulty="medium")
def sum_std(x: Float["rows cols"]) -> tuple[Tensor, Tensor]:
    """The sum of each row, and the standard deviation of all sums and zero."""
    sums = x.sum(dim=-1)
    return sums, torch.cat([sums, sums.new_zeros(1)]).std(correction=0)


@task(library=True)
def column_sum(x: Float["rows cols"]) -> Tensor:
    """The sum of each column."""
    return x.sum(dim=0)


@task(library=True)
def total(x: Float["rows cols"]) -> Tensor:
    """The sum of all elements."""
    return x.sum()


@task(library=True)
def argmax(x: Float["rows cols"]) -> Tensor:
    """The index of the largest element of each row."""
    return x.argmax(dim=-1)


@task(backward=True, library=True, difficulty="medium")
def logsumexp(x: Float["rows cols"]) -> Tensor:
    """The logarithm of the sum of exponentials of each row."""
    return torch.logsumexp(x, dim=-1)


@task(library=True)
def row_norm(x: Float["rows cols"]) -> Tensor:
    """The Euclidean norm of each row."""
    return torch.linalg.vector_norm(x, dim=-1)


@task(library=True, difficulty="medium")
def cumulative_sum(x: Float["rows cols"]) -> Tensor:
    """Running sums along each row."""
    return x.cumsum(dim=-1)


@task(library=True)
def count_nonzero(x: Expression["_half_zeros(rows, cols)"]) -> Tensor:
    """How many elements of each row are not zero."""
    return torch.count_nonzero(x, dim=-1)


@task(library=True, difficulty="hard", own={"cols": 512}, high={"cols": 4096})
def sort_rows(x: Float["rows cols"]) -> Tensor:
    """Each row in ascending order."""
    return x.sort(dim=-1).values


@task(difficulty="medium", level="K2", low={"cols": 8})
def top_values(x: Float["rows cols"]) -> Tensor:
    """The eight largest elements of each row, largest first."""
    return x.topk(8, dim=-1).values
