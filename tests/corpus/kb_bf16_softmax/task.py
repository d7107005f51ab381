import torch
import torch.nn as nn


class Model(nn.Module):
    """Softmax of bfloat16 logits (bfloat16 in, bfloat16 out)."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.softmax(x, dim=-1)


rows = 128
cols = 777


def get_inputs():
    return [torch.randn(rows, cols).bfloat16()]


def get_init_inputs():
    return []
