import torch
import torch.nn as nn


class Model(nn.Module):
    """1D convolution with stride and dilation."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, dilation=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, dilation=dilation, bias=bias)

    def forward(self, x):
        return self.conv1d(x)


batch_size = 8
in_channels = 16
out_channels = 32
kernel_size = 3
length = 1024


def get_inputs():
    return [torch.randn(batch_size, in_channels, length)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, 2, 3, True]
