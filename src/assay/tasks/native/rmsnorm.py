"""Normalisation by the root mean square, with a learned gain."""

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
    "source:serving",
    "difficulty:medium",
)
BACKWARD = True

rows = 1024
features = 1024


class Model(nn.Module):
    """RMSNorm over the last dimension, with gain."""

    def __init__(self, features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + self.eps)
        return x * scale * self.weight


class Vendor(Model):
    """The library's own call."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.rms_norm(x, x.shape[-1:], self.weight, self.eps)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
