import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Rounded to quarters, halves to even."""

    def forward(self, x):
        return torch.round(x * 4.0) / 4.0


rows, cols = 64, 72


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
