import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Max pooling, square window, stride = window."""

    def __init__(self, k):
        super().__init__()
        self.pool = nn.MaxPool2d(k)

    def forward(self, x):
        return self.pool(x)


batch = 8
channels = 16
side = 64
k = 2


def get_inputs():
    return [torch.randn(batch, channels, side, side)]


def get_init_inputs():
    return [k]
