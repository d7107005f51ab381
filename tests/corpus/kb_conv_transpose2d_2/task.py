import torch
import torch.nn as nn


class Model(nn.Module):
    """Transposed 2D convolution."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0):
        super().__init__()
        self.deconv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, output_padding=output_padding
        )

    def forward(self, x):
        return self.deconv(x)


batch_size = 4
in_channels = 12
out_channels = 10
height = 24
width = 28


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, 3, 2, 1, 1]
