"""Normalised exponential along rows."""

import torch
from torch import nn

AXES = {
    "rows": {"low": 1, "high": 4096, "role": "batch"},
    "cols": {"low": 1, "high": 16384, "role": "size"},
}
TAGS = (
    "category:Activation",
    "kerneleval:reduction",
    "rubric:K2",
    "source:aten",
    "difficulty:medium",
)
BACKWARD = True

rows = 512
cols = 2048


class Model(nn.Module):
    """Softmax over the last dimension."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, dim=-1)


Vendor = Model  # one call of the library already


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
