"""The same elements in another order or shape."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Complex, Float, task

FAMILY = {"category": "Index", "kerneleval": "elementwise", "level": "K1"}
AXES = {
    "rows": {"own": 256, "high": 2048, "role": "batch"},
    "cols": {"own": 512, "high": 4096},
    "batch": {"own": 8, "high": 64, "role": "batch"},
    "size": {"own": 64, "high": 256},
}


@task(library=True)
def transpose_copy(x: Float["rows cols"]) -> Tensor:
    """Rows as columns, in memory of their own."""
    return x.t().clone(memory_format=torch.contiguous_format)


@task()
def permute_copy(x: Float["batch rows size"]) -> Tensor:
    """The last dimension first, in memory of its own."""
    return x.permute(2, 0, 1).clone(memory_format=torch.contiguous_format)


@task(library=True)
def concatenate(a: Float["rows cols"], b: Float["rows size"]) -> Tensor:
    """Two matrices side by side."""
    return torch.cat([a, b], dim=1)


@task(library=True)
def roll_rows(x: Float["rows cols"]) -> Tensor:
    """Each row moved three places to the right, the end coming first."""
    return x.roll(3, dims=-1)


@task(library=True)
def lower_triangle(x: Float["batch size size"]) -> Tensor:
    """The lower triangle, and zeros above it."""
    return x.tril()


@task(library=True)
def repeat_interleave(x: Float["rows cols"]) -> Tensor:
    """Each element twice in a row."""
    return x.repeat_interleave(2, dim=-1)


@task()
def reflect_pad(x: Float["batch rows size"]) -> Tensor:
    """Each row with its ends mirrored where it is longer than two, else repeated."""
    kind = "reflect" if x.shape[-1] > 2 else "replicate"
    return F.pad(x, (2, 2), mode=kind)


@task(category="Math", library=True)
def ifftshift(x: Float["rows cols"]) -> Tensor:
    """Each row with its second half first."""
    return torch.fft.ifftshift(x, dim=-1)


@task(category="Math", difficulty="hard", level="K3", library=True)
def fftn(x: Complex["batch size size"]) -> Tensor:
    """The two-dimensional Fourier transform."""
    return torch.fft.fftn(x, dim=(-2, -1))


@task(category="Random", difficulty="medium")
def logspace(start: Float["rows", "unit"], stop: Float["rows", "unit"]) -> Tensor:
    """64 numbers a row, from ten to the power of start to ten to that of stop, by equal factors."""
    steps = torch.arange(64, device=start.device, dtype=start.dtype) / 63
    return 10.0 ** (start[:, None] + (stop - start)[:, None] * steps)
