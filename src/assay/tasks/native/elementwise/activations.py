"""Activation functions of one input, element by element."""

import torch
from torch import Tensor
from torch.nn import functional as F

from assay.tasks.families.family_words import Float, task

AXES = {
    "rows": {"own": 512, "high": 4096, "role": "batch"},
    "cols": {"own": 2048, "high": 16384},
}


@task(category="Activation", kerneleval="elementwise", level="K1", backward=True, library=True)
def silu(x: Float["rows cols"]) -> Tensor:
    """x times its own sigmoid."""
    return F.silu(x)


@task(
    category="Activation",
    kerneleval="elementwise",
    level="K1",
    library=True,
    dtypes=("float32", "float16", "bfloat16"),
)
def relu(x: Float["rows cols"]) -> Tensor:
    """x where it is positive, else zero."""
    return torch.relu(x)
