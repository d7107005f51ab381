"""Convolution of images with a learned filter bank."""

import torch
from torch import nn

AXES = {
    "batch": {"low": 1, "high": 64, "role": "batch"},
    "height": {"low": 3, "high": 256, "role": "size"},
    "width": {"low": 3, "high": 256, "role": "size"},
    "in_channels": {"low": 1, "high": 128, "role": "config"},
    "out_channels": {"low": 1, "high": 128, "role": "config"},
}
TAGS = (
    "category:Convolution",
    "kerneleval:convolution",
    "rubric:K3",
    "source:aten",
    "difficulty:hard",
)
BACKWARD = True

batch = 4
in_channels = 16
out_channels = 32
height = 64
width = 64
kernel_size = 3


class Model(nn.Module):
    """2-D convolution, stride 1, no padding, with bias."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


Vendor = Model  # one call of the library already


def get_inputs():
    return [torch.randn(batch, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
