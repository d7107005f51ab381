import torch
import torch.nn as nn


class Model(nn.Module):
    """Depthwise 2D convolution with a rectangular kernel."""

    def __init__(self, channels, kernel_h, kernel_w, stride=1, padding=0, bias=False):
        super().__init__()
        self.conv2d = nn.Conv2d(
            channels, channels, (kernel_h, kernel_w), stride=stride, padding=padding, groups=channels, bias=bias
        )

    def forward(self, x):
        return self.conv2d(x)


batch_size = 4
channels = 24
height = 64
width = 48


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels, 3, 5, 1, 1, True]
