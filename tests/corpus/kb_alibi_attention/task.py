import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """Causal attention with ALiBi distance penalties."""
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("slopes", torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]))

    def forward(self, q, k, v):
        S = q.shape[2]
        pos = torch.arange(S)
        dist = (pos[None, :] - pos[:, None]).to(q.dtype)
        scores = q @ k.transpose(-2, -1) / (q.shape[-1] ** 0.5) + self.slopes.view(1, -1, 1, 1) * dist
        scores = scores.masked_fill(dist > 0, float("-inf"))
        return torch.softmax(scores, dim=-1) @ v

batch, heads, seq, head_dim = 2, 4, 192, 32

def get_inputs():
    shape = (batch, heads, seq, head_dim)
    return [torch.randn(shape), torch.randn(shape), torch.randn(shape)]

def get_init_inputs():
    return [heads]
