"""Reduction along rows."""

import torch
from torch import nn

AXES = {
    "rows": {"low": 1, "high": 4096, "role": "batch"},
    "cols": {"low": 1, "high": 16384, "role": "size"},
}
TAGS = ("category:Reduce", "kerneleval:reduction", "rubric:K1", "source:aten", "difficulty:easy")
BACKWARD = True

rows = 1024
cols = 4096


class Model(nn.Module):
    """Sum over the last dimension."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum(dim=-1)


Vendor = Model  # one call of the library already


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
