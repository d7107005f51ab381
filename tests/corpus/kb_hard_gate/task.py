import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A hard gate: the input is clamped to [-2, 6], and its ends are counted."""

    def forward(self, x):
        ends = ((x <= -2.0) | (x >= 6.0)).sum(-1)
        return x.clamp(-2.0, 6.0), ends


rows, cols = 48, 80


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
