import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Transposed convolution, stride 2"""
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.deconv = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        return self.deconv(x)


in_channels = 12
out_channels = 8
kernel_size = 4
stride = 2
padding = 1


def get_inputs():
    return [torch.randn(4, in_channels, 24, 20)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, padding]
