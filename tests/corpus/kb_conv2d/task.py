import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """3x3 convolution"""
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=1)

    def forward(self, x):
        return self.conv(x)


in_channels = 8
out_channels = 16
kernel_size = 3


def get_inputs():
    return [torch.randn(4, in_channels, 40, 36)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
