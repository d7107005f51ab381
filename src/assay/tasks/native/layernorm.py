"""Normalisation with learned gain and bias."""

import torch
from torch import nn

AXES = {
    "rows": {"low": 1, "high": 4096, "role": "batch"},
    "features": {"low": 1, "high": 8192, "role": "config"},
}
TAGS = (
    "category:Normalization",
    "kerneleval:normalisation",
    "rubric:K2",
    "source:aten",
    "difficulty:medium",
)
BACKWARD = True

rows = 1024
features = 1024


class Model(nn.Module):
    """LayerNorm over the last dimension, with gain and bias."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred * torch.rsqrt(variance + self.eps) * self.weight + self.bias


class Vendor(Model):
    """The library's own call."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
