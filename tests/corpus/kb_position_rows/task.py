import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Adds the row of a table that belongs to the position of each token."""

    def __init__(self, most, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(most, dim))

    def forward(self, x, positions):
        return x + self.table[positions]


batch, seq, dim, most = 4, 48, 32, 1024


def get_inputs():
    return [torch.randn(batch, seq, dim), torch.arange(seq)]


def get_init_inputs():
    return [most, dim]
