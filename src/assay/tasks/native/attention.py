"""Scaled dot-product attention in which a position sees only itself and earlier ones."""

import math

import torch
from torch import nn

AXES = {
    "batch": {"low": 1, "high": 16, "role": "batch"},
    "heads": {"low": 1, "high": 16, "role": "size"},
    "length": {"low": 1, "high": 1024, "role": "size"},
    "head_dim": {"low": 1, "high": 128, "role": "size"},
}
TAGS = ("category:Fusion", "kerneleval:attention", "rubric:K3", "source:serving", "difficulty:hard")
BACKWARD = True

batch = 2
heads = 4
length = 256
head_dim = 64


class Model(nn.Module):
    """Causal attention: softmax(Q K^T / sqrt(d) + mask) V."""

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        return torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1) @ v


class Vendor(Model):
    """The library's own call."""

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def get_inputs():
    return [torch.randn(batch, heads, length, head_dim) for _ in range(3)]


def get_init_inputs():
    return []
