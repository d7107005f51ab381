import torch
import torch.nn as nn


class Model(nn.Module):
    """Pointwise (1x1) convolution."""

    def __init__(self, in_channels, out_channels, bias=True):
        super().__init__()
        self.conv1d = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)

    def forward(self, x):
        return self.conv1d(x)


batch_size = 4
in_channels = 48
out_channels = 64
height = 40
width = 40


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels]
