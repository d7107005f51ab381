import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """Single-head self attention block with small (0.01) initialisation."""
    def __init__(self, dim):
        super().__init__()
        self.wq = nn.Parameter(0.01 * torch.randn(dim, dim))
        self.wk = nn.Parameter(0.01 * torch.randn(dim, dim))
        self.wv = nn.Parameter(0.01 * torch.randn(dim, dim))
        self.wo = nn.Parameter(0.01 * torch.randn(dim, dim))

    def forward(self, x):
        q, k, v = x @ self.wq, x @ self.wk, x @ self.wv
        p = torch.softmax(q @ k.transpose(-2, -1) / x.shape[-1] ** 0.5, dim=-1)
        return (p @ v) @ self.wo

batch_size, seq, dim = 4, 256, 32

def get_inputs():
    return [torch.randn(batch_size, seq, dim)]

def get_init_inputs():
    return [dim]
