import torch
import torch.nn as nn


class Model(nn.Module):
    """LogSoftmax along a dimension."""

    def __init__(self, dim=1):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.log_softmax(x, dim=self.dim)


rows = 128
cols = 1111


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
