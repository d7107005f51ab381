"""Fused elementwise gate of two projections."""

import torch
from torch import nn

AXES = {
    "rows": {"low": 1, "high": 4096, "role": "batch"},
    "cols": {"low": 1, "high": 8192, "role": "size"},
}
TAGS = ("category:Fusion", "kerneleval:fused", "rubric:K1", "source:serving", "difficulty:easy")
BACKWARD = True

rows = 256
cols = 2048


class Model(nn.Module):
    """SwiGLU gate: silu(gate) times up."""

    def forward(self, gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
        return gate * torch.sigmoid(gate) * up


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(rows, cols)]


def get_init_inputs():
    return []
