"""Adds normal noise, as in noise layers and stochastic sampling."""

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
CONTRACT = {"kind": "stochastic", "law": "normal", "rate": 0.5}

rows = 128
cols = 1024
SPREAD = 0.5


class Model(nn.Module):
    """x + z / 2, every z an independent standard normal number."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + SPREAD * torch.randn_like(x)


class Vendor(Model):
    """The library's own call."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.normal(x, SPREAD)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
