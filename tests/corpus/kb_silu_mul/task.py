import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Gated unit: silu(a) * b."""

    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return F.silu(a) * b


rows = 256
cols = 1024


def get_inputs():
    return [torch.randn(rows, cols), torch.randn(rows, cols)]


def get_init_inputs():
    return []
