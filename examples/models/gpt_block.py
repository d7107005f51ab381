"""Two blocks of a GPT as GPT-2 writes them: the tanh form of GELU is spelled out."""

import math

import torch
import torch.nn.functional as F
from torch import nn

batch = 4
tokens = 128
width = 256
heads = 8
dtype = torch.float32


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.joint = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = self.joint(x).chunk(3, dim=-1)
        q = q.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)
        k = k.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)
        v = v.view(batch, tokens, self.heads, width // self.heads).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, tokens, width))


class Block(nn.Module):
    """Attention and a perceptron, each behind a normalisation and beside a residual."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        h = self.up(self.norm2(x))
        inner = math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0))
        h = 0.5 * h * (1.0 + torch.tanh(inner))
        return x + self.down(h)


class Model(nn.Module):
    """Two transformer blocks."""

    def __init__(self, width, heads):
        super().__init__()
        self.first = Block(width, heads)
        self.second = Block(width, heads)
        self.norm = nn.LayerNorm(width)
        self.to(dtype)

    def forward(self, x):
        return self.norm(self.second(self.first(x)))


def get_inputs():
    return [torch.randn(batch, tokens, width, dtype=dtype)]


def get_init_inputs():
    return [width, heads]
