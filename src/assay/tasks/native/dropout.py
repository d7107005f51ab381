"""Dropout as in training: a random part of the elements is zeroed, the others are scaled up."""

import torch
from torch import nn

AXES = {
    "rows": {"low": 1, "high": 2048, "role": "batch"},
    "cols": {"low": 1, "high": 4096, "role": "size"},
}
TAGS = (
    "category:Random",
    "kerneleval:elementwise",
    "rubric:K2",
    "source:aten",
    "difficulty:medium",
)
CONTRACT = {"kind": "stochastic", "law": "dropout", "rate": 0.3}

rows = 256
cols = 1024
RATE = 0.3


class Model(nn.Module):
    """Each element is 0 with probability 0.3, else x / 0.7, independently of all others."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(x, RATE, training=True)


Vendor = Model  # one call of the library already


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
