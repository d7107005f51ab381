"""Elements and rows picked and placed by index or mask."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Flag, Float, Index, task

FAMILY = {"category": "Index", "kerneleval": "elementwise", "level": "K1"}
AXES = {
    "rows": {"own": 256, "high": 2048, "role": "batch"},
    "cols": {"own": 512, "high": 4096},
    "picks": {"own": 128, "high": 2048},
    "words": {"own": 1000, "high": 50000},
    "bags": {"own": 64, "high": 512, "role": "batch"},
}


@task()
def expand_where(x: Float["rows 1"], keep: Flag["rows cols"], other: Float["cols"]) -> Tensor:
    """x of the row where the mask is set, else the other value of the column."""
    return torch.where(keep, x.expand(-1, keep.shape[1]), other)


@task(library=True)
def index_select(x: Float["rows cols"], index: Index["picks", "rows"]) -> Tensor:
    """The rows with these numbers."""
    return x.index_select(0, index)


@task(library=True)
def index_fill(x: Float["rows cols"], index: Index["picks", "cols"]) -> Tensor:
    """x with the columns of these numbers set to -1."""
    return x.index_fill(1, index, -1.0)


@task(library=True)
def gather(x: Float["rows cols"], index: Index["rows picks", "cols"]) -> Tensor:
    """Elements of each row by number."""
    return x.gather(1, index)


@task(library=True, difficulty="medium")
def scatter_add(
    x: Float["rows cols"], index: Index["rows picks", "cols"], values: Float["rows picks"]
) -> Tensor:
    """x with values added at numbers that may come several times."""
    return x.scatter_add(1, index, values)


@task(library=True)
def scatter_value(x: Float["rows cols"], index: Index["rows picks", "cols"]) -> Tensor:
    """x with ones at the given numbers of each row."""
    return x.scatter(1, index, 1.0)


@task(library=True)
def masked_fill(x: Float["rows cols"], mask: Flag["rows cols"]) -> Tensor:
    """x with -2 where the mask is set."""
    return x.masked_fill(mask, -2.0)


@task(source="serving", library=True, backward=True)
def embedding(table: Float["words cols"], ids: Index["rows", "words"]) -> Tensor:
    """Rows of a table by word."""
    return table[ids]


@task(source="serving", difficulty="medium", level="K2")
def embedding_bag(table: Float["words cols"], ids: Index["bags 8", "words"]) -> Tensor:
    """The mean of the rows of eight words."""
    return F.embedding_bag(ids, table, mode="mean")


@task(library=True)
def one_hot(ids: Index["rows", "words"], order: Index["words", "words"]) -> Tensor:
    """A one in the column of each word, as many columns as the order has words."""
    return F.one_hot(ids, len(order)).to(torch.float32)


@task(library=True, difficulty="medium")
def bucketize(x: Float["rows cols"]) -> Tensor:
    """How many of nine even thresholds from -2 to 2 lie below each element."""
    return torch.bucketize(x, torch.arange(-4, 5, device=x.device, dtype=x.dtype) / 2)
