import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """Scaled dot product attention, optionally causal."""

    def __init__(self, causal=True):
        super().__init__()
        self.causal = causal

    def forward(self, q, k, v):
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(q.size(-1)))
        if self.causal:
            L, S = att.size(-2), att.size(-1)
            keep = torch.ones(L, S, dtype=torch.bool, device=q.device).tril()
            att = att.masked_fill(~keep, float("-inf"))
        att = torch.softmax(att, dim=-1)
        return att @ v


batch = 2
heads = 4
length = 128
head_dim = 32


def get_inputs():
    return [torch.randn(batch, heads, length, head_dim) for _ in range(3)]


def get_init_inputs():
    return [True]
