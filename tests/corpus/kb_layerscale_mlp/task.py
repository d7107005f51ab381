import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """Residual MLP with LayerScale: y = x + gamma * fc2(gelu(fc1(x)))."""
    def __init__(self, dim, hidden, init_scale=1e-6):
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.fc2 = nn.Linear(hidden, dim)
        self.gamma = nn.Parameter(init_scale * torch.ones(dim))

    def forward(self, x):
        return x + self.gamma * self.fc2(F.gelu(self.fc1(x)))

tokens = 128
dim = 96
hidden = 384

def get_inputs():
    return [torch.randn(tokens, dim)]

def get_init_inputs():
    return [dim, hidden]
