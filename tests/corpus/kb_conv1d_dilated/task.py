import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Dilated 1-D convolution"""
    def __init__(self, in_channels, out_channels, kernel_size, dilation):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, dilation=dilation, padding=dilation * (kernel_size // 2))

    def forward(self, x):
        return self.conv(x)


in_channels = 16
out_channels = 24
kernel_size = 5
dilation = 2


def get_inputs():
    return [torch.randn(8, in_channels, 500)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, dilation]
