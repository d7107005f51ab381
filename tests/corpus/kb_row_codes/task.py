import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Symmetric int8 codes of each row, and the scale of the row."""

    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127.0
        return torch.round(x / scale).clamp(-127, 127).to(torch.int8), scale


rows, cols = 32, 64


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
