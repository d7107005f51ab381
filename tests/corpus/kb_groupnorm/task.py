import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """GroupNorm"""
    def __init__(self, groups, channels):
        super().__init__()
        self.gn = nn.GroupNorm(groups, channels)

    def forward(self, x):
        return self.gn(x)


groups = 8
channels = 48


def get_inputs():
    return [torch.randn(8, channels, 24, 22)]


def get_init_inputs():
    return [groups, channels]
