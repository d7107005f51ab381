"""All windows of sixteen elements of each row, in memory of their own."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """Sliding windows"""

    def forward(self, x):
        return x.unfold(1, 16, 1).contiguous()


rows = 128
cols = 512


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
