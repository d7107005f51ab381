import torch
import torch.nn as nn


class Model(nn.Module):
    """Standard 3x3 convolution, padding 1."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    def forward(self, x):
        return self.conv2d(x)


batch_size = 4
in_channels = 16
out_channels = 24
height = 36
width = 44


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels]
